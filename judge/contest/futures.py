"""Waiting for what works elsewhere, without going deaf to signals."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Protocol, TypeVar

STEP_SECONDS = 0.1

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
