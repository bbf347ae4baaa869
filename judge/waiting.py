"""Functions that wait. In the main thread a signal that stops the judge ends the wait by raising
`Interrupted`; see `judge.signals.is_told_here`. In other threads no signal ends the wait.
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

_calls: dict[Callable[[], None], float] = {}  # later calls, each with the time from which it is due


def ready(*descriptors: int, seconds: float | None = None) -> set[int]:
    """Wait until a descriptor can be read, but at most ``seconds`` (None: without a limit). Return
    the descriptors that can be read."""
    return _ready(dict.fromkeys(descriptors, select.POLLIN), seconds, lambda: False)


def sleep(seconds: float) -> None:
    """Wait for ``seconds``."""
    ready(seconds=seconds)


def awaited(future: Future[_T]) -> _T:
    """Wait for a future and return its result, or raise its error."""
    until_done(future)
    return future.result()


def until_done(future: Future[Any], seconds: float | None = None) -> None:
    """Wait until a future is done, but at most ``seconds`` (None: without a limit), without raising
    its error."""
    if is_told_here():
        future.add_done_callback(_wake)
        _ready({}, seconds, future.done)
    else:
        from concurrent.futures import wait

        wait([future], seconds)


def call_later(seconds: float, act: Callable[[], None]) -> None:
    """Call ``act`` once, ``seconds`` from now or later, at a time when the main thread waits. To be
    called in the main thread, as `cancel_call` is."""
    _calls[act] = time.monotonic() + seconds


def cancel_call(act: Callable[[], None]) -> None:
    """Cancel the later call of ``act``, if there is one."""
    _calls.pop(act, None)


def apart(work: Callable[[], _T]) -> _T:
    """Run ``work`` in a daemon thread and return its result, or raise its error. A signal ends the
    wait, but not the thread."""
    from concurrent.futures import Future

    future: Future[_T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - the waiting thread raises it
            future.set_exception(error)

    threading.Thread(target=run, name="apart", daemon=True).start()
    return awaited(future)


def patient(stream: TextIOWrapper) -> TextIOWrapper:
    """A stream that writes to the pipe of ``stream``. If it waits because the pipe is full, a
    signal that stops the judge ends the wait. After that signal (`is_told`) a full pipe raises
    `BrokenPipeError` at once. A ``stream`` that is not a pipe is returned as it is."""
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
        # A ready pipe takes this many bytes without blocking.
        return super().write(memoryview(data)[: select.PIPE_BUF])


def _ready(
    descriptors: Mapping[int, int], seconds: float | None, is_over: Callable[[], bool]
) -> set[int]:
    """Wait until a descriptor is ready for its events, ``seconds`` are over or ``is_over`` holds;
    return the ready descriptors. ``descriptors`` maps each to its events, as ``select.poll`` takes
    them."""
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
        pause = _until_call(left) if _calls and is_told_here() else left
        found = {each for each, _ in poll.poll(pause and pause * 1000)}
        if wakes in found:
            take_in()
        look()
        found.discard(wakes)
        if found or left == 0.0:
            return found


def _until_call(left: float | None) -> float | None:
    """Make the later calls that are due. Return the seconds until the next, but at most ``left``
    (None: without a limit)."""
    now = time.monotonic()
    for act in [act for act, due in _calls.items() if due <= now]:
        cancel_call(act)
        act()
    seconds = [due - now for due in _calls.values()] + ([] if left is None else [left])
    return min(seconds, default=None)


def _wake(_: object) -> None:
    with contextlib.suppress(BlockingIOError):  # a full pipe wakes the reader as well
        os.write(wakes_end, b"\0")
