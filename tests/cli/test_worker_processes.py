"""Worker processes: judge/cli/contests/worker_processes.py."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from multiprocessing import resource_tracker
from pathlib import Path

import pytest

from child_processes import children
from judge.cli.contests.worker_processes import processes
from judge.contest.ledger.verify import verify
from judge.errors import (
    BotChanged,
    HeldUp,
    JudgeFault,
    Starved,
    TooManyReferences,
    WorkersDied,
)
from judge.signals import STOPPING
from ledgers import fill

WORKING = """\
import os, signal, sys
from judge.cli.contests.worker_processes import processes

if __name__ == "__main__":
    with processes(2) as pool:
        print(*{pool.submit(os.getpid).result() for _ in range(20)}, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
"""


HEARS = """\
import signal
print(*map(signal.getsignal, range(1, 16)), signal.pthread_sigmask(signal.SIG_BLOCK, []))
"""


@pytest.fixture(autouse=True)
def tidiness() -> Iterator[None]:
    """No child of this process is left: the tracker that multiprocessing starts with the first
    worker would live for as long as this process, which goes on to other tests."""
    others = children()
    yield
    resource_tracker._resource_tracker._stop()
    assert children() <= others


def test_workers_judge_as_one_process_does(tmp_path: Path) -> None:
    """The findings of verify are the same with worker processes."""
    path = fill(tmp_path / "ledger.json", 1, 2, 3, 4)
    with processes(2) as pool:
        assert verify(path, pool=pool) == verify(path)


def test_a_worker_that_is_killed_is_said() -> None:
    """By the system, mostly, when memory is short: a sentence, and no bug of the judge."""
    with pytest.raises(JudgeFault, match="has ended"), processes(1) as pool:
        pool.submit(os.kill, pool.submit(os.getpid).result(), signal.SIGKILL).result()


@pytest.mark.parametrize(
    "fault",
    [
        HeldUp(),
        Starved(900, 2000),
        TooManyReferences(),
        WorkersDied("tcp://w"),
        BotChanged("a", "b"),
    ],
    ids=lambda fault: type(fault).__name__,
)
def test_a_fault_that_a_worker_raises_is_the_same_here(fault: JudgeFault) -> None:
    """So that the judge plays the games of a busy machine again, and its words are whole."""
    told = pickle.loads(pickle.dumps(fault))
    assert (type(told), str(told), told.args) == (type(fault), str(fault), fault.args)


def test_the_others_end_with_a_worker_that_is_killed() -> None:
    """At once, whatever they are at."""

    def outlived(pool: Executor) -> None:
        busy = pool.submit(time.sleep, 1000)
        os.kill(pool.submit(os.getpid).result(), signal.SIGKILL)
        busy.result()

    with pytest.raises(JudgeFault, match="has ended"), processes(2) as pool:
        outlived(pool)


def test_no_worker_is_left_where_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge does not wait for a worker that nobody would end."""

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(RuntimeError, match="new thread"), processes(1):
        pass
    for worker in multiprocessing.active_children():
        worker.join(10)
    assert not multiprocessing.active_children()


def test_workers_leave_signals_to_the_judge() -> None:
    """A terminal sends them to all, and the judge says how the work ends. A program that a worker
    starts hears them as any other."""
    with processes(1) as pool:
        for number in STOPPING:
            os.kill(pool.submit(os.getpid).result(), number)
        show = [sys.executable, "-c", HEARS]
        heard = pool.submit(subprocess.check_output, show, text=True).result()
    assert heard == subprocess.check_output(show, text=True)


def test_workers_end_with_a_judge_that_is_killed(tmp_path: Path) -> None:
    """A judge that was killed leaves no worker: the pipe that they inherited closes."""
    script = tmp_path / "working.py"
    script.write_text(WORKING)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    # Its stdout is a worker's, too: it ends when all of them have ended.
    done = subprocess.run(
        [sys.executable, script], env=environment, stdout=subprocess.PIPE, text=True, timeout=60
    )
    assert done.returncode == -signal.SIGKILL
    assert done.stdout.split()
