"""Has work done in order, in a pool or alone, and tries it again if the machine was busy."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, ParamSpec, TypeVar

from judge.errors import MachineBusy
from judge.waiting import awaited, until_done

MOST_REPLAYS = 3  # further tries of work that failed on a busy machine

_P = ParamSpec("_P")
_T = TypeVar("_T")
_R = TypeVar("_R")


class RetryingPool:
    """A pool that tries work again, at most `MOST_REPLAYS` times, if it fails by `MachineBusy`.
    Other work may be the reason, so the pool first waits until all other work has ended."""

    def __init__(self, pool: Executor) -> None:
        self._pool = pool
        self._open: dict[Future[Any], Callable[[], Any]] = {}  # work whose result is not taken

    def submit(self, work: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        future = self._pool.submit(work, *args, **kwargs)
        self._open[future] = partial(work, *args, **kwargs)
        return future

    def result(self, future: Future[_T]) -> _T:
        """The result of submitted work; to be called in the thread that submits. Raises the error
        of the last try."""
        work: Callable[[], _T] = self._open.pop(future)
        with suppress(MachineBusy):
            return awaited(future)
        for other in self._open:
            until_done(other)
        return again_if_busy(lambda: awaited(self._pool.submit(work)), MOST_REPLAYS)


def again_if_busy(work: Callable[[], _T], tries: int = 1 + MOST_REPLAYS) -> _T:
    """The result of ``work``, which is tried at most ``tries`` times as long as it fails by
    `MachineBusy`. The caller must have no other work under way."""
    for _ in range(tries - 1):
        with suppress(MachineBusy):
            return work()
    return work()


def in_order(
    work: Callable[[_T], _R],
    things: Iterable[_T],
    pool: Executor | None = None,
    *,
    size: int = 1,
    window: int = 1,
) -> Iterator[tuple[_T, _R]]:
    """Every thing with the result of ``work`` for it, in the order of the ``things``. Up to
    ``window`` batches of ``size`` things are taken ahead; a ``pool`` works at them meanwhile."""
    left = iter(things)
    waiting: deque[tuple[list[_T], Callable[[], list[_R]]]] = deque()
    while True:
        while len(waiting) < window and (batch := list(islice(left, size))):
            each = partial(_each, work, batch)
            waiting.append((batch, partial(awaited, pool.submit(each)) if pool else each))
        if not waiting:
            return
        batch, results = waiting.popleft()
        yield from zip(batch, results(), strict=True)


def _each(work: Callable[[_T], _R], batch: list[_T]) -> list[_R]:
    return [work(thing) for thing in batch]
