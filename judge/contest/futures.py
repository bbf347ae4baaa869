"""Waiting for what works elsewhere, without going deaf to signals."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, wait
from contextlib import suppress
from functools import partial
from typing import Any, ParamSpec, Protocol, TypeVar

from judge.errors import MachineBusy

STEP_SECONDS = 0.1
MOST_REPLAYS = 3  # of what failed because the machine was busy, each with nothing else under way

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Waiting(Protocol):
    """Waits for a future, and gives its result."""

    def __call__(self, future: Future[_T], /) -> _T: ...


def awaited(future: Future[_T]) -> _T:
    """The result of a future, waited for in short steps.

    Python hears signals between two instructions of its main thread: one that comes just before
    a wait without end, or to another thread, would be heard only after that wait.
    """
    while True:
        try:
            return future.result(STEP_SECONDS)
        except TimeoutError:
            if future.done():
                return future.result()


class RetryingPool:
    """Work in a pool. What fails by `MachineBusy` is done again once nothing else is under way, which
    may be why, `MOST_REPLAYS` times at most."""

    def __init__(self, pool: Executor) -> None:
        self._pool = pool
        self._open: dict[Future[Any], Callable[[], Any]] = {}  # work whose result nobody has taken

    def submit(self, work: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        future = self._pool.submit(work, *args, **kwargs)
        self._open[future] = partial(work, *args, **kwargs)
        return future

    def result(self, future: Future[_T]) -> _T:
        """The result of what was submitted, in the thread that submits. Raises `MachineBusy` if it
        failed so each time."""
        work: Callable[[], _T] = self._open.pop(future)
        with suppress(MachineBusy):
            return awaited(future)
        while wait(self._open, STEP_SECONDS).not_done:
            pass
        return again_if_busy(lambda: awaited(self._pool.submit(work)), MOST_REPLAYS)


def again_if_busy(work: Callable[[], _T], tries: int = 1 + MOST_REPLAYS) -> _T:
    """The result of work beside which nothing else is under way; it is done again if it fails by
    `MachineBusy`."""
    for _ in range(tries - 1):
        with suppress(MachineBusy):
            return work()
    return work()
