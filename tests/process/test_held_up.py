"""A judge that is itself held up while it waits for an answer: nobody's loss."""

from __future__ import annotations

import contextlib
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from judge.game.limits import Limits
from judge.process.run import listening
from judge.process.run.launch import run
from judge.process.run.listening import HELD_UP_SECONDS, RunEnd, Stop, Waits

ROOT = Path(__file__).parents[2]

# In its first process it stops the judge once that waits for it, has it go on after its time is up,
# and never answers.
STOPS = """\
#!/bin/sh
if mkdir {folder}/done 2>/dev/null; then
    sleep 1
    kill -STOP $PPID
    sleep 7
    kill -CONT $PPID
    exec sleep 60
fi
"""
PLAYS = (ROOT / "tests" / "hostile" / "plays.sh").read_text()


@pytest.mark.parametrize(
    ("back", "were_late"),
    [(0.1, False), (2.0, False), (2.0 + HELD_UP_SECONDS, False), (3.6, True)],
)
def test_a_wait_that_ends_far_too_late_is_the_judges(back: float, were_late: bool) -> None:
    """A wait may end before it has to, or a little after; and what was late stays late."""
    waits = Waits(0.0)
    waits.end(0.0)
    waits.begin(0.0, 2.0)
    waits.end(back)
    assert waits.were_late is were_late
    waits.begin(back, 1.0)
    waits.end(back + 0.5)
    assert waits.were_late is were_late


def test_a_judge_that_begins_to_wait_too_late_was_held_up() -> None:
    """The time of a program runs before the first wait for it."""
    waits = Waits(10.0)
    waits.end(10.0 + HELD_UP_SECONDS + 0.1)
    assert waits.were_late


class SlowLook:
    """A look for which the judge's thread computes longer than it may come back late, by the clocks
    of `listening`, which it stands in for."""

    due = 0.0

    def __init__(self) -> None:
        self._computed = 0.0

    def look(self, now: float) -> None:
        self._computed += HELD_UP_SECONDS + 0.2
        self.due = math.inf

    def monotonic(self) -> float:
        return time.monotonic() + self._computed

    def thread_time(self) -> float:
        return time.thread_time() + self._computed


def test_looks_that_take_long_are_not_the_judges_excuse(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A bot can make looks at its processes slow, and is late by its own fault nevertheless."""
    look = SlowLook()
    monkeypatch.setattr(listening, "time", look)
    with contextlib.closing(Stop()) as stop:
        done = run(
            ["/bin/sleep", "60"],
            folder=tmp_path,
            environment={},
            limits=Limits(timeout_ms=1500),
            stop=stop,
            lookout=look,
        )
    assert done.ended is RunEnd.TIMED_OUT


@pytest.mark.parametrize("wire", ["brainjar", "xbs"])
def test_a_game_in_which_the_judge_was_stopped_is_played_again(tmp_path: Path, wire: str) -> None:
    """The bot did not answer in time, and neither did the judge look in time: no time-out is told of
    it, whether it is a process a move or lives for the game."""
    bot = tmp_path / "bot.sh"
    head = STOPS.format(folder=tmp_path)
    if wire == "xbs":
        player = ROOT / "bots" / "xbs-hunt" / "bot.py"
        bot.write_text(f"{head}exec {sys.executable} {player}\n")
    else:
        bot.write_text(head + PLAYS.partition("\n")[2])
    bot.chmod(0o755)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "judge", "fight", f"one={bot}@{wire}", f"two={bot}@{wire}"),
            *("--seed", "1", "--timeout", "5s", "--isolation", "none", "--no-ledger", "--json"),
            *("--rules", wire),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert (tmp_path / "done").exists(), "the judge has been stopped"
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["faults"] == []
    (record,) = report["records"]
    assert record["asides"] == []
    assert record["outcome"]["winner"] is not None
