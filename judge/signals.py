"""Signals that end the judge: they are heard at once, and told where the main thread waits.

A handler sets a flag, and Python's side of it in C writes a byte to a wake-up descriptor, so nothing
is broken off in its middle. Waits end by that byte (waiting.py), and long computations look here
now and then. There the first signal becomes `Interrupted`, once: others do not break off what it
began, which is to kill bots and to keep games.
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
    """Hear signals to stop; one that is ignored from the start (nohup) stays so.

    An error that comes after a signal may be that signal's doing, for a terminal sends it to all
    programs that were started there; so the signal is told instead. None is heard after the
    ``with`` block, where the last words are said.
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
    """Raise `Interrupted` if a signal has come that is to be told here."""
    if _state["heard"] and is_told_here() and _take():
        raise Interrupted


def looking(things: Iterable[_T]) -> Iterator[_T]:
    """The same things, with a look before each."""
    for each in things:
        look()
        yield each


def is_told_here() -> bool:
    """Whether this is the main thread, outside of a loop that hears signals itself."""
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and not any(loop.is_running() for loop in _loops)


def is_told() -> bool:
    """Whether a signal has become `Interrupted` already."""
    return _state["told"]


def wake_loop(loop: AbstractEventLoop, tell: Callable[[], Any]) -> None:
    """Have a loop of the main thread call ``tell`` when a signal comes."""

    def hear() -> None:
        take_in()
        if _take():
            tell()

    loop.add_reader(wakes, hear)
    _loops.append(loop)


def take_in() -> None:
    """Take in what has woken the main thread."""
    with contextlib.suppress(BlockingIOError):
        os.read(wakes, select.PIPE_BUF)


def _take() -> bool:
    is_new = _state["heard"] and not _state["told"]
    _state["told"] = _state["heard"]
    return is_new
