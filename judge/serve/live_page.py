"""The server's side of the live page: shows games to many browsers at once.

The page only shows, and answers only GET and HEAD requests. Changes go to each browser as
server-sent events. A browser that connects gets the whole state and then the changes. A browser
that has missed messages which are no longer kept gets the whole state again. Each message is
encoded once for all followers of a game.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import ip_address
from socket import gethostname
from typing import TYPE_CHECKING, Any

from judge.show.live import EVERYONE, SHOWN, Live
from judge.show.live_game import Document
from judge.show.page_words import SERVER, PageWords
from judge.show.pages.html import live_page
from judge.show.pages.page import page

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

PAUSE = 0.04  # seconds from one message to the next, at least
MOST_KEPT = 64 * 2**10  # bytes of messages that are kept for browsers a little behind
HEARTBEAT = 15.0  # seconds: networks forget connections on which nothing is said
SEEN = 32  # pages of games that are kept
LONGEST_HOST = 253

_HEADERS = (
    (b"connection", b"close"),
    (b"content-security-policy", b"frame-ancestors 'none'"),  # pages have the rest
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)


class _Topic:
    """The messages for the followers of one game, or of the game that is just shown. ``begin`` is
    the number of the first message that is still kept, and ``end`` that of the next new message."""

    def __init__(self) -> None:
        self.followers = 0
        self.begin = self.end = 0
        self.is_new = asyncio.Event()
        self._messages: deque[bytes] = deque()
        self._size = 0
        self._waiting: dict[str, Any] = {}

    def add(self, what: Document) -> None:
        """Add changes to the next message. A change replaces an earlier one with the same key, but
        moves and chat add up. A new ``game`` drops the moves before it."""
        for key, value in what.items():
            if key in ("move", "chat"):
                self._waiting.setdefault(key, []).extend([value] if key == "move" else value)
            else:
                self._waiting[key] = value
            if key == "game":
                self._waiting.pop("move", None)

    def flush(self) -> None:
        if self._waiting:
            self.say(_event("change", self._waiting))
            self._waiting = {}

    def say(self, message: bytes) -> None:
        self._messages.append(message)
        self._size += len(message)
        self.end += 1
        while self._size > MOST_KEPT and len(self._messages) > 1:
            self._size -= len(self._messages.popleft())
            self.begin += 1
        self.wake()

    def wake(self) -> None:
        woken, self.is_new = self.is_new, asyncio.Event()
        woken.set()

    def since(self, number: int) -> bytes:
        """The messages from this number on, as bytes."""
        if number == self.end - 1:
            return self._messages[-1]
        return b"".join([*self._messages][number - self.begin :])


class Hub:
    """Sends the changes of ``live`` to all followers. Only the event loop's thread calls its
    methods."""

    def __init__(self, title: str, occasion: PageWords = SERVER) -> None:
        self.occasion = occasion
        self.live = Live(title, self._change, time.monotonic)
        self.is_closed = False
        self._topics: dict[int, _Topic] = {}
        self._flushed_at = 0.0
        self._is_due = False
        self._heart: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        self._beat()

    def close(self) -> None:
        """Send the last changes to all followers, and then the event that ends their streams."""
        self._flush()
        self.is_closed = True
        if self._heart:
            self._heart.cancel()
        for topic in self._topics.values():
            topic.say(b"event: end\ndata: {}\n\n")

    @contextmanager
    def following(self, number: int) -> Iterator[_Topic]:
        topic = self._topics.setdefault(number, _Topic())
        topic.followers += 1
        try:
            yield topic
        finally:
            topic.followers -= 1
            if not topic.followers:
                self._topics.pop(number, None)

    def state(self, number: int) -> bytes:
        """The message with the whole state, for a follower of the game ``number``."""
        self._flush()  # the state has the waiting changes in it
        return _event("state", self.live.document(number))

    def _change(self, to: int | None, what: Document) -> None:
        for number, topic in self._topics.items():
            followed = self.live.shown if number == SHOWN and to else number
            if to is EVERYONE or to == followed:
                topic.add(what)
        if self._topics and not self._is_due:
            self._is_due = True
            loop = asyncio.get_running_loop()
            loop.call_at(max(loop.time(), self._flushed_at + PAUSE), self._flush)

    def _flush(self) -> None:
        self._is_due = False
        self._flushed_at = asyncio.get_running_loop().time()
        for topic in self._topics.values():
            topic.flush()

    def _beat(self) -> None:
        for topic in self._topics.values():
            topic.say(b":\n\n")
        self._heart = asyncio.get_running_loop().call_later(HEARTBEAT, self._beat)


class _Stream:
    """The ASGI endpoint that sends the events to a browser."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.requests import Request

        number = number_in(Request(scope).query_params.get("game", ""))
        headers = [(b"content-type", b"text/event-stream; charset=utf-8")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if scope["method"] == "HEAD":
            await send({"type": "http.response.body", "body": b""})
            return
        with self._hub.following(number) as topic:
            gone = asyncio.create_task(self._until_gone(receive, topic))
            try:
                await self._tell(number, topic, gone, send)
            finally:
                gone.cancel()
        await send({"type": "http.response.body", "body": b""})

    async def _tell(self, number: int, topic: _Topic, gone: asyncio.Task[None], send: Send) -> None:
        hub = self._hub
        data, at = hub.state(number), topic.end
        while not gone.done():
            await send({"type": "http.response.body", "body": data, "more_body": True})
            while at == topic.end and not gone.done() and not hub.is_closed:
                await topic.is_new.wait()
            if at == topic.end:
                return
            data = topic.since(at) if at >= topic.begin else hub.state(number)
            at = topic.end

    async def _until_gone(self, receive: Receive, topic: _Topic) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        asyncio.get_running_loop().call_soon(topic.wake)


class Guard:
    """Refuses a request from a page of another origin, and a request whose ``Host`` is neither a
    name of this server nor an IP address. ``names`` are further names of this server, and
    ``origins`` further origins that may ask. Answers get the security headers that they lack, and
    the ``referrer_policy``.

    A stranger's page can make its own host name lead to this server. It cannot do so with an IP
    address, so every IP address is accepted as ``Host``.
    """

    def __init__(
        self,
        app: ASGIApp,
        names: tuple[str, ...] = (),
        origins: tuple[str, ...] = (),
        referrer_policy: bytes = b"no-referrer",
    ) -> None:
        self._app = app
        self._headers = (*_HEADERS, (b"referrer-policy", referrer_policy))
        self._origins = {origin.encode() for origin in origins}
        own = gethostname().lower()
        self._names = {"localhost", own, f"{own}.local", *names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.responses import PlainTextResponse

        async def send_with(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                added = [header for header in self._headers if header[0] not in given]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        if scope["type"] != "http":
            return
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        origins = [value for name, value in scope["headers"] if name == b"origin"]
        app = self._app
        if len(hosts) != 1 or not self._is_known(hosts[0].decode("latin-1")):
            app = PlainTextResponse("This page has another name.\n", 421)
        elif not {*origins} <= {b"http://" + hosts[0], *self._origins}:
            app = PlainTextResponse("This page is for itself alone.\n", 403)
        await app(scope, receive, send_with)

    def _is_known(self, host: str) -> bool:
        name, colon, port = host.rpartition(":")
        if not colon or not port.isdecimal():
            name = host
        if len(name) > LONGEST_HOST:
            return False
        try:
            ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return name.lower().removesuffix(".") in self._names
        return True


def application(hub: Hub, names: tuple[str, ...] = ()) -> Starlette:
    """The application of the live page and its events. ``names`` are the server's further names."""
    from starlette.applications import Starlette
    from starlette.middleware import Middleware

    return Starlette(routes=routes(hub), middleware=[Middleware(Guard, names=names)])


def routes(hub: Hub) -> list[Route]:
    """The routes of the page, its events, and the pages of games that are over."""
    from starlette.responses import HTMLResponse, PlainTextResponse
    from starlette.routing import Route

    first = live_page(hub.live.title, hub.occasion)

    @lru_cache(SEEN)
    def of_game(number: int) -> str | None:
        record = hub.live.record(number)
        return None if record is None else page(record)

    async def show(_: Request) -> Response:
        return HTMLResponse(first)

    async def show_game(request: Request) -> Response:
        number = number_in(request.path_params["number"])
        # A game that is not kept yet must not be cached as missing.
        text = await asyncio.to_thread(of_game, number) if hub.live.record(number) else None
        if text is None:
            return PlainTextResponse("There is no such game, or not any more.\n", 404)
        return HTMLResponse(text)

    return [
        Route("/", show),
        Route("/events", _Stream(hub), methods=["GET"]),
        Route("/games/{number}", show_game),
    ]


def number_in(text: str, default: int = SHOWN) -> int:
    """The number in a part of a URL; ``default`` if the part is not a number of at most nine
    digits."""
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 10 else default


def _event(name: str, document: Document) -> bytes:
    text = json.dumps(document, separators=(",", ":"))
    return f"event: {name}\ndata: {text}\n\n".encode()
