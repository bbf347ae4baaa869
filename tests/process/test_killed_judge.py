"""A judge that is killed while its sandbox starts, in a move, or between two games: nothing of that is
left."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from bundled import BOTS
from child_processes import children
from commands import ROOT
from marked_bots import running
from needs import need

KILLED = """\
import sys, time
from dataclasses import replace
from judge.documents.game import Limits
from judge.game.variants import BRAINJAR
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import find
from judge.process.sandbox.isolation import choose

bot = find(sys.argv[1])
bot = replace(bot, path=f"{bot.path}:/nowhere/{sys.argv[2]}")
conditions = Conditions(
    rules=BRAINJAR, launch=sys.argv[3], isolation=choose("bwrap")[0],
    limits=Limits(timeout_ms=600_000),
)
with Run(conditions) as run:
    run.place(bot, 1)
    print("idle", flush=True)
    time.sleep(600)
"""
LEAVES = """\
import subprocess
subprocess.Popen(["sleep", "1000"], start_new_session=True)
subprocess.run(["sleep", "1000"])
"""

pytestmark = pytest.mark.parametrize("launch", ["exec", "fork"])


def started(bot: Path, mark: int, launch: str) -> subprocess.Popen[bytes]:
    need("bwrap")
    return subprocess.Popen(
        [sys.executable, "-c", KILLED, str(bot), str(mark), launch],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    )


def wait_for(judge: subprocess.Popen[bytes], is_there: Callable[[], bool]) -> None:
    while not is_there():
        assert judge.poll() is None
        time.sleep(0.001)


def killed(judge: subprocess.Popen[bytes], mark: int, seconds: float) -> list[int]:
    """The processes that are left this many seconds after its end, which are killed then."""
    judge.kill()
    judge.communicate()
    deadline = time.monotonic() + seconds
    while (left := running(mark)) and time.monotonic() < deadline:
        time.sleep(0.01)
    for process in left:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    return left


def test_nothing_waits_for_a_judge_that_was_killed_before_it_gave_leave(
    launch: str, tmp_path: Path
) -> None:
    """Bubblewrap has two halves by then. Run by root, it waits for the judge, which is stopped, so
    that it is killed at that instant."""
    (bot := tmp_path / "bot.py").write_text("")
    mark = secrets.randbits(62)
    judge = started(bot, mark, launch)

    def has_two_halves() -> bool:
        for half in children(judge.pid):
            with suppress(OSError):  # it has just ended
                if f"/nowhere/{mark}\0".encode() in Path(f"/proc/{half}/environ").read_bytes():
                    judge.send_signal(signal.SIGSTOP)
                    return bool(children(half))
        return False

    wait_for(judge, has_two_halves)
    assert killed(judge, mark, 5) == []


def test_nothing_of_a_bot_outlives_a_judge_that_was_killed(launch: str, tmp_path: Path) -> None:
    """After a SIGKILL to the judge, in a move, a bot and its daemons are gone within a second."""
    (bot := tmp_path / "bot.py").write_text(LEAVES)
    mark = secrets.randbits(62)
    judge = started(bot, mark, launch)
    # At least bwrap, a fork server, an init, the bot and two sleeps.
    wait_for(judge, lambda: len(running(mark)) >= 6)
    assert killed(judge, mark, 1) == []


def test_kept_between_games_nothing_outlives_a_judge_that_was_killed(launch: str) -> None:
    """While no game is under way the fork servers are there, and after the SIGKILL gone."""
    mark = secrets.randbits(62)
    judge = started(BOTS / "random" / "bot.py", mark, launch)
    assert judge.stdout is not None
    assert judge.stdout.readline() == b"idle\n"
    assert len(running(mark)) > 2
    assert killed(judge, mark, 5) == []
