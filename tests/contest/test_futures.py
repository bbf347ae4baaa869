"""Waiting for results, and for signals meanwhile: judge/contest/futures.py."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from judge.contest.futures import awaited


class Heard(Exception):
    pass


def test_a_signal_is_heard_during_a_wait_that_it_does_not_wake() -> None:
    """One that another thread takes, as one that comes just before the wait, ends it all the
    same."""

    def hear(*_: object) -> None:
        raise Heard

    def signal_myself() -> None:
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, hear)
    taker = threading.Timer(0.3, signal_myself)
    try:
        taker.start()
        with pytest.raises(Heard):
            awaited(Future())
    finally:
        taker.join()
        signal.signal(signal.SIGUSR1, before)


def fail() -> None:
    raise TimeoutError("its own")


def test_a_result_is_what_the_work_came_to() -> None:
    """A value, or the error, even one that looks like the end of a step."""
    with ThreadPoolExecutor(1) as pool:
        assert awaited(pool.submit(int, "7")) == 7
        with pytest.raises(TimeoutError, match="its own"):
            awaited(pool.submit(fail))
