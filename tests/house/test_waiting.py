"""Waiting for results: judge/waiting.py."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from judge.waiting import apart, awaited, until_done


def fail() -> None:
    raise TimeoutError("its own")


def test_a_result_is_what_the_work_came_to() -> None:
    """A value, or the error, even one that looks like the end of a wait; in each thread."""
    with ThreadPoolExecutor(1) as pool, ThreadPoolExecutor(1) as other:
        assert awaited(pool.submit(int, "7")) == 7
        assert other.submit(awaited, pool.submit(int, "8")).result() == 8
        assert apart(lambda: int("9")) == 9
        for work in (lambda: awaited(pool.submit(fail)), lambda: apart(fail)):
            with pytest.raises(TimeoutError, match="its own"):
                work()


def test_the_end_of_a_future_can_be_awaited_without_its_result() -> None:
    """One that failed, too; and again."""
    future: Future[None] = Future()
    future.set_exception(TimeoutError())
    until_done(future)
    until_done(future)
