"""A judge that is itself held up while it waits for an answer: nobody's loss."""

from __future__ import annotations

import contextlib
import json
import math
import select
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot_files import script
from commands import ROOT, judge_in
from judge.documents.game import Limits
from judge.errors import TimedOut
from judge.process.bots.bot import find
from judge.process.run import channel, exchange_log, listening, pipes
from judge.process.run.launch import Start
from judge.process.run.launcher_pool import LauncherPool
from judge.process.run.listening import HELD_UP_SECONDS, RunEnd, Stop, Waits
from judge.process.run.pipes import Pipes
from judge.process.sandbox.isolation import choose
from launching import run

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


def test_looks_that_take_long_are_not_the_judges_excuse(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot can make looks at its processes slow, and is late by its own fault nevertheless."""
    look = SlowLook()
    monkeypatch.setattr(listening, "time", look)
    done = run("/bin/sleep", "60", limits=Limits(timeout_ms=1500), lookout=look)
    assert done.ended is RunEnd.TIMED_OUT


class SlowCall:
    """A call on a bot's pipe that the bot keeps for three seconds, by the clocks of the modules
    that it stands in for."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call
        self._kept = 0.0

    def __call__(self, *arguments: Any) -> Any:
        done = self._call(*arguments)
        self._kept += 3 if done else 0
        return done

    def monotonic(self) -> float:
        return time.monotonic() + self._kept

    thread_time = staticmethod(time.thread_time)


@pytest.mark.parametrize("then", ["exec sleep 60", "exit"])
def test_a_read_that_takes_long_is_not_the_judges_excuse(
    monkeypatch: pytest.MonkeyPatch, then: str
) -> None:
    """A bot that keeps its end of a pipe while it writes is late when its time is up meanwhile,
    though it may have exited before the judge goes on."""

    def read(*arguments: int) -> bytes | None:
        if data := listening_read(*arguments):
            time.sleep(0.5)  # until it has exited
        return data

    listening_read = listening.read_now
    slow = SlowCall(read)
    monkeypatch.setattr(listening, "read_now", slow)
    monkeypatch.setattr(listening, "time", slow)
    script = f"echo x >&2; sleep 0.1; {then}"
    done = run("/bin/sh", "-c", script, limits=Limits(timeout_ms=1500))
    assert done.ended is RunEnd.TIMED_OUT


@pytest.mark.parametrize("call", ["read", "write"])
def test_a_player_that_keeps_the_judge_in_a_call_is_late(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, call: str
) -> None:
    """So is a player that lives on, and an answer that comes of such a call is not in time."""
    bot = find(script(tmp_path / "player.sh", "while read line; do echo answer; done"))
    start = Start(bot, {"PATH": bot.path}, Limits(timeout_ms=2000), life_seconds=60)
    with contextlib.ExitStack() as stack:
        stop = stack.enter_context(contextlib.closing(Stop()))
        launchers = stack.enter_context(contextlib.closing(LauncherPool(stop)))
        isolation = choose("none")[0]
        lent = launchers.lent(isolation, start, {})
        player = Pipes(start, isolation, lent, stop, luck={}, workplace=None)
        stack.enter_context(contextlib.closing(player))
        slow = SlowCall(channel.read_now if call == "read" else player._write)
        if call == "read":
            monkeypatch.setattr(channel, "read_now", slow)
        else:
            monkeypatch.setattr(player, "_write", slow)
        for module in (pipes, channel, exchange_log):
            monkeypatch.setattr(module, "time", slow)
        player.expect()
        deadline = slow.monotonic() + 2
        player.send(b"question\n")
        select.select([player._from_it], [], [])  # the answer is there
        with pytest.raises(TimedOut):
            player.receive(deadline)


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
    done = judge_in(
        tmp_path,
        *("fight", f"one={bot}@{wire}", f"two={bot}@{wire}", "--rules", wire, "--seed", "1"),
        *("--timeout", "5s", "--isolation", "none", "--no-ledger", "--json"),
    )
    assert (tmp_path / "done").exists(), "the judge has been stopped"
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["faults"] == []
    (record,) = report["records"]
    assert record["incidents"] == []
    assert record["outcome"]["winner"] is not None
