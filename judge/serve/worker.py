"""A thread for slow work, so that a server's event loop does not wait for the work.

The process ends without waiting for the thread. So it must be safe to break off the work at any
moment, as it is for writing a ledger.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TypeVar

_T = TypeVar("_T")


class Worker:
    """Calls functions in a thread of its own, in the order in which `do` got them."""

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._is_stopped = False
        threading.Thread(target=self._work, name=name, daemon=True).start()

    def do(self, call: Callable[..., _T], *arguments: object) -> asyncio.Future[_T]:
        """Have ``call`` called with ``arguments`` in the thread. The future gets its return value
        or error."""
        future: Future[_T] = Future()

        def make() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(call(*arguments))
                except BaseException as error:  # noqa: BLE001 - whoever awaits it deals with it
                    future.set_exception(error)

        self._calls.put(make)
        return asyncio.wrap_future(future)

    def stop(self) -> None:
        """Make no more calls, not even those that wait."""
        self._is_stopped = True
        self._calls.put(lambda: None)

    def _work(self) -> None:
        while not self._is_stopped:
            self._calls.get()()
