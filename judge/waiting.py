"""Waits of the main thread, which a signal to stop ends by `Interrupted`.

In another thread they are waits as well, and hear no signal.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import select
import stat
import threading
import time
from collections.abc import Callable, Mapping
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, TypeVar

from judge.signals import is_told, is_told_here, look, take_in, wakes, wakes_end

if TYPE_CHECKING:
    from concurrent.futures import Future

    from _typeshed import ReadableBuffer as Buffer

_T = TypeVar("_T")


def ready(*descriptors: int, seconds: float | None = None) -> set[int]:
    """The descriptors that can be read, as soon as one can or the ``seconds`` are over."""
    return _ready(dict.fromkeys(descriptors, select.POLLIN), seconds, lambda: False)


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
        _ready({}, None, future.done)
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


def patient(stream: TextIOWrapper) -> TextIOWrapper:
    """A stream to write to that waits for room in a full pipe as the functions here wait; the stream
    itself if it is not a pipe. After a signal that has been told, it waits no more, and raises
    `BrokenPipeError` if the pipe is full."""
    if not stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode):
        return stream
    return TextIOWrapper(
        io.BufferedWriter(_Pipe(stream.fileno(), "wb", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
    )


class _Pipe(io.FileIO):
    """The writing end of a pipe."""

    def write(self, data: Buffer, /) -> int:
        end = self.fileno()
        seconds = 0.0 if is_told() else None
        if end not in _ready({end: select.POLLOUT}, seconds, lambda: False):
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
        # So much does not block where there is any room.
        return super().write(memoryview(data)[: select.PIPE_BUF])


def _ready(
    descriptors: Mapping[int, int], seconds: float | None, is_over: Callable[[], bool]
) -> set[int]:
    """Those of them that are ready for the events that each is given with."""
    deadline = None if seconds is None else time.monotonic() + seconds
    poll = select.poll()
    for each, events in descriptors.items():
        poll.register(each, events)
    if is_told_here():
        poll.register(wakes, select.POLLIN)
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
