"""The ladder's web application: the handler of each path, and the answer to a refused request."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
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
from judge.serve.host.gate import is_api
from judge.serve.host.readers import JSON, Readers
from judge.serve.live_page import Guard, routes
from judge.show.pages import host as pages


def application(readers: Readers, entry: EntryPages) -> Starlette:
    """Return the ladder's web application."""
    gate = readers.gate

    def within(app: ASGIApp, enter: Callable[[Request], AbstractContextManager[None]]) -> ASGIApp:
        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            with enter(Request(scope)):
                await app(scope, receive, send)

        return answer

    async def refuse(request: Request, error: Exception) -> Response:
        """Answer a failed request with the reason: as JSON under ``/api/``, as a page elsewhere."""
        match error:
            case HTTPException(status_code=status, detail=said):
                pass
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
    names = (gate.hosting.where.host.lower(), url.hostname or "localhost")
    streams = [Middleware(within, enter=gate.streaming)]
    answered = [
        Route("/", readers.front),
        Route("/index.html", readers.front),
        Route("/bots/{name:path}", readers.bot),
        Route("/games/{number}", readers.game),
        Route("/enter", entry.enter),
        Route("/enter/{token}", entry.enter),
        Route("/enter", entry.entered, methods=["POST"]),
        Route("/leave", entry.left, methods=["POST"]),
        Route("/register", entry.register),
        Route("/register", entry.registered, methods=["POST"]),
        Route("/me", entry.author),
        Route("/me/upload", entry.upload, methods=["POST"]),
        Route("/me/games/{number}", entry.own_game),
        Route("/me/games/{number}/stderr", entry.own_stderr),
        Route("/api/standings", readers.api_standings),
        Route("/api/bots", readers.api_bots),
        Route("/api/bots/{name:path}", readers.bot),
        Route("/api/games", readers.api_games),
        Route("/api/games/{number}", readers.game),
        Route("/api/feed", readers.api_feed, middleware=streams),
        Route("/api/uploads", entry.upload, methods=["POST"]),
        Route("/api/uploads/{number}", entry.api_uploaded),
        Route("/{file:path}", readers.shared),
    ]
    # With the usual policy, no-referrer, a browser would not name the origin of a form. Most other
    # policies would tell the token in an entrant's link.
    guard = Middleware(
        Guard, names=names, origins=(f"{url.scheme}://{url.netloc}",), referrer_policy=b"origin"
    )
    return Starlette(
        routes=[
            Mount("/live", routes=routes(readers.hub), middleware=streams),
            Mount("", routes=answered, middleware=[Middleware(within, enter=gate.answering)]),
        ],
        middleware=[guard],
        exception_handlers=dict.fromkeys(
            (HTTPException, ClientDisconnect, UsageError, OSError, JudgeFault), refuse
        ),
    )
