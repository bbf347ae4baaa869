"""A program at a table, which takes its time: what it is told meanwhile, and when it is not heard
any more."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from queue import SimpleQueue

import pytest

from changes import replace
from judge.documents.game import Limits
from judge.documents.rules import Orientation, Ship
from judge.errors import BotError
from judge.game.events import FleetPlaced, View
from judge.game.variants import XBS
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import Bot, find
from judge.process.run.connection import Connection, Script
from judge.serve.bot_seat import MOST_UNREAD_LINES, BotSeat
from judge.wire.messages import (
    AskFleet,
    AskShots,
    Chat,
    FromPlayer,
    GameStart,
    MatchStart,
    Placed,
    Said,
    Skipped,
    Told,
)

PATIENCE = 60.0
RULES = replace(XBS, columns=8, rows=8, fleet=(3, 2), points=2)
ACROSS = Orientation.HORIZONTAL
FLEET = (Ship(3, 0, 0, ACROSS), Ship(2, 0, 1, ACROSS))
BOARD = b"AAA.....BB......" + 48 * b"."
NAMES = ("bob", "ann")
ASKED = AskShots(View(0, 2, 0, RULES, FLEET, (), 1, 0, (True, True)))


class Thinking(Script):
    """A program that says what the test has it say, when that comes."""

    def __init__(self) -> None:
        super().__init__(lambda _: b"")
        self.sent = b""
        self.words: SimpleQueue[bytes] = SimpleQueue()

    def send(self, data: bytes) -> None:
        self.sent += data

    def receive(self, deadline: float) -> bytes:
        return self.words.get(timeout=max(0.0, deadline - time.monotonic()))


@dataclass
class Sitting:
    """A seat, its program, and what has been heard of it."""

    seat: BotSeat
    program: Thinking
    heard: list[FromPlayer | BotError]
    sits: bool = True

    def stand_up(self) -> None:
        self.seat.stand_up(60_000, lambda: None)
        self.sits = False

    async def until(self, what: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not what():
                await asyncio.sleep(0.001)

    def told(self) -> int:
        """How often the program has been told what somebody said."""
        return self.program.sent.count(b"M|ann|")


@asynccontextmanager
async def sitting() -> AsyncIterator[Sitting]:
    """A program that is up in a game of two."""
    program = Thinking()

    def connect(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
        return program

    bot = find("bob=xbs-hunt")
    with Run(Conditions(rules=RULES, limits=Limits(timeout_ms=60_000)), [bot], connect) as run:
        heard: list[FromPlayer | BotError] = []
        seat = BotSeat(
            run,
            bot,
            0,
            seed=7,
            rules=RULES,
            seats=2,
            heard=lambda _seat, answer, _ms: heard.append(answer),
            failed=lambda error: pytest.fail(str(error)),
        )
        one = Sitting(seat, program, heard)
        seat.tell(MatchStart(0, NAMES, RULES, 1))
        seat.tell(GameStart(0, NAMES, RULES, 7, None, 0))
        program.words.put(b"I|Bob's bot|1.0|bob\nJ|bob|%b\n" % BOARD)
        seat.ask(AskFleet(), 60_000)
        await one.until(lambda: heard == [Placed(FLEET)])
        heard.clear()
        seat.tell(Told((FleetPlaced(0), FleetPlaced(1)), (0,)))
        seat.ask(ASKED, 60_000)
        yield one
        if one.sits:
            one.stand_up()
        program.words.put(b"")


def test_a_program_that_thinks_is_told_no_end_of_words() -> None:
    """A bounded number of others' words waits for a program while it thinks, however much they say;
    and once it has answered, it is told words again."""

    async def play() -> None:
        async with sitting() as one:
            for _ in range(10 * MOST_UNREAD_LINES):
                one.seat.tell(Chat(1, "x" * 4000, is_private=False))
            one.program.words.put(b"K\n")
            await one.until(lambda: one.heard == [Skipped()])
            one.seat.tell(Chat(1, "now", is_private=False))
            one.seat.ask(ASKED, 60_000)
            await one.until(lambda: b"M|ann|now|" in one.program.sent)
            assert one.told() == MOST_UNREAD_LINES + 1
            one.program.words.put(b"K\n")
            await one.until(lambda: len(one.heard) == 2)

    asyncio.run(play())


def test_who_has_stood_up_is_heard_no_more() -> None:
    """The words of a program after the end of its game are not words in the next one."""

    async def play() -> None:
        async with sitting() as one:
            one.program.words.put(b"M||hello\n")
            await one.until(lambda: one.heard == [Said("hello")])
            one.stand_up()
            one.program.words.put(b"M||still here\nK\n")
            await one.until(lambda: b"Q\n" in one.program.sent)
            await asyncio.sleep(0)
            assert one.heard == [Said("hello")]

    asyncio.run(play())
