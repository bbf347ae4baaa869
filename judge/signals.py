"""Signals that stop the judge. A handler only notes the signal; the main thread raises
`Interrupted` later, when it next waits or calls `look`.

So a signal breaks off no work in the middle. The handler sets a flag, and Python writes a byte to a
wake-up pipe. The byte ends the waits of waiting.py; long computations call `look` now and then.
Only the first signal raises `Interrupted`: later signals do not disturb the clean-up, which kills
bots and saves games.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from judge.errors import Interrupted

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

_T = TypeVar("_T")

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

wakes, wakes_end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
_state = {"heard": False, "told": False}
_loops: list[AbstractEventLoop] = []  # event loops that handle signals themselves while they run


@contextlib.contextmanager
def heard() -> Iterator[None]:
    """Handle the signals that stop the judge, within a ``with`` block. A signal that was ignored
    before (as by nohup) stays ignored.

    If an error leaves the block and a signal was not raised yet, `Interrupted` is raised instead of
    the error: a terminal sends the signal to the bots too, and the end of a bot may be the cause.
    After the block these signals are ignored, so that the judge can print its last lines.
    """
    signal.set_wakeup_fd(wakes_end, warn_on_full_buffer=False)
    for number in STOPPING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: _state.update(heard=True))
    try:
        yield
    except Exception:
        look()
        raise
    finally:
        for number in STOPPING:  # until the very end, when Python restores its own handlers
            signal.signal(number, signal.SIG_IGN)


def look() -> None:
    """If the first signal has come and was not raised yet, raise `Interrupted`, but only in a
    thread for which `is_told_here` holds."""
    if _state["heard"] and is_told_here() and _take():
        raise Interrupted


def looking(things: Iterable[_T]) -> Iterator[_T]:
    """Yield ``things``, with a call of `look` before each."""
    for each in things:
        look()
        yield each


def is_told_here() -> bool:
    """Whether this thread raises `Interrupted` for a signal. The main thread does, unless an event
    loop given to `wake_loop` is running."""
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and not any(loop.is_running() for loop in _loops)


def is_told() -> bool:
    """Whether the first signal has been raised as `Interrupted`, or told to an event loop."""
    return _state["told"]


def wake_loop(loop: AbstractEventLoop, tell: Callable[[], Any]) -> None:
    """Have an event loop of the main thread call ``tell`` at the first signal."""

    def hear() -> None:
        take_in()
        if _take():
            tell()

    loop.add_reader(wakes, hear)
    _loops.append(loop)


def take_in() -> None:
    """Take the bytes that have woken the main thread out of the wake-up pipe."""
    with contextlib.suppress(BlockingIOError):
        os.read(wakes, select.PIPE_BUF)


def _take() -> bool:
    is_new = _state["heard"] and not _state["told"]
    _state["told"] = _state["heard"]
    return is_new
