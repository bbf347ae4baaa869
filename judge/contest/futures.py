"""Waiting for what works elsewhere, and for signals meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from functools import partial
from typing import Any, ParamSpec, TypeVar

from judge.errors import MachineBusy
from judge.waiting import awaited, until_done

MOST_REPLAYS = 3  # tries of work that failed on a busy machine, each with nothing else under way

_P = ParamSpec("_P")
_T = TypeVar("_T")


class RetryingPool:
    """Work in a pool. A game that fails by `MachineBusy` is played again once nothing else is under
    way, which may be why, `MOST_REPLAYS` times at most."""

    def __init__(self, pool: Executor) -> None:
        self._pool = pool
        self._open: dict[Future[Any], Callable[[], Any]] = {}  # work whose result was not taken yet

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
        for other in self._open:
            until_done(other)
        return again_if_busy(lambda: awaited(self._pool.submit(work)), MOST_REPLAYS)


def again_if_busy(work: Callable[[], _T], tries: int = 1 + MOST_REPLAYS) -> _T:
    """The result of work beside which nothing else is under way; it is done again if it fails by
    `MachineBusy`."""
    for _ in range(tries - 1):
        with suppress(MachineBusy):
            return work()
    return work()
