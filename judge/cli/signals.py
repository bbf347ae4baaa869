"""Signals that end the judge: the first one becomes `Interrupted` in the main thread.

Python runs a handler between any two instructions, and what it raises there may break what is under
way. Within the standard library's locks a lock would stay taken, and another thread would wait for
it for good; within a ``__del__`` the exception would be dropped. So a signal that comes there is
put off until the main thread has left that place, or sleeps in it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

from judge.errors import Interrupted

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
AGAIN_SECONDS = 0.01  # after which a signal that was put off comes again

_LIBRARY = os.path.dirname(threading.__file__)  # noqa: PTH120 - as code objects name their files
_DELICATE = (
    *(
        os.path.join(_LIBRARY, name)  # noqa: PTH118 - the same
        for name in ("threading.py", "concurrent/futures/", "queue.py", "logging/", "weakref.py")
    ),
    "<frozen importlib",  # which has a lock for each module
)


@contextlib.contextmanager
def heard() -> Iterator[None]:
    """Turn the first signal to stop into `Interrupted`, which no ``except Exception`` takes.

    Later ones are not heard, so that what the first one began, killing bots and keeping games,
    is not broken off in its middle; and none is after the ``with`` block, where the last words are
    said. A signal that is ignored from the start (nohup) stays so.
    """
    handler = _Handler()
    for number in STOPPING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler.heard)
    try:
        yield
    finally:
        _ignore_all()
        signal.setitimer(signal.ITIMER_REAL, 0)


class _Handler:
    def __init__(self) -> None:
        self._seen: tuple[FrameType, int] | None = None  # where the main thread was before

    def heard(self, number: int, frame: FrameType | None) -> None:
        _ignore_all()
        signal.signal(signal.SIGALRM, self._again)
        self._again(number, frame)

    def _again(self, number: int, frame: FrameType | None) -> None:
        place = None if frame is None else (frame, frame.f_lasti)
        if place is None or place == self._seen or not _is_delicate(frame):
            self._interrupt()
        self._seen = place
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)

    def _interrupt(self) -> NoReturn:
        self._seen = None  # which holds all that the frame does
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        raise Interrupted


def _ignore_all() -> None:
    for number in STOPPING:
        signal.signal(number, signal.SIG_IGN)  # to the very end, when Python's own would be back


def _is_delicate(frame: FrameType | None) -> bool:
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__del__" or code.co_filename.startswith(_DELICATE):
            return True
        frame = frame.f_back
    return False
