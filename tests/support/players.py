"""Scripted players: direct ones, and ones behind a wire and a `connection.Script`; and real
programs, one process a question, without a run around them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from random import Random

from changes import replace
from judge.documents.game import Evidence, Limits, RecordedSeat
from judge.documents.rules import Cell, Fleet, Rules
from judge.errors import BadOutput, Crashed, IllegalFleet, IllegalMove, TimedOut
from judge.game.events import Target, View
from judge.game.variants import BRAINJAR
from judge.play.player import ProgramPlayer
from judge.process.bots.bot import Bot
from judge.process.run.connection import OneShot, Script
from judge.process.run.environment import variables
from judge.process.run.launch import Start
from judge.process.run.launcher_pool import LauncherPool
from judge.process.run.listening import Stop
from judge.process.sandbox.isolation import Isolation
from judge.testing import board
from judge.wire.brainjar import Brainjar, fleet_reply, move_reply
from judge.wire.messages import (
    AskFleet,
    AskShip,
    Farewell,
    Fired,
    FromPlayer,
    Left,
    Placed,
    PlacedShip,
    Question,
    Refused,
    Resigned,
    Skipped,
    ToPlayer,
)
from strategies import some_fleet

FAULTS = (BadOutput, IllegalFleet, IllegalMove, TimedOut, Crashed)


class Scripted:
    """A player who answers by a function of the question, and keeps what it was asked and told."""

    def __init__(
        self,
        answer: Callable[[Question], FromPlayer],
        name: str = "scripted",
        evidence: Evidence | None = None,
        **entry: str,
    ) -> None:
        self.entry = RecordedSeat.of(name, **entry)
        self.asked: list[Question] = []
        self.told: list[ToPlayer] = []
        self._answer = answer
        self._evidence = evidence

    @property
    def joins(self) -> bool:
        return False

    @property
    def milliseconds(self) -> float:
        return 0.25 * len(self.asked)

    def tell(self, message: ToPlayer) -> None:
        self.told.append(message)

    def ask(self, question: Question, timeout_ms: float | None) -> None:
        self.asked.append(question)

    def answer(self) -> FromPlayer:
        return self._answer(self.asked[-1])

    def evidence(self, seat: int) -> Evidence | None:
        return self._evidence

    def copied_wire(self) -> None:
        return None

    def part(self, timeout_ms: float | None) -> None:
        self.told.append(Farewell())

    def hear_out(self) -> None:
        pass

    def finish(self) -> None:
        pass

    def close(self) -> None:
        pass


def volley(view: View, rng: Random) -> Fired:
    """As many shots as are due, at fresh cells of those who are present while there are any."""
    shot_at = {Target(shot.target, shot.cell) for shot in view.shots}
    others = [seat for seat in range(view.players) if seat != view.seat]
    cells = [Target(seat, cell) for seat in others for cell in board(view.rules)]
    rng.shuffle(cells)
    cells.sort(key=lambda one: (one in shot_at, not view.present[one.seat]))
    return Fired(tuple(cells[: view.due]))


def by_luck(rules: Rules, rng: Random, slips: float = 0.0) -> Callable[[Question], FromPlayer]:
    """Answers at random; now and then, with the chance ``slips``, one that is wrong or gives up."""
    fleet = some_fleet(rules, rng)
    ships = iter(fleet)  # in the order in which they are asked for
    ship = fleet[0]
    question: Question = AskFleet()

    def answer(message: Question) -> FromPlayer:
        nonlocal question, ship
        if isinstance(message, Refused):
            slip = 0.5
        else:
            question, slip = message, slips
        if isinstance(message, AskShip):
            ship = next(ships)
        if rng.random() < slip:
            return astray(rng)
        match question:
            case AskFleet():
                return Placed(fleet)
            case AskShip():
                return PlacedShip(ship)
        return volley(question.view, rng)

    def astray(rng: Random) -> FromPlayer:
        if rng.random() < 0.5:
            raise rng.choice(FAULTS)("a slip")
        if isinstance(question, AskFleet):
            return rng.choice([Placed(fleet[1:]), Placed(fleet), Resigned(), Left()])
        if isinstance(question, AskShip):
            wrong = replace(ship, column=-1), replace(ship, length=ship.length + 1), fleet[0]
            return rng.choice([Placed(fleet), PlacedShip(rng.choice(wrong)), Resigned(), Left()])
        if rng.random() < 0.5:
            return rng.choice([Skipped(), Skipped(), Resigned(), Left()])
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
) -> ProgramPlayer:
    """A player behind the brainjar wire whose program is this function."""
    entry = RecordedSeat.of(name, seed=7 + seat, wire="brainjar", dialect=dialect)
    return ProgramPlayer(entry, Brainjar(rules, seat, dialect), Script(answer))


def one_shot(
    bot: Bot,
    launchers: LauncherPool,
    *,
    seed: int,
    limits: Limits,
    isolation: Isolation,
    fork: bool = False,
    rules: Rules = BRAINJAR,
) -> OneShot:
    """The connection that a run makes for a program that speaks brainjar."""
    environment = variables(bot.path, Brainjar.environment(rules))
    start = Start(bot, environment, limits, fork=fork)
    luck = Brainjar.luck(seed)
    return OneShot(start, luck, isolation, launchers.lent(isolation, start, luck))


@contextmanager
def alone(
    bot: Bot, stop: Stop, *, seed: int, limits: Limits, isolation: Isolation, fork: bool = False
) -> Iterator[OneShot]:
    """The same, with launchers of its own, which are closed with it."""
    with (
        closing(LauncherPool(stop)) as launchers,
        closing(
            one_shot(bot, launchers, seed=seed, limits=limits, isolation=isolation, fork=fork)
        ) as connection,
    ):
        yield connection
