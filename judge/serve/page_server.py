"""The server of the live page: HTTP, bounded browsers (how many: `admission`), no orders.

A connection is for one request, which has to come soon. Who does not take what is sent is dropped,
and nobody else waits for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from judge.errors import JudgeFault, UsageError
from judge.serve.admission import Admission, ClientBounds
from judge.serve.core import HELD, descriptors
from judge.serve.live_page import Hub, application
from judge.serve.server import Address, hearing
from judge.serve.sockets import listening_sockets
from judge.show.occasion import Occasion

if TYPE_CHECKING:
    from starlette.types import ASGIApp
    from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST = 10.0  # seconds until a connection has to have asked for something
LOOK = 5.0  # seconds between two looks at what waits for browsers
MOST_LOOKS = 4  # at which something waits for one, in a row
LONGEST_REQUEST = 16 * 2**10  # bytes of its head
LAST_WORDS = 0.3  # seconds for what is still to be sent when the page ends

Bug = Callable[[BaseException], None]
"""Told what went wrong with one browser."""


class _Doors:
    """Counts connections, and ends those that ask for nothing or take nothing."""

    def __init__(self, bounds: ClientBounds) -> None:
        self._admission = Admission(bounds)
        self._loop = asyncio.get_running_loop()
        self._looks: dict[asyncio.Transport, int] = {}  # how often something waited for it
        self._silent: dict[tuple[str, int], asyncio.TimerHandle] = {}
        self._timer = self._loop.call_later(LOOK, self._look)

    def admit(self, transport: asyncio.Transport) -> None:
        """Take a connection, or break it off."""
        peer = _peer(transport)
        if not peer or self._admission.refusal(peer[0]):
            self._loop.call_soon(transport.abort)
            return
        self._admission.enter(peer[0])
        self._looks[transport] = 0
        self._silent[peer] = self._loop.call_later(REQUEST, transport.abort)

    def ask(self, peer: tuple[str, int]) -> None:
        """Note that a connection asks for something."""
        if timer := self._silent.pop(peer, None):
            timer.cancel()

    def release(self, transport: asyncio.Transport) -> None:
        """Let a connection go that has ended."""
        if self._looks.pop(transport, None) is None:
            return  # it was never taken
        peer = _peer(transport)
        assert peer, "it had one when it was taken"
        self.ask(peer)
        self._admission.leave(peer[0])

    async def close(self) -> None:
        """Break off what is left, after a moment for what is on its way."""
        self._timer.cancel()
        end = self._loop.time() + LAST_WORDS
        while self._looks and self._loop.time() < end:
            await asyncio.sleep(0.01)
        for transport in list(self._looks):
            transport.abort()
        await asyncio.sleep(0)

    def _look(self) -> None:
        for transport, before in self._looks.items():
            looks = before + 1 if transport.get_write_buffer_size() else 0
            self._looks[transport] = looks
            if looks >= MOST_LOOKS:
                self._loop.call_soon(transport.abort)
        self._timer = self._loop.call_later(LOOK, self._look)


def _peer(transport: asyncio.Transport) -> tuple[str, int] | None:
    """The address and the port of the other end; None where it has gone already."""
    found = transport.get_extra_info("peername")
    return (found[0], found[1]) if found else None


@contextlib.asynccontextmanager
async def serving_page(
    hub: Hub,
    where: Address,
    bounds: ClientBounds,
    *,
    bug: Bug,
) -> AsyncIterator[list[Address]]:
    """Serve the page in the loop that runs; gives the addresses at which it listens.

    Raises `UsageError` where it cannot listen there.
    """
    sockets = listening_sockets(where.host, where.port, "--web")
    for one in sockets:  # and so have the connections
        one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, HELD)
    doors = _Doors(bounds)
    with _hearing_bugs(bug):
        app = application(hub, (where.host.lower(),))
        make = _protocol(_Counted(app, doors), doors)
        loop = asyncio.get_running_loop()
        servers = [await loop.create_server(make, sock=one) for one in sockets]
        hub.begin()
        try:
            yield [Address(*one.getsockname()[:2]) for one in sockets]
        finally:
            hub.close()
            for server in servers:
                server.close()
            await doors.close()


class _Counted:
    """Notes that a request has come."""

    def __init__(self, app: ASGIApp, doors: _Doors) -> None:
        self._app = app
        self._doors = doors

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if client := scope.get("client"):
            self._doors.ask((client[0], client[1]))
        await self._app(scope, receive, send)


def _protocol(app: ASGIApp, doors: _Doors) -> Callable[[], H11Protocol]:
    """What makes uvicorn's end of a connection."""
    from uvicorn import Config
    from uvicorn.protocols.http.h11_impl import H11Protocol
    from uvicorn.server import ServerState

    class Connection(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
            super().connection_made(transport)
            doors.admit(transport)

        def connection_lost(self, exc: Exception | None) -> None:
            doors.release(self.transport)
            super().connection_lost(exc)

        def send_400_response(self, msg: str) -> None:
            """Refuse what is no HTTP; behind a request, whose answer may be on its way, there is no
            other answer."""
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
    state = ServerState()
    return lambda: Connection(config, state, {})


@contextlib.contextmanager
def _hearing_bugs(bug: Bug) -> Iterator[None]:
    """Tell what uvicorn would log: errors of ours. What strangers do wrong is not worth a line."""

    class Heard(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.exc_info and (error := record.exc_info[1]):
                bug(error)

    logger, heard = logging.getLogger("uvicorn.error"), Heard()
    propagates, logger.propagate = logger.propagate, False
    logger.addHandler(heard)
    try:
        yield
    finally:
        logger.removeHandler(heard)
        logger.propagate = propagates


@contextlib.contextmanager
def page_in_thread(
    title: str,
    where: Address,
    occasion: Occasion,
    *,
    bug: Bug,
    ready: Callable[[list[Address]], None],
) -> Iterator[tuple[Hub, Callable[[Callable[[], None]], None]]]:
    """Serve a page in a thread of its own. Gives the hub, and what has a function called there.

    ``ready`` is called with its addresses. Raises `UsageError` where it cannot listen.
    """
    hub = Hub(title, occasion)
    bounds = ClientBounds()
    # The bots of the games need at least as many files as the browsers have.
    bounds = replace(bounds, clients=min(bounds.clients, descriptors() // 2))
    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        end = asyncio.Event()
        asyncio.get_running_loop().set_exception_handler(hearing(bug))
        try:
            async with serving_page(hub, where, bounds, bug=bug) as addresses:
                ready(addresses)
                begun.set_result((asyncio.get_running_loop(), end))
                await end.wait()
        except UsageError as error:
            begun.set_exception(error)

    def run() -> None:
        try:
            asyncio.run(serve())
        finally:
            if not begun.done():
                begun.set_exception(JudgeFault("the live page could not be begun"))

    thread = threading.Thread(target=run, name="page", daemon=True)
    thread.start()
    loop, end = begun.result()

    def post(call: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the page has ended
            loop.call_soon_threadsafe(call)

    try:
        yield hub, post
    finally:
        post(end.set)
        thread.join()
