"""The ladder's web application: the handler of each path, and the answer to a refused request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from judge.documents.codec import encode
from judge.documents.ladder import Refusal
from judge.errors import JudgeFault, UsageError
from judge.serve.host.entry import EntryPages
from judge.serve.host.gate import RequestRefused, is_api
from judge.serve.host.readers import JSON, Readers
from judge.serve.live_page import Guard, routes
from judge.show.pages import host as pages


def application(readers: Readers, entry: EntryPages) -> Starlette:
    """Return the ladder's web application."""
    gate = readers.gate

    def streaming(app: ASGIApp) -> ASGIApp:
        """Count each request as an open stream until its answer ends."""

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            with gate.streaming(Request(scope)):
                await app(scope, receive, send)

        return answer

    def checked(app: ASGIApp) -> ASGIApp:
        """Refuse an address that asks too often, and a form without an ``Origin`` header, which no
        page of the ladder has sent."""

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            request = Request(scope)
            gate.require_not_many(request)
            is_form = request.method == "POST" and not is_api(request)
            if is_form and "origin" not in request.headers:  # `Guard` refuses other origins
                raise RequestRefused(403, "This form was not sent by a page of the ladder.")
            await app(scope, receive, send)

        return answer

    def post(path: str, handler: Callable[[Request], Awaitable[Response]]) -> Route:
        return Route(path, handler, methods=["POST"])

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
        if is_api(request):
            return Response(encode(Refusal(error=said)), status, headers, media_type=JSON)
        return HTMLResponse(pages.form_page(gate.hosting.ladder, said), status, headers)

    url = urlsplit(gate.hosting.url)
    names = (gate.hosting.where.host.lower(), (url.hostname or "localhost").lower())
    streams = [Middleware(streaming)]
    answered = [
        Route("/", readers.front),
        Route("/index.html", readers.front),
        Route("/bots/{name:path}", readers.bot),
        Route("/games/{number}", readers.game),
        Route("/enter", entry.enter),
        Route("/enter/{token}", entry.enter),
        post("/enter", entry.entered),
        post("/leave", entry.left),
        Route("/register", entry.register),
        post("/register", entry.registered),
        Route("/me", entry.author),
        post("/me/upload", entry.upload),
        Route("/me/games/{number}", entry.own_game),
        Route("/me/games/{number}/stderr", entry.own_stderr),
        Route("/api/standings", readers.api_standings),
        Route("/api/bots", readers.api_bots),
        Route("/api/bots/{name:path}", readers.bot),
        Route("/api/games", readers.api_games),
        Route("/api/games/{number}", readers.game),
        Route("/api/feed", readers.api_feed, middleware=streams),
        post("/api/uploads", entry.upload),
        Route("/api/uploads/{number}", entry.api_uploaded),
        Route("/{file}", readers.shared),
    ]
    # With the usual policy, no-referrer, a browser would not name the origin of a form. Most other
    # policies would tell the token in an entrant's link.
    guard = Middleware(
        Guard, names=names, origins=(f"{url.scheme}://{url.netloc}",), referrer_policy=b"origin"
    )
    return Starlette(
        routes=[
            Mount("/live", routes=routes(readers.hub), middleware=streams),
            Mount("", routes=answered, middleware=[Middleware(checked)]),
        ],
        middleware=[guard],
        exception_handlers=dict.fromkeys(
            (HTTPException, ClientDisconnect, UsageError, OSError, JudgeFault), refuse
        ),
    )
