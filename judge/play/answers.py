"""Applies a player's answer to the game, if the answer fits the question and the rules."""

from __future__ import annotations

from judge.documents.rules import Ship
from judge.errors import BadOutput, IllegalFleet, IllegalMove
from judge.game.events import Event
from judge.game.game import Game
from judge.wire import messages
from judge.wire.messages import Answer, AskFleet, AskName, AskShip, AskShots, Question


def apply(
    game: Game, ships: list[Ship], seat: int, said: Answer, question: Question
) -> tuple[Event, ...]:
    """Apply the answer of a seat to the game, and return the events. Raises `BotError`, with
    nothing changed, if the answer does not fit the question or the rules.

    ``ships`` are the ships that the seat has placed so far, if fleets are placed ship by ship. A
    legal new ship is added to ``ships``, and not yet to the game.
    """
    if isinstance(said, messages.Fired) and isinstance(question, AskShots):
        return game.shoot(seat, said.targets)
    match said, question:
        case messages.Placed(fleet), AskFleet():
            return game.place(seat, fleet)
        case messages.PlacedShip(ship), AskShip(length):
            if ship.length != length:
                raise IllegalFleet(
                    f"placed a ship of {ship.length} where one of {length} is asked for"
                )
            game.rules.check_ship(ship, ships)
            ships.append(ship)
            return ()
        case messages.Skipped(), AskShots(view):
            if not view.rules.may_skip:  # though the game's own rules may let the seat skip
                raise IllegalMove(f"a turn cannot be skipped in {view.rules.name}")
            return game.skip(seat)
    raise no_answer(said, question)


def no_answer(said: Answer, question: Question) -> BadOutput:
    """The fault of an answer that does not fit its question."""
    return BadOutput(
        f"{_WORDS[type(said)]} is not a reply to a question for {_WORDS[type(question)]}"
    )


_WORDS = {
    messages.Placed: "a fleet",
    messages.PlacedShip: "one ship",
    messages.Fired: "a shot",
    messages.Skipped: "a skipped turn",
    AskName: "its name",
    AskFleet: "a fleet",
    AskShip: "one ship",
    AskShots: "a shot",
}
