"""The ladder over HTTP: pages for readers and entrants, uploads, the API, and the feed of games.

A reader's page is made once for all readers of a second. An entrant is known by a token, in a cookie or
in the header Authorization; what only the entrant may see is never kept by a cache. A form is taken
only from a page of the ladder itself.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from msgspec.structs import replace

from judge.documents.codec import builtins
from judge.documents.host import Entrant, Upload
from judge.documents.standings import Row
from judge.errors import JudgeFault, UsageError
from judge.serve.host.folder import HostFolder, entrant_of
from judge.serve.host.uploads import Checks, Uploads
from judge.serve.host.view import LedgerView, SeenGame
from judge.serve.live_page import HEARTBEAT, Guard, Hub, routes
from judge.serve.rate_limits import Allowance, network
from judge.show.pages import host as pages
from judge.show.pages import html
from judge.show.pages.host import Ladder, ListedGame
from judge.show.pages.page import page

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

COOKIE = "judge_token"
FRESH_SECONDS = 1.0  # for which a page that was made is shown to others
LISTED = 20  # games on the front page
OF_BOT = 50  # games on the page of a bot, or of its author
MOST_GAMES = 1000  # of an answer of the API
UPLOADS_AT_ONCE = 20
BODY_SECONDS = 60.0  # for an upload to come
FORM_BYTES = 4096
ENVELOPE_BYTES = 8192  # of a form around an upload
MOST_KEPT = 32 * 2**20  # bytes of pages that were made
_NUMBER = re.compile("[0-9]{1,9}")

Handler = Callable[["Request"], Awaitable["Response"]]


class _Refused(Exception):
    """A request is refused, with a status of HTTP and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(slots=True)
class _RateLimits:
    """How often an address or a token may do something: so often at once, and once more after so many
    seconds."""

    requests: Allowance = field(default_factory=lambda: Allowance(2000, 0.005))
    pages: Allowance = field(default_factory=lambda: Allowance(400, 0.1))  # that have to be made
    guesses: Allowance = field(default_factory=lambda: Allowance(20, 6))
    registrations: Allowance = field(default_factory=lambda: Allowance(3, 3600))
    uploads: Allowance = field(default_factory=lambda: Allowance(60, 60))
    uploads_of_token: Allowance = field(default_factory=lambda: Allowance(6, 600))


@dataclass(frozen=True, slots=True)
class Access:
    """Who may enter and from where: ``url`` is what the ladder is reached by, ``is_approving`` if new
    entrants wait for the organiser, and ``behind_proxy`` if addresses are those that a proxy tells."""

    url: str
    is_approving: bool = False
    behind_proxy: bool = False


@dataclass(frozen=True, slots=True)
class _Made:
    """A page as it was made at some time."""

    body: bytes
    tag: str
    at: float


class Site:
    """What answers requests, in the loop that runs."""

    def __init__(
        self,
        ladder: Ladder,
        access: Access,
        folder: HostFolder,
        uploads: Uploads,
        hub: Hub,
    ) -> None:
        """``view`` and ``checks`` are given before the first request."""
        self.view: LedgerView
        self.checks: Checks
        self._ladder = ladder
        self._access = access
        self._folder = folder
        self._uploads = uploads
        self._hub = hub
        self._made: dict[object, _Made] = {}
        self._making: dict[object, asyncio.Lock] = {}
        self._kept_bytes = 0
        self._limits = _RateLimits()
        self._under_way = 0  # uploads
        self._is_new = asyncio.Event()  # a game

    def hear(self) -> None:
        """Games are over: tell the feed."""
        woken, self._is_new = self._is_new, asyncio.Event()
        woken.set()

    def application(self, host: str) -> Starlette:
        """The application, for an address to listen at."""
        from starlette.applications import Starlette
        from starlette.middleware import Middleware
        from starlette.routing import Mount, Route

        def get(path: str, handler: Handler) -> Route:
            return Route(path, self._answering(handler), methods=["GET"])

        def post(path: str, handler: Handler) -> Route:
            return Route(path, self._answering(handler), methods=["POST"])

        url = urlsplit(self._access.url)
        names = (host.lower(), (url.hostname or "").lower())
        return Starlette(
            routes=[
                get("/", self._front),
                get("/index.html", self._front),
                get("/bots/{name:path}", self._bot),
                get("/games/{number}", self._game),
                get("/enter", self._enter),
                get("/enter/{token}", self._enter),
                post("/enter", self._entered),
                post("/leave", self._left),
                get("/register", self._register),
                post("/register", self._registered),
                get("/me", self._author),
                post("/me/upload", self._upload_form),
                get("/me/games/{number}", self._own_game),
                get("/api/standings", self._api_standings),
                get("/api/bots", self._api_bots),
                get("/api/bots/{name:path}", self._api_bot),
                get("/api/games", self._api_games),
                get("/api/games/{number}", self._api_game),
                get("/api/feed", self._api_feed),
                post("/api/uploads", self._api_upload),
                get("/api/uploads/{number}", self._api_uploaded),
                Mount("/live", routes=routes(self._hub)),
                get("/{file}", self._shared),
            ],
            middleware=[
                Middleware(Guard, names=names, origins=(f"{url.scheme}://{url.netloc}",)),
            ],
        )

    def _answering(self, handler: Handler) -> Handler:
        """The same, with what is refused as a page, or as JSON for a program."""
        from starlette.responses import HTMLResponse, JSONResponse

        async def answer(request: Request) -> Response:
            try:
                self._require_not_many(request)
                response = await handler(request)
            except _Refused as error:
                status, said = error.status, str(error)
            except UsageError as error:
                status, said = 400, f"{str(error)[:1].upper()}{str(error)[1:]}."
            except OSError as error:  # of the disk: a connection that ends is no error here
                status, said = 507, f"The ladder cannot keep anything just now: {error.strerror}."
            except JudgeFault:
                status, said = 503, "The ladder cannot answer just now."
            else:
                # By the usual one, no-referrer, a browser would not say whose page a form is of.
                response.headers["referrer-policy"] = "same-origin"
                return response
            if request.url.path.startswith("/api/"):
                return JSONResponse({"error": said}, status)
            return HTMLResponse(pages.form_page(self._ladder, said), status)

        return answer

    # Who asks

    def _require_not_many(self, request: Request) -> None:
        if not self._limits.requests.take(self._address(request)):
            raise _Refused(429, "Too many requests came from your address: wait a moment.")

    def _address(self, request: Request) -> str:
        address = request.client.host if request.client else ""
        if self._access.behind_proxy:  # the last one is what the proxy itself has seen
            told = request.headers.getlist("x-forwarded-for")
            address = told[-1].rpartition(",")[2].strip() if told else address
        try:
            return network(address)
        except ValueError:
            return "?"

    def _known(self, request: Request, token: str) -> Entrant | None:
        """The entrant of a token. Who guesses is slowed down."""
        entrant = entrant_of(self.view.host, token)
        if token and entrant is None and not self._limits.guesses.take(self._address(request)):
            raise _Refused(429, "Too many wrong tokens came from your address: wait a minute.")
        return entrant

    def _entrant(self, request: Request) -> Entrant:
        """The entrant whose browser asks."""
        entrant = self._known(request, request.cookies.get(COOKIE, ""))
        if entrant is None:
            raise _Refused(401, "Enter with your token first: open the link that you were sent.")
        return entrant

    def _bearer(self, request: Request) -> Entrant:
        """The entrant whose program asks."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        entrant = self._known(request, token.strip()) if kind.lower() == "bearer" else None
        if entrant is None:
            raise _Refused(
                401, "This needs the header Authorization: Bearer TOKEN, with your token."
            )
        return entrant

    def _require_few_pages(self, request: Request) -> None:
        """Refuse who has pages made all the time, which takes the processor from the games."""
        if not self._limits.pages.take(self._address(request)):
            raise _Refused(429, "Too many pages were asked for from your address: wait a moment.")

    def _require_own_page(self, request: Request) -> None:
        """Refuse a form that no page of the ladder has sent; `Guard` refuses those of others."""
        if "origin" not in request.headers:
            raise _Refused(403, "This form was not sent by a page of the ladder.")

    # What readers see

    @property
    def _hidden(self) -> frozenset[str]:
        return frozenset(one.name for one in self.view.host.entrants if one.hidden)

    def _rows(self) -> tuple[Row, ...]:
        hidden = self._hidden
        return tuple(row for row in self.view.table.standings.rows if row.name not in hidden)

    def _is_shown(self, game: SeenGame) -> bool:
        return self._hidden.isdisjoint(game.result.names)

    def _listed(self, games: Sequence[SeenGame]) -> list[ListedGame]:
        view = self.view
        return [
            ListedGame(
                game.number, game.result, view.counts(game), view.record(game.number) is not None
            )
            for game in games
        ]

    async def _fresh(
        self, request: Request, key: object, make: Callable[[], str], kind: str
    ) -> Response:
        """What ``make`` gives, or has given a moment ago; nothing anew to who has it already."""
        from starlette.responses import Response

        key = kind, key
        async with self._making.setdefault(key, asyncio.Lock()):
            made = self._made.get(key)
            if made is None or time.monotonic() - made.at > FRESH_SECONDS:
                self._require_few_pages(request)
                body = (await asyncio.to_thread(make)).encode()
                tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
                if self._kept_bytes + len(body) > MOST_KEPT:
                    self._made.clear()
                    self._making.clear()
                    self._kept_bytes = 0
                self._kept_bytes += len(body)
                self._made[key] = made = _Made(body, tag, time.monotonic())
        headers = {"etag": made.tag, "cache-control": "no-cache"}
        asked = request.headers.get("if-none-match", "")
        if made.tag in (one.strip().removeprefix("W/") for one in asked.split(",")):
            return Response(status_code=304, headers=headers)
        return Response(made.body, media_type=kind, headers=headers)

    async def _html(self, request: Request, key: object, make: Callable[[], str]) -> Response:
        return await self._fresh(request, key, make, "text/html")

    async def _json(self, request: Request, key: object, make: Callable[[], Any]) -> Response:
        def text() -> str:
            return json.dumps(make(), separators=(",", ":"))

        return await self._fresh(request, key, text, "application/json")

    async def _front(self, request: Request) -> Response:
        by = request.query_params.get("by", "elo")
        by = by if by in pages.ORDERS else "elo"
        playing = [text for _, text in self._hub.live.document()["games"]["playing"]]

        def make() -> str:
            table, rows = self.view.table, self._rows()
            best = sorted(rows, key=lambda row: -row.elo)
            return pages.front_page(
                self._ladder,
                table.standings,
                rows,
                by=by,
                curves=table.curves([row.name for row in best]),
                recorded=table.recorded,
                first=table.day[0].games,
                playing=playing,
                latest=self._listed(self.view.latest(LISTED, of=self._is_shown)),
            )

        return await self._html(request, ("front", by), make)

    async def _bot(self, request: Request) -> Response:
        name = request.path_params["name"]
        self._require_bot(name)

        def make() -> str:
            rows = self._rows()
            return pages.bot_page(
                self._ladder,
                next(row for row in rows if row.name == name),
                self.view.versions(name),
                len(rows),
                self._listed(self.view.latest(OF_BOT, of=partial(self._is_of, name))),
            )

        return await self._html(request, ("bot", name), make)

    def _require_bot(self, name: str) -> None:
        if not any(row.name == name for row in self._rows()):
            raise _Refused(404, "There is no such bot, or it has not played yet.")

    def _is_of(self, name: str, game: SeenGame) -> bool:
        return name in game.result.names and self._is_shown(game)

    async def _game(self, request: Request) -> Response:
        number = _number(request)
        await self._require_game(number)

        def make() -> str:
            record = self.view.record(number)
            assert record is not None, "games stay"
            return page(pages.public(record), root="/", contest=self._ladder.title)

        return await self._html(request, ("game", number), make)

    async def _require_game(self, number: int) -> None:
        record = await asyncio.to_thread(self.view.record, number)
        if record is None or not self._hidden.isdisjoint(seat.name for seat in record.seats):
            raise _Refused(404, "There is no such game, or the other game of its pair is not over.")

    async def _shared(self, request: Request) -> Response:
        """A style sheet or a script: its name has its digest, so a browser keeps it."""
        from starlette.responses import Response

        name = request.path_params["file"]
        text = html.shared_files().get(name) if html.is_shared(name) else None
        if text is None:
            raise _Refused(404, "There is no such page.")
        kind = "text/css" if name.endswith(".css") else "text/javascript"
        headers = {"cache-control": "public, max-age=31536000, immutable"}
        return Response(text, media_type=kind, headers=headers)

    # Entrants

    async def _enter(self, request: Request) -> Response:
        from starlette.responses import HTMLResponse

        token = request.path_params.get("token", "")
        entrant = self._known(request, token)
        if token and entrant is None:
            raise _Refused(404, "This link is not valid, or not any more: ask the organiser.")
        if entrant is None:
            return HTMLResponse(pages.form_page(self._ladder, "Enter", form="enter"))
        heading = f"Enter as {entrant.name}"
        return HTMLResponse(pages.form_page(self._ladder, heading, form="confirm", value=token))

    async def _entered(self, request: Request) -> Response:
        from starlette.responses import RedirectResponse

        self._require_own_page(request)
        token = (await self._form(request)).get("token", "").strip().rpartition("/")[2]
        if self._known(request, token) is None:
            raise _Refused(401, "This token is not valid, or not any more: ask the organiser.")
        response = RedirectResponse("/me", 303)
        self._set_cookie(response, token)
        return response

    def _set_cookie(self, response: Response, token: str) -> None:
        is_secure = self._access.url.startswith("https:")
        response.set_cookie(COOKIE, token, httponly=True, samesite="lax", secure=is_secure)

    async def _left(self, request: Request) -> Response:
        from starlette.responses import RedirectResponse

        self._require_own_page(request)
        response = RedirectResponse("/", 303)
        response.delete_cookie(COOKIE)
        return response

    async def _register(self, request: Request) -> Response:
        from starlette.responses import HTMLResponse

        self._require_open()
        text = "The bot gets this name, and you get a token."
        return HTMLResponse(pages.form_page(self._ladder, "Register", text, form="register"))

    def _require_open(self) -> None:
        if not self._ladder.is_open:
            raise _Refused(403, "The organiser of this ladder invites entrants.")

    async def _registered(self, request: Request) -> Response:
        from starlette.responses import HTMLResponse

        self._require_open()
        self._require_own_page(request)
        if not self._limits.registrations.take(self._address(request)):
            raise _Refused(429, "Too many have registered from your address: wait an hour.")
        name = (await self._form(request)).get("name", "").strip()
        is_approved = not self._access.is_approving
        token = await asyncio.to_thread(self._folder.register, name, approved=is_approved)
        response = HTMLResponse(
            pages.form_page(self._ladder, f"Registered: {name}", form="token", value=token)
        )
        self._set_cookie(response, token)
        return response

    async def _author(self, request: Request) -> Response:
        from starlette.responses import HTMLResponse

        entrant = self._entrant(request)
        message = (
            "It is here, and waits for its check." if "received" in request.query_params else ""
        )
        return HTMLResponse(await asyncio.to_thread(self._page_of, entrant, message))

    def _page_of(self, entrant: Entrant, message: str) -> str:
        rows = self.view.table.standings.rows
        lost = self.view.latest(OF_BOT, of=partial(_is_lost, entrant.name))
        return pages.author_page(
            self._ladder,
            entrant.name,
            is_approved=entrant.approved,
            row=next((row for row in rows if row.name == entrant.name), None),
            field=len(rows),
            uploads=self._uploads.of(entrant.name),
            lost=self._listed(lost),
            message=message,
            most_bytes=self._uploads.most_bytes,
        )

    async def _own_game(self, request: Request) -> Response:
        from starlette.responses import HTMLResponse

        name = self._entrant(request).name
        self._require_few_pages(request)
        record = await asyncio.to_thread(self.view.record, _number(request))
        if record is None or name not in {seat.name for seat in record.seats}:
            raise _Refused(404, "There is no such game of yours, or its pair is not over.")
        own = pages.of_entrant(record, name)
        return HTMLResponse(await asyncio.to_thread(page, own, root="/"))

    # Uploads

    async def _upload_form(self, request: Request) -> Response:
        from starlette.responses import RedirectResponse

        self._require_own_page(request)
        entrant = self._entrant(request)

        async def sent() -> tuple[str, bytes]:
            data = await self._body(request, self._uploads.most_bytes + ENVELOPE_BYTES)
            return await _file_of(request, data)

        await self._received(request, entrant, sent)
        return RedirectResponse("/me?received", 303)

    async def _api_upload(self, request: Request) -> Response:
        from starlette.responses import JSONResponse

        entrant = self._bearer(request)

        async def sent() -> tuple[str, bytes]:
            called = request.query_params.get("name", "bot")
            return called, await self._body(request, self._uploads.most_bytes)

        upload = await self._received(request, entrant, sent)
        return JSONResponse(_told(upload), 202)

    async def _received(
        self,
        request: Request,
        entrant: Entrant,
        sent: Callable[[], Awaitable[tuple[str, bytes]]],
    ) -> Upload:
        """Take an upload in; it is on the disk when this returns."""
        limits = self._limits
        if self._under_way >= UPLOADS_AT_ONCE:
            raise _Refused(503, "Too many uploads are under way: try again in a minute.")
        if not limits.uploads_of_token.take(entrant.name) or not limits.uploads.take(
            self._address(request)
        ):
            raise _Refused(429, "Too many uploads have come: wait ten minutes.")
        self._under_way += 1
        try:
            called, data = await sent()
            upload = await asyncio.to_thread(self._uploads.receive, entrant.name, called, data)
        finally:
            self._under_way -= 1
        self.checks.wake()
        return upload

    async def _api_uploaded(self, request: Request) -> Response:
        from starlette.responses import JSONResponse

        entrant = self._bearer(request)
        upload = self._uploads.number(_number(request))
        if upload is None or upload.name != entrant.name:
            raise _Refused(404, "There is no such upload of yours.")
        return JSONResponse(_told(upload))

    async def _form(self, request: Request) -> dict[str, str]:
        data = await self._body(request, FORM_BYTES)
        found = parse_qs(data.decode(errors="replace"), max_num_fields=10)
        return {name: values[0] for name, values in found.items()}

    async def _body(self, request: Request, most: int) -> bytes:
        """The body of a request. Refused if it is too long or too slow."""
        from starlette.requests import ClientDisconnect

        data = bytearray()
        try:
            async with asyncio.timeout(BODY_SECONDS):
                async for part in request.stream():
                    data += part
                    if len(data) > most:
                        raise _Refused(413, f"That is longer than {most:,} bytes.")
        except TimeoutError:
            raise _Refused(408, f"It did not come within {BODY_SECONDS:g} seconds.") from None
        except ClientDisconnect:
            raise _Refused(400, "It broke off.") from None
        return bytes(data)

    # Programs

    async def _api_standings(self, request: Request) -> Response:
        def make() -> Any:
            document = self.view.table.standings.document
            return builtins(replace(document, bots=self._rows()))

        return await self._json(request, "standings", make)

    async def _api_bots(self, request: Request) -> Response:
        def make() -> Any:
            return {"bots": [_in_brief(row) for row in self._rows()]}

        return await self._json(request, "bots", make)

    async def _api_bot(self, request: Request) -> Response:
        name = request.path_params["name"]
        self._require_bot(name)

        def make() -> Any:
            games = self.view.latest(OF_BOT, of=partial(self._is_of, name))
            row = next(row for row in self._rows() if row.name == name)
            return {**builtins(row), "latest": [*map(self._listed_game, games)]}

        return await self._json(request, ("bot", name), make)

    def _listed_game(self, game: SeenGame) -> dict[str, Any]:
        result = game.result
        return {
            "number": game.number,
            "names": list(result.names),
            "winner": result.winner,
            "termination": result.termination,
            "shots": result.shots,
            "counts": self.view.counts(game),
        }

    async def _api_games(self, request: Request) -> Response:
        before = _number_in(request.query_params.get("before", ""), 10**9)
        most = min(MOST_GAMES, _number_in(request.query_params.get("most", ""), 100))

        def make() -> Any:
            games = self.view.latest(most, before=before, of=self._is_shown)
            return {"games": [*map(self._listed_game, games)]}

        return await self._json(request, ("games", before, most), make)

    async def _api_game(self, request: Request) -> Response:
        number = _number(request)
        await self._require_game(number)

        def make() -> Any:
            record = self.view.record(number)
            assert record is not None, "games stay"
            return builtins(pages.public(record))

        return await self._json(request, ("game", number), make)

    async def _api_feed(self, request: Request) -> Response:
        from starlette.responses import StreamingResponse

        last = request.headers.get("last-event-id", "")
        after = _number_in(last, self.view.table.recorded)
        return StreamingResponse(self._events(after), media_type="text/event-stream")

    async def _events(self, after: int) -> AsyncIterator[str]:
        """The games after one, as they are added."""
        yield ":\n\n"
        while True:
            is_new = self._is_new
            for game in reversed(self.view.latest(MOST_GAMES, after=after, of=self._is_shown)):
                after = game.number
                data = json.dumps(self._listed_game(game), separators=(",", ":"))
                yield f"id: {game.number}\nevent: game\ndata: {data}\n\n"
            try:
                async with asyncio.timeout(HEARTBEAT):
                    await is_new.wait()
            except TimeoutError:
                yield ":\n\n"


async def _file_of(request: Request, data: bytes) -> tuple[str, bytes]:
    """The file that a form has sent, and its name."""
    from starlette.datastructures import UploadFile
    from starlette.formparsers import MultiPartException, MultiPartParser

    async def stream() -> AsyncGenerator[bytes, None]:
        yield data

    parser = MultiPartParser(request.headers, stream(), max_files=1, max_fields=4)
    parser.spool_max_size = len(data) + 1  # nothing of it is written elsewhere
    try:
        form = await parser.parse()
    except (MultiPartException, KeyError, ValueError, AttributeError):
        raise _Refused(400, "That is no form of this ladder.") from None
    try:
        file = form.get("bot")
        if not isinstance(file, UploadFile):
            raise _Refused(400, "Choose a file first.")
        return file.filename or "bot", await file.read()
    finally:
        await form.close()


def _is_lost(name: str, game: SeenGame) -> bool:
    result = game.result
    return name in result.names and result.winner == 1 - result.names.index(name)


def _in_brief(row: Row) -> dict[str, Any]:
    known = builtins(row)
    return {
        key: known[key]
        for key in ("name", "version", "points", "elo", "elo_95", "rank_95", "games")
    }


def _told(upload: Upload) -> dict[str, Any]:
    """What an entrant's program is told of an upload."""
    known = builtins(upload)
    return {key: known[key] for key in ("number", "state", "file", "digest", "received", "report")}


def _number(request: Request) -> int:
    return _number_in(request.path_params["number"], 0)


def _number_in(text: str, default: int) -> int:
    return int(text) if _NUMBER.fullmatch(text) and text.isascii() else default
