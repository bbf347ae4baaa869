"""Identifies the clients of a ladder, limits how often they ask, and reads requests' bodies."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import parse_qsl

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Message

from judge.documents.host import Entrant
from judge.serve.host.folder import entrant_of
from judge.serve.host.view import LedgerView
from judge.serve.rate_limits import Allowance, network
from judge.serve.server import Address
from judge.show.pages.host import Ladder

COOKIE = "judge_token"
BODY_SECONDS = 60.0  # seconds in which the body of a request has to come
FORM_BYTES = 4096
ENVELOPE_BYTES = 8192  # bytes that a form may have besides its file
STREAMS_OF_ADDRESS = 10
# The content type of a browser's form with a file. A charset is refused: some charsets decode to half
# a surrogate pair, or in a time that grows with the square of the length.
_FORM = re.compile(r"multipart/form-data; *boundary=[^;]+", re.IGNORECASE)


def is_api(request: Request) -> bool:
    """Whether a program asks, which gets JSON, and not a browser, which gets pages."""
    return bool(request.scope["path"].startswith("/api/"))


class _RateLimits:
    """The limits on how often an address, an entrant, or all clients together may do something."""

    def __init__(self) -> None:
        self.requests = Allowance(2000, 0.005)
        self.pages = Allowance(400, 0.1)  # pages that have to be made
        self.guesses = Allowance(20, 6)
        self.registrations = Allowance(3, 3600)
        self.registrations_of_all = Allowance(60, 120)
        self.uploads = Allowance(60, 60)
        self.uploads_of_token = Allowance(6, 600)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosting:
    """The settings of a hosted ladder."""

    ladder: Ladder
    where: Address
    url: str
    """The ladder's address for clients; empty for the address at which it listens."""
    is_approving: bool = False
    """Whether the bot of a registered entrant waits for the organiser's approval."""
    behind_proxy: bool = False
    """Whether the address of a client is the one that a proxy reports."""
    new_share: float = 0.5
    """The share of the games that newcomers play in."""


class Gate:
    """Identifies clients, and refuses clients that ask too often. Only the event loop's thread uses
    it."""

    def __init__(self, hosting: Hosting, view: LedgerView, most_streams: int) -> None:
        """At most ``most_streams`` may be open at once. The other connections are left for
        pages."""
        self.hosting = hosting
        self.limits = _RateLimits()
        self.view = view
        self._most_streams = most_streams
        self._streams: Counter[str] = Counter()  # streams by address

    @contextmanager
    def answering(self, request: Request) -> Iterator[None]:
        """Count a request before a ``with`` block. Refuse it if its address has used up its
        allowance, and refuse a form without an ``Origin`` header, which no page of the ladder has
        sent. `judge.serve.live_page.Guard` refuses other origins."""
        self._take(self.limits.requests, request, "requests came")
        is_form = request.method == "POST" and not is_api(request)
        if is_form and "origin" not in request.headers:
            raise HTTPException(403, "This form was not sent by a page of the ladder.")
        yield

    def _take(self, allowance: Allowance, request: Request, many: str) -> None:
        """Count a request for the client's address, and refuse it if the allowance is used up."""
        if not allowance.take(self.address(request)):
            raise HTTPException(429, f"Too many {many} from your address: wait a moment.")

    def address(self, request: Request) -> str:
        address = request.client.host if request.client else ""
        told = request.headers.getlist("x-forwarded-for")
        if told and self.hosting.behind_proxy:  # the last address is what the proxy itself saw
            address = told[-1].rpartition(",")[2].strip()
        try:
            return network(address)
        except ValueError:
            return "?"

    def known(self, request: Request, token: str) -> Entrant | None:
        """Return the entrant with a token, or None. A right token is always let through. A wrong
        token is refused if too many wrong tokens have come from the client's address."""
        entrant = entrant_of(self.view.host, token)
        if token and entrant is None:
            self._take(self.limits.guesses, request, "wrong tokens came")
        return entrant

    def entrant(self, request: Request) -> Entrant:
        """Return the entrant whose token is the browser's cookie or, below ``/api/``, in the
        Authorization header. Refuse a request without a valid token."""
        if is_api(request):
            kind, _, token = request.headers.get("authorization", "").partition(" ")
            token = token.strip() if kind.lower() == "bearer" else ""
            mend = "This needs the header Authorization: Bearer TOKEN, with your token."
        else:
            token = request.cookies.get(COOKIE, "")
            mend = "Enter with your token first: open the link that you were sent."
        if (entrant := self.known(request, token)) is None:
            raise HTTPException(401, mend)
        return entrant

    def require_few_pages(self, request: Request) -> None:
        """Count a page for the client's address, and refuse it if the allowance is used up. Making
        a page takes processor time from the games."""
        self._take(self.limits.pages, request, "pages were asked for")

    @contextmanager
    def streaming(self, request: Request) -> Iterator[None]:
        """Count a request as an open stream within a ``with`` block. Refuse the request if too many
        streams are open, or if its address has used up its allowance of pages."""
        self.require_few_pages(request)
        address = self.address(request)
        if self._streams[address] >= STREAMS_OF_ADDRESS:
            raise HTTPException(429, f"{STREAMS_OF_ADDRESS} streams to your address are open.")
        if self._streams.total() >= self._most_streams:
            raise HTTPException(503, "Too many streams are open: try again in a minute.")
        self._streams[address] += 1
        try:
            yield
        finally:
            self._streams[address] -= 1
            self._streams += Counter()  # adding an empty counter drops zero counts


async def form(request: Request) -> dict[str, str]:
    data = await body(request, FORM_BYTES)
    return dict(parse_qsl(data.decode(errors="replace")))


async def body(request: Request, most: int) -> bytes:
    """Read the body of a request. Refuse a body that has more than ``most`` bytes or is too slow.
    Raises `ClientDisconnect` if it breaks off."""
    data = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                data += part
                if len(data) > most:
                    raise HTTPException(413, f"That is longer than {most:,} bytes.")
    except TimeoutError:
        raise HTTPException(408, f"It did not come within {BODY_SECONDS:g} seconds.") from None
    return bytes(data)


async def file_of(request: Request, most: int) -> tuple[str, bytes]:
    """Read the file that a browser's form or, below ``/api/``, a program sends. Returns the name
    and the content of the file."""
    if is_api(request):
        return request.query_params.get("name", "bot"), await body(request, most)
    data = await body(request, most + ENVELOPE_BYTES)
    if not _FORM.fullmatch(request.headers.get("content-type", "")):
        raise HTTPException(400, "That is not a form of this ladder.")

    async def receive() -> Message:
        return {"type": "http.request", "body": data}

    try:
        async with Request(request.scope, receive).form(max_files=1, max_fields=4) as form:
            if isinstance(file := form.get("bot"), UploadFile):
                return file.filename or "bot", await file.read()
    except (HTTPException, KeyError, ValueError, AttributeError):
        raise HTTPException(400, "That is not a form of this ladder.") from None
    raise HTTPException(400, "Choose a file first.")
