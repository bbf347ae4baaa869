"""Signals that end the judge: the first one becomes `Interrupted` in the main thread.

Python runs a handler between any two instructions, and what it raises there may break what is under
way. Within the standard library's locks a lock would stay taken, and another thread would wait for
it for good; within a ``__del__`` the exception would be dropped; what is just being opened or
started would stay so, for nobody has it yet. So a signal that comes there is put off until the main
thread has left that place, or sleeps in it, or computes in it for half a second.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import NoReturn, ParamSpec, TypeVar

from judge.errors import Interrupted

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
AGAIN_SECONDS = 0.01  # after which a signal that was put off comes again
MOST_TIMES = 50  # that it is put off for what has called what is delicate in itself

P = ParamSpec("P")
T = TypeVar("T")

_LIBRARY = os.path.dirname(threading.__file__)  # noqa: PTH120 - as code objects name their files
_DELICATE = (
    *(
        os.path.join(_LIBRARY, name)  # noqa: PTH118 - the same
        for name in (
            *("threading.py", "concurrent/futures/", "queue.py", "logging/", "weakref.py"),
            *("contextlib.py", "asyncio/", "multiprocessing/"),  # half open is not closed
            *("subprocess.py", "tempfile.py"),  # started or made, and not known yet
        )
    ),
    "<frozen importlib",  # which has a lock for each module
)


@contextlib.contextmanager
def heard() -> Iterator[None]:
    """Turn the first signal to stop into `Interrupted`, which no ``except Exception`` takes.

    Later ones are not heard, so that what the first one began, killing bots and keeping games,
    is not broken off in its middle; and none is after the ``with`` block, where the last words are
    said. An error that comes while a signal is put off may be that signal's doing, for a terminal
    sends it to all programs that were started there; so the signal is told instead. One that is
    ignored from the start (nohup) stays so.
    """
    handler = _Handler()
    for number in STOPPING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler.heard)
    try:
        yield
    except Exception:
        if handler.is_put_off:
            raise Interrupted from None
        raise
    finally:
        for number in STOPPING:  # to the very end, when Python's own handlers would be back
            signal.signal(number, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, 0)


def undisturbed(function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a function, and put a signal off until it has returned, as in what is delicate."""
    return function(*args, **kwargs)


class _Handler:
    def __init__(self) -> None:
        self._seen: tuple[FrameType, int] | None = None  # where the main thread was before
        self._times = 0  # that it has been put off
        self.is_put_off = False

    def heard(self, number: int, frame: FrameType | None) -> None:
        for each in STOPPING:
            if signal.getsignal(each) is not signal.SIG_IGN:
                # Python complains of one that is on its way when it comes to be ignored.
                signal.signal(each, _not_heard)
        signal.signal(signal.SIGALRM, self._again)
        self._again(number, frame)

    def _again(self, number: int, frame: FrameType | None) -> None:
        place = None if frame is None else (frame, frame.f_lasti)
        if place is None or place == self._seen or not self._is_to_wait(frame):
            self._interrupt()
        self._seen, self._times, self.is_put_off = place, self._times + 1, True
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)

    def _is_to_wait(self, frame: FrameType | None) -> bool:
        if self._times < MOST_TIMES:
            return any(map(_is_delicate, _with_callers(frame)))
        return frame is not None and _is_delicate(frame)

    def _interrupt(self) -> NoReturn:
        self._seen, self.is_put_off = None, False  # a frame holds all that is in it
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        raise Interrupted


def _not_heard(number: int, frame: FrameType | None) -> None:
    """There has been one before."""


def _with_callers(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_delicate(frame: FrameType) -> bool:
    code = frame.f_code
    is_asked_for = code is undisturbed.__code__
    return is_asked_for or code.co_name == "__del__" or code.co_filename.startswith(_DELICATE)
