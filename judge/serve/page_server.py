"""The HTTP server of the live page and of the hosted ladder, with limits on browsers.

A connection is for one request, which has to come soon. A browser that does not read is dropped,
and no other browser waits for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING

from judge.errors import JudgeFault, UsageError
from judge.serve.core import HELD, descriptors
from judge.serve.live_page import Hub, application
from judge.serve.rate_limits import Admission, ClientBounds, Slot
from judge.serve.server import Address, hearing
from judge.serve.sockets import listening_sockets
from judge.show.page_words import PageWords
from judge.waiting import awaited

if TYPE_CHECKING:
    from starlette.types import ASGIApp
    from uvicorn.protocols.http.h11_impl import H11Protocol
    from uvicorn.server import ServerState

REQUEST = 10.0  # seconds until a connection has to have asked for something
UNTAKEN = 20.0  # seconds that an answer may wait for a browser that does not read
LONGEST_REQUEST = 16 * 2**10  # bytes of a request's head
LAST_WORDS = 0.3  # seconds for what is still to be sent when the page ends
_LOGGERS = ("uvicorn.error", "asyncio", "python_multipart")

Bug = Callable[[BaseException], None]
"""Called with an unexpected error in serving a browser."""


@contextlib.asynccontextmanager
async def serving_page(
    hub: Hub,
    where: Address,
    bounds: ClientBounds,
    *,
    bug: Bug,
) -> AsyncIterator[list[Address]]:
    """Serve the live page in the running loop. Yields the addresses at which it listens.

    Raises `UsageError` if the page cannot be served at ``where``.
    """
    app = application(hub, (where.host.lower(),))
    async with serving(app, hub, where, bounds, bug=bug, option="--web") as addresses:
        yield addresses


@contextlib.asynccontextmanager
async def serving(
    app: ASGIApp,
    hub: Hub,
    where: Address,
    bounds: ClientBounds,
    *,
    bug: Bug,
    option: str,
) -> AsyncIterator[list[Address]]:
    """Serve an application that shows the hub, in the running event loop. Yields the addresses at
    which it listens. ``option`` is the command-line option that set ``where``. Raises `UsageError`
    if the application cannot be served at ``where``."""
    from uvicorn.server import ServerState

    sockets = listening_sockets(where.host, where.port, option)
    for one in sockets:  # connections inherit this
        one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, HELD)
    with _hearing_bugs(bug):
        state = ServerState()
        make = _protocol(app, state, Admission(bounds))
        loop = asyncio.get_running_loop()
        servers = [await loop.create_server(make, sock=one) for one in sockets]
        hub.begin()
        try:
            yield [Address(*one.getsockname()[:2]) for one in sockets]
        finally:
            hub.close()
            for server in servers:
                server.close()
            end = loop.time() + LAST_WORDS
            while state.connections and loop.time() < end:
                await asyncio.sleep(0.01)
            for connection in list(state.connections):
                connection.transport.abort()
            await asyncio.sleep(0)


def _protocol(app: ASGIApp, state: ServerState, admission: Admission) -> Callable[[], H11Protocol]:
    """A function that makes uvicorn's end of a connection. The connection is ended if the browser
    is refused, sends no request soon, or does not read its answer."""
    from uvicorn import Config
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Connection(H11Protocol):
        slot: Slot | None = None
        untaken: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
            super().connection_made(transport)
            transport.set_write_buffer_limits(high=0)
            if self.client is None or admission.refusal(self.client[0]):
                self.loop.call_soon(transport.abort)
                return
            self.slot = admission.enter(self.client[0])
            self.loop.call_later(REQUEST, self.require_request)

        def require_request(self) -> None:
            if self.cycle is None:
                self.transport.abort()

        def pause_writing(self) -> None:
            super().pause_writing()
            self.untaken = self.loop.call_later(UNTAKEN, self.transport.abort)

        def resume_writing(self) -> None:
            super().resume_writing()
            if self.untaken:
                self.untaken.cancel()

        def connection_lost(self, exc: Exception | None) -> None:
            if self.slot:
                admission.leave(self.slot)
            super().connection_lost(exc)

        def send_400_response(self, msg: str) -> None:
            """Refuse bytes that are not HTTP. After a request, whose answer may be under way, the
            connection is closed without another answer."""
            if self.cycle is None:
                super().send_400_response(msg)
            else:
                self.transport.close()

    config = Config(
        app,
        lifespan="off",
        ws="none",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        h11_max_incomplete_event_size=LONGEST_REQUEST,
    )
    config.load()
    return lambda: Connection(config, state, {})


@contextlib.contextmanager
def _hearing_bugs(bug: Bug) -> Iterator[None]:
    """Call ``bug`` with each exception that one of these loggers would log. Their other log lines,
    which are on faults of strangers, are dropped."""

    class Heard(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.exc_info and (error := record.exc_info[1]):
                bug(error)

    heard = Heard()
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    propagated = [logger.propagate for logger in loggers]
    for logger in loggers:
        logger.propagate = False
        logger.addHandler(heard)
    try:
        yield
    finally:
        for logger, propagates in zip(loggers, propagated, strict=True):
            logger.removeHandler(heard)
            logger.propagate = propagates


Post = Callable[[Callable[[], None]], None]
"""Takes a function, and has it called in the thread of a page."""


class HeldBack:
    """A `Post` that has each function called ``seconds`` later, in the same order."""

    def __init__(self, post: Post, seconds: float) -> None:
        self._post = post
        self._seconds = seconds
        self._calls: deque[Callable[[], None]] = deque()

    def __call__(self, call: Callable[[], None]) -> None:
        def wait() -> None:
            self._calls.append(call)
            asyncio.get_running_loop().call_later(self._seconds, self._next)

        self._post(wait)

    def release(self) -> None:
        """Have all waiting functions called now."""

        def all_of_them() -> None:
            while self._calls:
                self._next()

        self._post(all_of_them)

    def _next(self) -> None:
        if self._calls:
            self._calls.popleft()()


@contextlib.contextmanager
def page_in_thread(
    title: str,
    where: Address,
    occasion: PageWords,
    *,
    bug: Bug,
    ready: Callable[[list[Address]], None],
) -> Iterator[tuple[Hub, Post]]:
    """Serve a live page in a thread of its own. Yields the page's hub, and the `Post` of the
    thread.

    ``ready`` is called with the page's addresses. Raises `UsageError` if the page cannot be served.
    """
    hub = Hub(title, occasion)
    bounds = affordable(ClientBounds())
    with in_thread(lambda: serving_page(hub, where, bounds, bug=bug), bug, ready) as post:
        yield hub, post


def affordable(bounds: ClientBounds) -> ClientBounds:
    """The bounds, but browsers get at most half of the file descriptors, so that bots get as
    many."""
    return replace(bounds, clients=min(bounds.clients, descriptors() // 2))


@contextlib.contextmanager
def in_thread(
    serve: Callable[[], contextlib.AbstractAsyncContextManager[list[Address]]],
    bug: Bug,
    ready: Callable[[list[Address]], None],
) -> Iterator[Post]:
    """Run ``serve`` in a thread of its own. Yields the `Post` of that thread. ``ready`` is called
    in that thread with the addresses."""
    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def until_ended() -> None:
        end = asyncio.Event()
        asyncio.get_running_loop().set_exception_handler(hearing(bug))
        try:
            async with serve() as addresses:
                ready(addresses)
                begun.set_result((asyncio.get_running_loop(), end))
                await end.wait()
        except UsageError as error:
            begun.set_exception(error)

    def run() -> None:
        try:
            asyncio.run(until_ended())
        finally:
            if not begun.done():
                begun.set_exception(JudgeFault("the live page could not be begun"))

    thread = threading.Thread(target=run, name="page", daemon=True)
    thread.start()
    loop, end = awaited(begun)

    def post(call: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the page has ended
            loop.call_soon_threadsafe(call)

    try:
        yield post
    finally:
        post(end.set)
        thread.join()
