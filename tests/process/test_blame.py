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
from judge.process.sandbox.isolation import Isolation, choose
from needs import need
from spinning import SPINS, busy

PROCESSOR = min(os.sched_getaffinity(0))
LIMITS = Limits(timeout_ms=3000)  # a start takes no quarter of it, on whatever machine

# Programs that are late by themselves.
SLEEPS = "import time; time.sleep(60)"
READS = "import os; os.read(os.pipe()[0], 1)"

pytestmark = [pytest.mark.whole, pytest.mark.usefixtures("verdict")]


@pytest.fixture(params=["bwrap", "limits"])
def isolation(request: pytest.FixtureRequest) -> Isolation:
    if request.param == "bwrap":
        need("bwrap")
    return choose(request.param)[0]


def started(program: str, folder: Path, *, fork: bool = False) -> Start:
    path = folder / "bot.py"
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


def run(isolation: Isolation, start: Start) -> RunEnd:
    """How a program ends that is run for one answer."""
    with (
        contextlib.closing(Stop()) as stop,
        contextlib.closing(isolation.launcher(start, stop)) as launcher,
    ):
        return launcher.run("question").ended


def ask(isolation: Isolation, start: Start) -> bytes:
    """The answer of a program that lives for a match."""
    with (
        contextlib.closing(Stop()) as stop,
        contextlib.closing(LauncherPool(stop)) as launchers,
        contextlib.closing(
            Pipes(start, isolation, launchers, stop, luck={}, workplace=None)
        ) as player,
    ):
        player.open()
        player.expect()
        player.send(b"question\n")
        return player.receive(time.monotonic() + LIMITS.timeout_ms / 1000)


def test_the_machine_is_late_with_a_move(isolation: Isolation, tmp_path: Path) -> None:
    """A bot that others keep off its processor is not blamed, executed or forked."""
    starts = [started(SPINS, tmp_path, fork=fork) for fork in (False, True)]
    with busy(PROCESSOR), ThreadPoolExecutor(2) as both:
        for late in [both.submit(run, isolation, start) for start in starts]:
            with pytest.raises(MachineBusy):
                late.result()


def test_a_bot_is_late_with_a_move(isolation: Isolation, tmp_path: Path) -> None:
    """A bot that waits for something else than its processor is, though that is busy."""
    starts = []
    for program, fork in ((SLEEPS, False), (READS, True)):
        folder = tmp_path / f"{fork}"
        folder.mkdir()
        starts.append(started(program, folder, fork=fork))
    with busy(PROCESSOR), ThreadPoolExecutor(2) as both:
        ends = [*both.map(run, [isolation] * 2, starts)]
    assert ends == [RunEnd.TIMED_OUT] * 2


def test_a_player_that_lives_on_is_judged_alike(isolation: Isolation, tmp_path: Path) -> None:
    """The machine is late if others keep the player off its processor, and else the player."""
    with busy(PROCESSOR):
        with pytest.raises(MachineBusy):
            ask(isolation, started(SPINS, tmp_path))
        with pytest.raises(TimedOut):
            ask(isolation, started(SLEEPS, tmp_path))
