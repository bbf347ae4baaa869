"""Scripted players: direct ones, and ones behind a wire and a `channel.Script`."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

from judge.errors import BadOutput, Crashed, IllegalFleet, IllegalMove, TimedOut
from judge.game.events import Target, View
from judge.game.record import Evidence
from judge.game.rules import Cell, Fleet, Rules
from judge.play.player import BotPlayer
from judge.process.channel import Script
from judge.wire.brainjar import Brainjar, fleet_reply, move_reply
from judge.wire.messages import (
    AskFleet,
    Fired,
    FromBot,
    Placed,
    Refused,
    Resigned,
    Skipped,
    ToBot,
)
from strategies import board, some_fleet

FAULTS = (BadOutput, IllegalFleet, IllegalMove, TimedOut, Crashed)


class Scripted:
    """A player who answers by a function of the question, and keeps what it was asked."""

    digest = None
    seed = 0

    def __init__(
        self,
        answer: Callable[[ToBot], FromBot],
        name: str = "scripted",
        evidence: Evidence | None = None,
    ) -> None:
        self.name = name
        self.asked: list[ToBot] = []
        self._answer = answer
        self._evidence = evidence

    @property
    def milliseconds(self) -> float:
        return 0.25 * len(self.asked)

    def ask(self, message: ToBot) -> FromBot:
        self.asked.append(message)
        return self._answer(message)

    def evidence(self, seat: int) -> Evidence | None:
        return self._evidence


def volley(view: View, rng: Random) -> Fired:
    """As many shots as are due, at fresh cells of those who are present while there are any."""
    shot_at = {Target(shot.target, shot.cell) for shot in view.shots}
    others = [seat for seat in range(view.players) if seat != view.seat]
    cells = [Target(seat, cell) for seat in others for cell in board(view.rules)]
    rng.shuffle(cells)
    cells.sort(key=lambda one: (one in shot_at, not view.present[one.seat]))
    return Fired(tuple(cells[: view.due]))


def by_luck(rules: Rules, rng: Random, slips: float = 0.0) -> Callable[[ToBot], FromBot]:
    """Answers at random; now and then, with the chance ``slips``, one that is wrong or gives up."""
    fleet = some_fleet(rules, rng)
    question: ToBot = AskFleet()

    def answer(message: ToBot) -> FromBot:
        nonlocal question
        if isinstance(message, Refused):
            slip = 0.5
        else:
            question, slip = message, slips
        if rng.random() < slip:
            return astray(rng)
        return Placed(fleet) if isinstance(question, AskFleet) else volley(question.view, rng)

    def astray(rng: Random) -> FromBot:
        if rng.random() < 0.5:
            raise rng.choice(FAULTS)("a slip")
        if isinstance(question, AskFleet):
            return rng.choice([Placed(fleet[1:]), Placed(fleet), Resigned()])
        if rng.random() < 0.5:
            return rng.choice([Skipped(), Skipped(), Resigned()])
        targets = [Target(seat, cell) for seat in range(-1, 5) for cell in board(rules)]
        return Fired(tuple(rng.choices(targets, k=question.view.due)))

    return answer


def telling(fleet: Fleet, cells: list[Cell]) -> Callable[[bytes], bytes]:
    """A brainjar program that places this fleet and shoots at these cells, one after another."""
    rest = iter(cells)

    def answer(data: bytes) -> bytes:
        asked = json.loads(data)
        reply = fleet_reply(fleet) if asked["cmd"] == "init" else move_reply(next(rest))
        return json.dumps(reply).encode()

    return answer


def bot(
    answer: Callable[[bytes], bytes],
    rules: Rules,
    seat: int,
    *,
    dialect: str = "readme",
    name: str = "bot",
) -> BotPlayer:
    """A player behind the brainjar wire whose program is this function."""
    return BotPlayer(name, None, 7 + seat, Brainjar(rules, seat, dialect), Script(answer))
