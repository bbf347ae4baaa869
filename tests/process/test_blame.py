"""The blame for a late answer, by every way in which bots are run."""

from __future__ import annotations

import contextlib
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from judge.documents.game import Limits
from judge.errors import MachineBusy, TimedOut
from judge.process.bots.bot import find
from judge.process.run.launch import Start
from judge.process.run.launcher_pool import LauncherPool
from judge.process.run.listening import RunEnd, Stop
from judge.process.run.pipes import Pipes
from judge.process.sandbox.isolation import Isolation
from needs import held_by
from spinning import SPINS, busy

PROCESSOR = min(os.sched_getaffinity(0))
LIMITS = Limits(timeout_ms=3000)  # a start takes no quarter of it, on whatever machine

# Programs that are late by themselves.
SLEEPS = "import time; time.sleep(60)"
READS = "import os; os.read(os.pipe()[0], 1)"

pytestmark = [pytest.mark.whole, pytest.mark.usefixtures("verdict")]


@pytest.fixture(scope="module")
def isolations() -> tuple[Isolation, ...]:
    return tuple(map(held_by, ("bwrap", "limits")))


def started(program: str, folder: Path, *, fork: bool) -> Start:
    path = folder / f"{fork}.py"
    path.write_text(program)
    bot = find(str(path))
    return Start(
        bot,
        {"PATH": bot.path},
        LIMITS,
        fork=fork,
        life_seconds=0 if fork else 60,
        processors=frozenset({PROCESSOR}),
    )


def run(isolation: Isolation, start: Start) -> None:
    """Run a program for one answer. Raises `TimedOut` if it is late by itself."""
    with (
        contextlib.closing(Stop()) as stop,
        contextlib.closing(isolation.launcher(start, stop)) as launcher,
    ):
        if launcher.run("question").ended is RunEnd.TIMED_OUT:
            raise TimedOut("it is late")


def ask(isolation: Isolation, start: Start) -> None:
    """Wait for an answer of a program that lives for a match."""
    with (
        contextlib.closing(Stop()) as stop,
        contextlib.closing(LauncherPool(stop)) as launchers,
        contextlib.closing(
            Pipes(
                start,
                isolation,
                launchers.lent(isolation, start, {}),
                stop,
                luck={},
                workplace=None,
            )
        ) as player,
    ):
        player.open()
        player.expect()
        player.send(b"question\n")
        player.receive(time.monotonic() + LIMITS.timeout_ms / 1000)


def late(
    program: str, forked: str, isolations: tuple[Isolation, ...], folder: Path
) -> list[BaseException | None]:
    """The ends of a program on a busy processor, executed and alive for a match, and of another one that
    is forked, at each level. All run at once, for each of them takes the whole of its time."""
    own, other = started(program, folder, fork=False), started(forked, folder, fork=True)
    ways = ((run, own), (ask, own), (run, other))
    jobs = [(way, isolation, start) for isolation in isolations for way, start in ways]
    with busy(PROCESSOR), ThreadPoolExecutor(len(jobs)) as pool:
        ended = [pool.submit(*job) for job in jobs]
    return [end.exception() for end in ended]


def test_the_machine_is_late(isolations: tuple[Isolation, ...], tmp_path: Path) -> None:
    """A bot that others keep off its processor is not blamed."""
    for end in late(SPINS, SPINS, isolations, tmp_path):
        assert isinstance(end, MachineBusy)


def test_a_bot_is_late(isolations: tuple[Isolation, ...], tmp_path: Path) -> None:
    """A bot that waits for something else than its processor is blamed, though that is busy."""
    for end in late(SLEEPS, READS, isolations, tmp_path):
        assert isinstance(end, TimedOut)
