"""The ladder over HTTP: which address is answered by what, and how a refusal is said."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
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
    gate = readers.gate

    def get(path: str, handler: Handler, method: str = "GET") -> Route:
        return Route(path, _answering(handler, gate), methods=[method])

    def post(path: str, handler: Handler) -> Route:
        return get(path, handler, "POST")

    async def refuse(request: Request, error: Exception) -> Response:
        """Say why in a page, or in JSON to a program."""
        match error:
            case RequestRefused():
                status, said = error.status_code, error.detail
            case UsageError():
                status, said = 400, f"{str(error)[:1].upper()}{str(error)[1:]}."
            case OSError():  # an error of the disk: a closed connection is not an error here
                status, said = 507, f"The ladder cannot keep anything just now: {error.strerror}."
            case _:
                status, said = 503, "The ladder cannot answer just now."
        if request.url.path.startswith("/api/"):
            return JSONResponse({"error": said}, status)
        return HTMLResponse(pages.form_page(readers.ladder, said), status)

    url = urlsplit(gate.access.url)
    streaming = [Middleware(_Streaming, gate=gate)]
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
            get("/me/games/{number}/stderr", entry.own_stderr),
            get("/api/standings", readers.api_standings),
            get("/api/bots", readers.api_bots),
            get("/api/bots/{name:path}", readers.api_bot),
            get("/api/games", readers.api_games),
            get("/api/games/{number}", readers.api_game),
            Route("/api/feed", _answering(readers.api_feed, gate), middleware=streaming),
            post("/api/uploads", entry.api_upload),
            get("/api/uploads/{number}", entry.api_uploaded),
            Mount("/live", routes=routes(readers.hub), middleware=streaming),
            get("/{file}", readers.shared),
        ],
        middleware=[
            Middleware(Guard, names=names, origins=(f"{url.scheme}://{url.netloc}",)),
        ],
        exception_handlers=dict.fromkeys((RequestRefused, UsageError, OSError, JudgeFault), refuse),
    )


class _Streaming:
    """Counts the requests to what streams, until their answers end."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app = app
        self._gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._gate.streaming(Request(scope)):
            await self._app(scope, receive, send)


def _answering(handler: Handler, gate: Gate) -> Handler:
    """The same for those who do not ask too often, and for forms that a page of the ladder has sent."""

    async def answer(request: Request) -> Response:
        gate.require_not_many(request)
        is_form = request.method == "POST" and not request.url.path.startswith("/api/")
        if is_form and "origin" not in request.headers:  # `Guard` refuses those of other pages
            raise RequestRefused(403, "This form was not sent by a page of the ladder.")
        response = await handler(request)
        # By the usual one, no-referrer, a browser would not say whose page a form is of; by most
        # others it would give the token in the address of an entrant's link.
        response.headers["referrer-policy"] = "origin"
        return response

    return answer
