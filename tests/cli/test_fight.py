"""judge fight, as a user meets it: real processes, real signals, real output."""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import threading
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from changes import replace
from child_processes import children, is_running
from commands import ROOT, judge_at, judge_in, started
from judge.contest.schedule import Fight, First
from judge.contest.threads import playing
from judge.contest.window import Fault
from judge.game.variants import BRAINJAR
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import find_all
from judge.process.sandbox.isolation import choose

HOSTILE = ROOT / "tests" / "hostile"
PLAYS = str(HOSTILE / "plays.sh")


judge = partial(judge_at, ROOT, JUDGE_NO_LEDGER="1")


def test_an_unrated_fight_keeps_nothing(tmp_path: Path) -> None:
    """`--no-ledger` leaves no file behind and speaks of no points."""
    done = judge_in(tmp_path, "fight", PLAYS, PLAYS, "--no-ledger", "--json", "--quiet")
    assert [bot["points_after"] for bot in json.loads(done.stdout)["bots"]] == [None, None]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_a_signal_ends_it_at_once_and_leaves_nothing(
    number: signal.Signals, tmp_path: Path
) -> None:
    """Stopped in the middle of a move: exit 130, one line, and no bot is left."""
    os.mkfifo(tmp_path / "pids")
    bot = tmp_path / "bot.sh"
    bot.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pids\nexec sleep 1000\n")
    bot.chmod(0o755)
    fight = started(
        ROOT,
        *("fight", str(bot), str(bot), "--games", "4", "--timeout", "10min"),
        *("--isolation", "limits", "--quiet"),
        JUDGE_NO_LEDGER="1",
    )
    with (tmp_path / "pids").open() as pids:
        pid = int(pids.readline())
    fight.send_signal(number)
    out, err = fight.communicate(timeout=60)
    assert fight.returncode == 130
    assert out == ""
    said, how = err.splitlines()
    assert said == "judge: interrupted before the first game was over."
    assert re.match(r"Do it again: judge fight .* --seed [0-9a-z]+$", how)
    assert not is_running(pid)


SHORT = replace(BRAINJAR, name="short", columns=4, fleet=(2,))


def short_games(count: int, between: Callable[[int], Any]) -> None:
    bots = find_all([PLAYS, PLAYS])
    conditions = Conditions(rules=SHORT, dialect="readme", isolation=choose("limits")[0])
    with playing(Fight(count, 1, First.ALTERNATE), bots, Run(conditions, bots), jobs=2) as results:
        for number, result in enumerate(results, 1):
            assert not isinstance(result, Fault)
            between(number)


def open_descriptors() -> set[str]:
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def test_fifty_games_leave_nothing_behind() -> None:
    """No process, descriptor or thread outlives its game, and memory stays flat."""
    memory: dict[int, int] = {}

    def measure(number: int) -> None:
        if number in (20, 50):
            gc.collect()
            memory[number] = tracemalloc.get_traced_memory()[0]

    short_games(2, lambda _: None)  # what is loaded once is loaded now
    # Other tests of this worker may have left some, and may end them meanwhile.
    descriptors, threads, others = open_descriptors(), {*threading.enumerate()}, children()
    tracemalloc.start()
    try:
        short_games(50, measure)
    finally:
        tracemalloc.stop()
    assert open_descriptors() <= descriptors
    assert {*threading.enumerate()} <= threads
    assert children() <= others
    assert memory[50] - memory[20] < 25_000
