"""Worker processes, for what computes rather than waits."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor


@contextlib.contextmanager
def processes(jobs: int) -> Iterator[Executor]:
    """A pool of ``jobs`` fresh interpreters; left early, it ends with what is in hand."""
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=fresh, initializer=_begin) as pool:
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """Leave the user's Ctrl-C to the judge, and end with it, however it ends."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_judge, daemon=True).start()


def _end_with_the_judge() -> None:
    judge = multiprocessing.parent_process()
    assert judge is not None, "this is a worker"
    judge.join()
    os._exit(1)
