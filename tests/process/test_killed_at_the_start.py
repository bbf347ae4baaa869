"""A judge that is killed while its sandbox starts: nothing of that is left waiting."""

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

from child_processes import children
from judge import schemas
from marked_bots import KILLED, running
from needs import need


def started(bot: Path, mark: int, launch: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", KILLED, str(bot), str(mark), launch],
        env=os.environ | {"PYTHONPATH": str(Path(schemas.__file__).parent.parent)},
    )


def wait_for(judge: subprocess.Popen[bytes], is_there: Callable[[], bool]) -> None:
    while not is_there():
        assert judge.poll() is None
        time.sleep(0.001)


def killed(judge: subprocess.Popen[bytes], mark: int, seconds: float) -> list[int]:
    """The processes that are left this many seconds after its end, which are killed then."""
    judge.kill()
    judge.wait()
    deadline = time.monotonic() + seconds
    while (left := running(mark)) and time.monotonic() < deadline:
        time.sleep(0.01)
    for process in left:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    return left


@pytest.mark.parametrize("launch", ["exec", "fork"])
def test_nothing_waits_for_a_judge_that_was_killed_before_it_gave_leave(
    launch: str, tmp_path: Path
) -> None:
    """Bubblewrap has two halves by then. Run by root, it waits for the judge, which is stopped, so
    that it is killed at that instant."""
    need("bwrap")
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
