"""Waits of the main thread, which a signal to stop ends by `Interrupted`.

In another thread they are waits as well, and hear no signal.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from judge.signals import is_told_here, look, take_in, wakes, wakes_end

if TYPE_CHECKING:
    from concurrent.futures import Future

_T = TypeVar("_T")


def ready(*descriptors: int, seconds: float | None = None) -> set[int]:
    """The descriptors that can be read, as soon as one can or the ``seconds`` are over."""
    return _ready(descriptors, seconds, lambda: False)


def sleep(seconds: float) -> None:
    """Do nothing for so long."""
    ready(seconds=seconds)


def awaited(future: Future[_T]) -> _T:
    """The result of a future."""
    until_done(future)
    return future.result()


def until_done(future: Future[Any]) -> None:
    """Wait for the end of a future, and leave its result alone."""
    if is_told_here():
        future.add_done_callback(_wake)
        _ready((), None, future.done)
    else:
        from concurrent.futures import wait

        wait([future])


def apart(work: Callable[[], _T]) -> _T:
    """The result of work that hears no signal. A daemon thread does it, which is left behind in it
    when a signal to stop comes."""
    from concurrent.futures import Future

    future: Future[_T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - whoever waits is told
            future.set_exception(error)

    threading.Thread(target=run, name="apart", daemon=True).start()
    return awaited(future)


def _ready(
    descriptors: tuple[int, ...], seconds: float | None, is_over: Callable[[], bool]
) -> set[int]:
    deadline = None if seconds is None else time.monotonic() + seconds
    poll = select.poll()
    for each in {*descriptors, *([wakes] if is_told_here() else [])}:
        poll.register(each, select.POLLIN)
    while True:
        look()
        if is_over():
            return set()
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        found = {each for each, _ in poll.poll(left and left * 1000)}
        if wakes in found:
            take_in()
        look()
        found.discard(wakes)
        if found or left == 0.0:
            return found


def _wake(_: object) -> None:
    with contextlib.suppress(BlockingIOError):  # it wakes, for there are bytes enough
        os.write(wakes_end, b"\0")
