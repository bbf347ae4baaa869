"""Claims: what one process of this machine has at a time."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge.errors import Interrupted, JudgeFault
from judge.process.run import claims
from judge.process.run.claims import alone_with
from judge.process.run.listening import Stop

ROOT = Path(__file__).parents[2]
SEED = 8_206_113_499  # of no other test
ANOTHER = f"""
import sys
from judge.process.run.claims import alone_with
from judge.process.run.listening import Stop
with alone_with({SEED}, ["b", "a"], Stop()):
    print("there", flush=True)
    sys.stdin.readline()
print("gone", flush=True)
"""


@contextlib.contextmanager
def another_judge() -> Iterator[subprocess.Popen[str]]:
    """Another process that has begun a game of the bots a and b."""
    other = subprocess.Popen(
        [sys.executable, "-c", ANOTHER],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout is not None
    assert other.stdin is not None
    with other:
        assert other.stdout.readline() == "there\n"
        yield other
        with contextlib.suppress(BrokenPipeError):
            other.stdin.close()


def test_a_game_waits_for_that_of_another_judge() -> None:
    """The same bots with the same seed begin when the other game is over; others do not wait."""
    events: list[str] = []
    with contextlib.closing(Stop()) as stop, another_judge() as other:
        for seed, digests in ((SEED + 1, ["a", "b"]), (SEED, ["a", "c"])):
            with alone_with(seed, digests, stop):
                events.append("another game")

        def play() -> None:
            with alone_with(SEED, ["a", "b"], stop):
                events.append(other.stdout.readline() if other.stdout else "")

        waiting = threading.Thread(target=play)
        waiting.start()
        waiting.join(0.3)
        assert waiting.is_alive()
        assert other.stdin is not None
        other.stdin.close()
        waiting.join(60)
    assert events == ["another game", "another game", "gone\n"]


def test_a_wait_for_another_judge_ends_by_a_stop_or_in_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ctrl-C ends it at once; and another judge may be stopped for good."""
    with contextlib.closing(Stop()) as stop, another_judge():
        monkeypatch.setattr(claims, "MOST_SECONDS", 0.0)
        with pytest.raises(JudgeFault, match="another judge"), alone_with(SEED, "ab", stop):
            pass
        monkeypatch.undo()
        stop.set()
        with pytest.raises(Interrupted), alone_with(SEED, "ab", stop):
            pass


def test_a_claim_ends_with_its_process() -> None:
    """A judge that is killed keeps nothing."""
    with contextlib.closing(Stop()) as stop:
        with another_judge() as other:
            other.kill()
        with alone_with(SEED, "ab", stop):
            pass
