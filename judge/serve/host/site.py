"""The ladder's web application: the handler of each path, and the answer to a refused request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from judge.documents.codec import encode
from judge.documents.ladder import Refusal
from judge.errors import JudgeFault, UsageError
from judge.serve.host.entry import EntryPages
from judge.serve.host.gate import Gate, RequestRefused
from judge.serve.host.readers import JSON, Readers
from judge.serve.live_page import Guard, routes
from judge.show.pages import host as pages

Handler = Callable[[Request], Awaitable[Response]]


def application(host: str, readers: Readers, entry: EntryPages) -> Starlette:
    """Return the ladder's web application. ``host`` is the name or address at which it listens."""
    gate = readers.gate

    def get(path: str, handler: Handler, method: str = "GET") -> Route:
        return Route(path, _answering(handler, gate), methods=[method])

    def post(path: str, handler: Handler) -> Route:
        return get(path, handler, "POST")

    async def refuse(request: Request, error: Exception) -> Response:
        """Answer a failed request with the reason: as JSON under ``/api/``, as a page elsewhere."""
        match error:
            case RequestRefused():
                status, said = error.status_code, error.detail
            case HTTPException(status_code=status):  # no route is for this request
                said = (
                    "There is no such page." if status == 404 else "This page takes other requests."
                )
            case UsageError():
                status, said = 400, f"Refused: {str(error).removesuffix('.')}."
            case OSError():  # an error of the disk: a closed connection is not an error here
                status, said = 507, f"The ladder cannot keep anything just now: {error.strerror}."
            case _:
                status, said = 503, "The ladder cannot answer just now."
        headers = error.headers if isinstance(error, HTTPException) else None
        if request.url.path.startswith("/api/"):
            return Response(encode(Refusal(error=said)), status, headers, media_type=JSON)
        return HTMLResponse(pages.form_page(readers.ladder, said), status, headers)

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
        exception_handlers=dict.fromkeys((HTTPException, UsageError, OSError, JudgeFault), refuse),
    )


class _Streaming:
    """Counts each request as an open stream until its answer ends."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app = app
        self._gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._gate.streaming(Request(scope)):
            await self._app(scope, receive, send)


def _answering(handler: Handler, gate: Gate) -> Handler:
    """Return the handler behind two checks. They refuse an address that asks too often, and a form
    without an ``Origin`` header, which no page of the ladder has sent."""

    async def answer(request: Request) -> Response:
        gate.require_not_many(request)
        is_form = request.method == "POST" and not request.url.path.startswith("/api/")
        if is_form and "origin" not in request.headers:  # `Guard` refuses other origins
            raise RequestRefused(403, "This form was not sent by a page of the ladder.")
        response = await handler(request)
        # With the usual policy, no-referrer, a browser would not name the origin of a form. Most
        # other policies would tell the token in an entrant's link.
        response.headers["referrer-policy"] = "origin"
        return response

    return answer
