"""Shows a screen while the judge works in other threads.

Textual needs the main thread, and so do the signals that stop the judge. So the judge works in
other threads, and the main thread draws the screen while it waits for those threads.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Self, TypeVar

from judge import signals
from judge.errors import Interrupted, JudgeFault
from judge.screen.full_screen import FullScreen

_TAKEN_BY_TEXTUAL = (
    signal.SIGTSTP,
    signal.SIGCONT,
    signal.SIGWINCH,
    signal.SIGTTIN,
    signal.SIGTTOU,
)

_T = TypeVar("_T")


class Hosting:
    """A ``with`` block in the main thread that shows an app. The app is drawn while `until_left` or
    `result` waits. After the block, the signals that Textual takes are handled as before."""

    def __init__(self, app: FullScreen) -> None:
        self._app = app

    def __enter__(self) -> Self:
        self._before: dict[int, Any] = {
            number: signal.getsignal(number) for number in _TAKEN_BY_TEXTUAL
        }
        self._loop = asyncio.new_event_loop()
        signals.wake_loop(self._loop, self._app.action_interrupt)
        self._task = self._loop.create_task(self._app.run_async())
        self._loop.run_until_complete(self._until(self._app.is_up.wait()))
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if not self._task.done():
                self._app.exit()
            self._loop.run_until_complete(self._task)
        finally:
            self._loop.close()
            for number, handler in self._before.items():
                signal.signal(number, handler)

    def until_left(self) -> None:
        """Wait until the viewer leaves. Raises `Interrupted` if that was by Ctrl-C or a signal, and
        `JudgeFault` if the screen broke down."""
        self._loop.run_until_complete(self._task)
        self._require_whole()

    def result(self, future: Future[_T]) -> _T:
        """Wait for another thread's future, and return its result. Raises `Interrupted` if the
        screen ends first or was interrupted, and `JudgeFault` if the screen broke down first."""
        self._loop.run_until_complete(self._until(self._done(future)))
        if self._app.was_interrupted or not future.done():
            self._require_whole()
            raise Interrupted
        return future.result()

    async def _done(self, future: Future[_T]) -> None:
        """Wait until a future of another thread is done, without taking its result."""
        done = asyncio.Event()

        def tell(_: Future[_T]) -> None:
            with contextlib.suppress(RuntimeError):  # the screen is gone, and its loop closed
                self._loop.call_soon_threadsafe(done.set)

        future.add_done_callback(tell)
        await done.wait()

    async def _until(self, other: Coroutine[Any, Any, Any]) -> None:
        """Wait for a coroutine, or for the end of the app."""
        waited = asyncio.ensure_future(other)
        await asyncio.wait({waited, self._task}, return_when=asyncio.FIRST_COMPLETED)
        waited.cancel()
        await asyncio.wait({waited})

    def _require_whole(self) -> None:
        if self._app.was_interrupted:
            raise Interrupted
        require_whole(self._app)


@contextlib.asynccontextmanager
async def drawn(app: FullScreen, gone: Callable[[], object]) -> AsyncIterator[None]:
    """A ``with`` block that shows an app in the running loop. ``gone`` is called when the app ends.
    After the block, raises `JudgeFault` if the app broke down."""
    task = asyncio.create_task(app.run_async())
    up = asyncio.create_task(app.is_up.wait())
    await asyncio.wait({up, task}, return_when=asyncio.FIRST_COMPLETED)
    task.add_done_callback(lambda _: gone())
    try:
        yield
    finally:
        up.cancel()
        if not task.done():
            app.exit()
        await task
    require_whole(app)


def require_whole(app: FullScreen) -> None:
    """Raise `JudgeFault` if a screen broke down."""
    if app.return_code:
        raise JudgeFault("the screen broke down, and what is printed above says where")


def in_thread(do: Callable[[], _T]) -> Future[_T]:
    """Call ``do`` in another thread, and return the future of its result. The judge can end without
    waiting for that thread."""
    done: Future[_T] = Future()

    def run() -> None:
        done.set_running_or_notify_cancel()
        try:
            done.set_result(do())
        except BaseException as error:  # noqa: BLE001 - the future raises it
            done.set_exception(error)

    threading.Thread(target=run, name="beside the screen", daemon=True).start()
    return done
