"""The steps of a recorded game: its volleys, which are the shots of one answer each, and the rest.

A record holds shot after shot. If one shot is due at a time, each is a volley of its own. In a
salvo game the rules say how many shots were due, and so where a volley ends: who is up twice in a
row, as when the others skip, fires two volleys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from judge.documents.game import GameRecord, Incident, Result
from judge.documents.rules import Fleet, Rules, Turn
from judge.game.events import AnyShot
from judge.game.game import Game
from judge.game.replay import replay


class Volley(NamedTuple):
    """The shots of one answer of a seat: those of the game from ``begin`` to before ``end``,
    counted from 0."""

    seat: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Step:
    """The effect of one answer: a volley, or something besides shots; if all shoot at once, the
    effect of the round. ``fired`` is the number of shots in the game after it."""

    volleys: tuple[Volley, ...]
    incidents: tuple[Incident, ...]
    fired: int

    @property
    def begin(self) -> int:
        """The number of shots in the game before it."""
        return self.volleys[0].begin if self.volleys else self.fired


def steps(record: GameRecord) -> Iterator[tuple[Step, Game]]:
    """The steps of a game as `replay` goes, each with the position after it, one and the same
    object. The first is the placing, with the forfeits of fleets.

    Raises `RecordError` if the record breaks its rules.
    """
    incidents = list(record.incidents)
    placing = []
    while incidents and incidents[0].at == 0 and record.seats[incidents[0].seat].fleet is None:
        placing.append(incidents.pop(0))
    before = None
    for game in replay(record):
        fired = len(game.shots)
        if before is None:
            yield Step((), tuple(placing), fired), game
        elif incidents and incidents[0].at == before:
            yield Step(tuple(_by_seat(game, before)), (incidents.pop(0),), fired), game
        else:
            yield Step(tuple(_by_seat(game, before)), (), fired), game
        before = fired


def _by_seat(game: Game, begin: int) -> Iterator[Volley]:
    """The volleys of a step: in one step no seat answers twice."""
    for seat, shots in groupby(game.shots[begin:], lambda shot: shot.seat):
        end = begin + len(list(shots))
        yield Volley(seat, begin, end)
        begin = end


def volleys(
    rules: Rules, fleets: Sequence[Fleet | None], shots: Iterable[AnyShot]
) -> Iterator[Volley]:
    """The volleys of a game, without playing it again; a seat without a fleet has placed none.

    The record must be sound: how many shots were due is worked out from the ships that they sank.
    """
    afloat = [list(rules.lengths) if fleet else [] for fleet in fleets]
    lengths = [
        {cell: ship.length for ship in fleet or () for cell in ship.cells} for fleet in fleets
    ]
    cells = rules.columns * rules.rows
    fresh = [cells if fleet else 0 for fleet in fleets]
    begin, left, up = 0, 0, -1
    for number, shot in enumerate(shots):
        if not left:
            begin, up = number, shot.seat
            others = sum(fresh) - fresh[up]
            left = rules.volley(afloat[up], others) if rules.turn is Turn.SALVO else 1
        if shot.result is not Result.REPEAT:
            fresh[shot.target] -= 1
        sunk = lengths[shot.target].get(shot.cell) if shot.result is Result.SUNK else None
        if sunk is not None:
            afloat[shot.target].remove(sunk)
        left -= 1
        if not left:
            yield Volley(up, begin, number + 1)


def volleys_of(record: GameRecord) -> Iterator[Volley]:
    """The volleys of a sound record."""
    return volleys(record.rules, [seat.fleet for seat in record.seats], record.shots)
