"""Worker processes for work that needs a processor of its own."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from multiprocessing import resource_tracker

from judge.errors import Interrupted, JudgeFault
from judge.signals import STOPPING

ENDED = (
    "a process that worked for the judge has ended, perhaps for want of memory; --jobs 1 does "
    "without"
)


@contextlib.contextmanager
def processes(jobs: int) -> Iterator[Executor]:
    """Yield a pool of ``jobs`` fresh interpreters. When the context ends, tasks that have begun are
    finished and the others dropped; after a signal the interpreters are killed.

    Raises `JudgeFault` if an interpreter has ended by itself, as when it was killed.
    """
    fresh = multiprocessing.get_context("spawn")
    with nothing_imported_from_here(), contextlib.ExitStack() as opened:
        with signals_held_back():
            resource_tracker.ensure_running()
        pool = ProcessPoolExecutor(jobs, mp_context=fresh, initializer=be_a_worker)
        try:
            with signals_held_back():
                for _ in range(jobs):  # each starts a worker, since no worker can be idle yet
                    pool.submit(int)
        except BaseException:
            _kill_workers()  # perhaps the pool has no thread that would end them
            raise
        opened.enter_context(pool)
        try:
            yield pool
        except BrokenExecutor as error:
            _kill_workers()  # they leave the pool's SIGTERM to the judge, and may wait for the pool
            raise JudgeFault(ENDED) from error
        except Interrupted:
            _kill_workers()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def _kill_workers() -> None:
    for worker in multiprocessing.active_children():
        worker.kill()


@contextlib.contextmanager
def signals_held_back() -> Iterator[None]:
    """Block signals while processes are started. A worker keeps them blocked until it calls
    `be_a_worker`, so a signal that a terminal sends to all has an effect on the judge alone."""
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)


SAFE_PATH = "PYTHONSAFEPATH"


@contextlib.contextmanager
def nothing_imported_from_here() -> Iterator[None]:
    """Keep interpreters that start meanwhile from importing files of the current folder, which may
    be a stranger's.

    multiprocessing starts its workers and its resource tracker as ``python -c``, which looks in the
    current folder first. multiprocessing may start a worker at any time while the pool exists.
    """
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before


def be_a_worker() -> None:
    """Leave signals such as Ctrl-C to the judge, and end when the judge has ended in any way.

    The signals are neither ignored nor blocked, since the worker's own children would inherit that.
    """
    for number in STOPPING:
        signal.signal(number, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
    threading.Thread(target=_end_with_the_judge, daemon=True).start()


def _end_with_the_judge() -> None:
    judge = multiprocessing.parent_process()
    assert judge is not None, "this is a worker"
    judge.join()
    os._exit(1)
