"""Rotates the seats in messages, so that the bot of a client has seat 0.

A table tells a client its seat only when the game begins, but the bot is asked for its fleet
before. So the bot always has seat 0, and the other players follow in the order of turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from msgspec import structs

from judge.documents.game import Outcome
from judge.game.events import Back, Event, FleetPlaced, Gone, Shot, Target, TurnSkipped, View
from judge.wire.messages import (
    AskShots,
    Chat,
    Fired,
    FromPlayer,
    GameOver,
    GameStart,
    Refused,
    Rejoined,
    Said,
    Told,
    ToPlayer,
)

T = TypeVar("T")


class SeatRotation:
    """Rotates the ``count`` seats of a game so that the seat ``own`` becomes seat 0."""

    def __init__(self, own: int, count: int) -> None:
        self._own = own
        self._count = count

    def to_player(self, message: ToPlayer) -> ToPlayer:
        """A message from the server, with its seats rotated for the bot."""
        match message:
            case GameStart(names=names, first=first):
                names = tuple(self._in_order(names))
                return structs.replace(message, seat=0, names=names, first=self._to(first))
            case Told(events, up):
                return Told(tuple(map(self._event, events)), tuple(map(self._to, up)))
            case AskShots(view):
                return AskShots(self._view(view))
            case Refused(why, AskShots(view)):
                return Refused(why, AskShots(self._view(view)))
            case Rejoined(view):
                return Rejoined(self._view(view))
            case Chat(int(seat)):
                return structs.replace(message, seat=self._to(seat))
            case GameOver(outcome):
                return GameOver(self._outcome(outcome))
        return message

    def from_player(self, said: FromPlayer) -> FromPlayer:
        """A message of the bot, with its seats rotated back for the server."""
        match said:
            case Fired(targets):
                return Fired(tuple(Target(self._from(seat), cell) for seat, cell in targets))
            case Said(text, int(seat)):
                return Said(text, self._from(seat))
        return said

    def _to(self, seat: int) -> int:
        return (seat - self._own) % self._count

    def _from(self, seat: int) -> int:
        return (seat + self._own) % self._count

    def _in_order(self, values: Sequence[T]) -> Sequence[T]:
        return [*values[self._own :], *values[: self._own]]

    def _event(self, event: Event) -> Event:
        match event:
            case Shot(seat, target):
                return structs.replace(event, seat=self._to(seat), target=self._to(target))
            case FleetPlaced(seat) | TurnSkipped(seat) | Gone(seat) | Back(seat):
                return structs.replace(event, seat=self._to(seat))
        return self._outcome(event)

    def _view(self, view: View) -> View:
        shots = tuple(
            structs.replace(shot, seat=self._to(shot.seat), target=self._to(shot.target))
            for shot in view.shots
        )
        present = tuple(self._in_order(view.present))
        return structs.replace(
            view, seat=0, first=self._to(view.first), shots=shots, present=present
        )

    def _outcome(self, outcome: Outcome) -> Outcome:
        winner, loser = (
            None if seat is None else self._to(seat) for seat in (outcome.winner, outcome.loser)
        )
        scores = None if outcome.scores is None else tuple(self._in_order(outcome.scores))
        return structs.replace(outcome, winner=winner, loser=loser, scores=scores)
