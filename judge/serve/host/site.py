"""The ladder over HTTP: which address is answered by what, and how a refusal is said."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from judge.errors import JudgeFault, UsageError
from judge.serve.host.entry import EntryPages
from judge.serve.host.gate import Gate, RequestRefused
from judge.serve.host.readers import Readers
from judge.serve.live_page import Guard, routes
from judge.show.pages import host as pages

Handler = Callable[[Request], Awaitable[Response]]


def application(host: str, readers: Readers, entry: EntryPages) -> Starlette:
    """The application, for an address to listen at."""

    def get(path: str, handler: Handler) -> Route:
        return Route(path, _answering(handler, readers), methods=["GET"])

    def post(path: str, handler: Handler) -> Route:
        return Route(path, _answering(handler, readers), methods=["POST"])

    url = urlsplit(readers.gate.access.url)
    streaming = [Middleware(_Streaming, gate=readers.gate)]
    names = (host.lower(), (url.hostname or "").lower())
    return Starlette(
        routes=[
            get("/", readers.front),
            get("/index.html", readers.front),
            get("/bots/{name:path}", readers.bot),
            get("/games/{number}", readers.game),
            get("/enter", entry.enter),
            get("/enter/{token}", entry.enter),
            post("/enter", entry.entered),
            post("/leave", entry.left),
            get("/register", entry.register),
            post("/register", entry.registered),
            get("/me", entry.author),
            post("/me/upload", entry.upload_form),
            get("/me/games/{number}", entry.own_game),
            get("/api/standings", readers.api_standings),
            get("/api/bots", readers.api_bots),
            get("/api/bots/{name:path}", readers.api_bot),
            get("/api/games", readers.api_games),
            get("/api/games/{number}", readers.api_game),
            Route("/api/feed", _answering(readers.api_feed, readers), middleware=streaming),
            post("/api/uploads", entry.api_upload),
            get("/api/uploads/{number}", entry.api_uploaded),
            Mount("/live", routes=routes(readers.hub), middleware=streaming),
            get("/{file}", readers.shared),
        ],
        middleware=[
            Middleware(Guard, names=names, origins=(f"{url.scheme}://{url.netloc}",)),
        ],
    )


class _Streaming:
    """Counts the requests to what streams, until their answers end."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app = app
        self._gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with self._gate.streaming(Request(scope)):
                await self._app(scope, receive, send)
        except RequestRefused as error:
            await PlainTextResponse(f"{error}\n", error.status)(scope, receive, send)


def _answering(handler: Handler, readers: Readers) -> Handler:
    """The same, with what is refused as a page, or as JSON for a program."""

    async def answer(request: Request) -> Response:
        try:
            readers.gate.require_not_many(request)
            response = await handler(request)
        except RequestRefused as error:
            status, said = error.status, str(error)
        except UsageError as error:
            status, said = 400, f"{str(error)[:1].upper()}{str(error)[1:]}."
        except OSError as error:  # an error of the disk: a closed connection is not an error here
            status, said = 507, f"The ladder cannot keep anything just now: {error.strerror}."
        except JudgeFault:
            status, said = 503, "The ladder cannot answer just now."
        else:
            # By the usual one, no-referrer, a browser would not say whose page a form is of; by most
            # others it would give the token in the address of an entrant's link.
            response.headers["referrer-policy"] = "origin"
            return response
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": said}, status)
        return HTMLResponse(pages.form_page(readers.ladder, said), status)

    return answer
