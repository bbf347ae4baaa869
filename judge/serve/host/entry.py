"""Answers a ladder's entrants: entry, registration, uploads, and their own games and stderr.

No cache keeps the answers. `judge.serve.host.site` refuses a form that no page of the ladder sent.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from judge.documents.codec import encode
from judge.documents.game import GameRecord
from judge.documents.host import Entrant
from judge.serve.host.folder import HostFolder
from judge.serve.host.gate import COOKIE, Gate, file_of, form, is_api
from judge.serve.host.readers import JSON
from judge.serve.host.stderr import StderrStore
from judge.serve.host.uploads import UploadChecks, Uploads, playing_of
from judge.serve.host.view import LedgerView
from judge.serve.live_page import number_in
from judge.show.pages import host as pages
from judge.show.pages.host import Ladder
from judge.show.pages.page import page

ALL = "all"  # the key that counts all clients together
UPLOADS_AT_ONCE = 20


@dataclass(slots=True)
class EntryPages:
    """Answers entrants' requests, in the running event loop."""

    ladder: Ladder
    gate: Gate
    view: LedgerView
    folder: HostFolder
    uploads: Uploads
    checks: UploadChecks
    stderr: StderrStore
    _under_way: int = 0  # uploads that are being received
    _registering: asyncio.Lock = field(default_factory=asyncio.Lock)
    # One upload is unpacked at a time, so that pages find a thread.
    _unpacking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def enter(self, request: Request) -> Response:
        token = request.path_params.get("token", "")
        entrant = self.gate.known(request, token)
        if token and entrant is None:
            raise HTTPException(404, "This link is not valid, or not any more: ask the organiser.")
        if entrant is None:
            return self._form("Enter", "enter")
        return self._form(f"Enter as {entrant.name}", "confirm", value=token)

    def _form(self, heading: str, form: str, text: str = "", value: str = "") -> Response:
        return HTMLResponse(pages.form_page(self.ladder, heading, text, form=form, value=value))

    async def entered(self, request: Request) -> Response:
        token = (await form(request)).get("token", "").strip().rpartition("/")[2]
        if self.gate.known(request, token) is None:
            raise HTTPException(401, "This token is not valid, or not any more: ask the organiser.")
        response = RedirectResponse("/me", 303)
        self._set_cookie(response, token)
        return response

    def _set_cookie(self, response: Response, token: str) -> None:
        is_secure = self.gate.hosting.url.startswith("https:")
        response.set_cookie(COOKIE, token, httponly=True, samesite="lax", secure=is_secure)

    async def left(self, request: Request) -> Response:
        response = RedirectResponse("/", 303)
        response.delete_cookie(COOKIE)
        return response

    async def register(self, request: Request) -> Response:
        self._require_open()
        return self._form("Register", "register", "The bot gets this name, and you get a token.")

    def _require_open(self) -> None:
        if not self.ladder.is_open:
            raise HTTPException(403, "The organiser of this ladder invites entrants.")

    async def registered(self, request: Request) -> Response:
        self._require_open()
        self.gate.require_few_pages(request)
        name = (await form(request)).get("name", "").strip()
        limits, address = self.gate.limits, self.gate.address(request)
        async with self._registering:  # a refused name is not counted
            if not (limits.registrations_of_all.has(ALL) and limits.registrations.has(address)):
                raise HTTPException(429, "Too many have registered: wait an hour.")
            token = await asyncio.to_thread(self._register, name)
            limits.registrations_of_all.use(ALL)
            limits.registrations.use(address)
        await asyncio.to_thread(self.view.look_at_entrants)
        response = self._form(f"Registered: {name}", "token", value=token)
        self._set_cookie(response, token)
        return response

    def _register(self, name: str) -> str:
        return self.folder.register(
            name,
            approved=not self.gate.hosting.is_approving,
            known=[*self.view.names(), *self.uploads.by_name()],
        )

    async def author(self, request: Request) -> Response:
        entrant = self.gate.entrant(request)
        is_new = "received" in request.query_params
        return HTMLResponse(await asyncio.to_thread(self._page_of, entrant, is_new))

    def _page_of(self, entrant: Entrant, is_new: bool) -> str:
        rows, name = self.view.snapshot.standings.rows, entrant.name
        lost, own = self.view.latest_of(name, lost=True), self.view.latest_of(name)
        uploads = self.uploads.by_name().get(name, [])
        current = playing_of(uploads)
        return pages.author_page(
            self.ladder,
            entrant,
            row=next((row for row in rows if row.name == name), None),
            field=len(rows),
            why_idle=self.view.why_idle(name, current.digest) if current else "",
            uploads=uploads,
            lost=lost,
            stderr=[
                game.number
                for game in own
                if game.has_page() and self.stderr.has(name, game.result.id)
            ],
            is_new=is_new,
            most_bytes=self.uploads.most_bytes,
        )

    async def own_game(self, request: Request) -> Response:
        name, record = await self._own(request)
        own = pages.of_entrant(record, name)
        return HTMLResponse(await asyncio.to_thread(page, own, root="/"))

    async def own_stderr(self, request: Request) -> Response:
        name, record = await self._own(request)
        text = await asyncio.to_thread(self.stderr.text, name, record.id)
        if not text:
            raise HTTPException(404, "Your bot wrote nothing to stderr in it, or the text is old.")
        return Response(text, media_type="text/plain")

    async def _own(self, request: Request) -> tuple[str, GameRecord]:
        """Return the name of the entrant who asks for a game, and the game. Refuse a game in which
        the entrant's bot did not play, or whose pair is not over."""
        name = self.gate.entrant(request).name
        self.gate.require_few_pages(request)
        record = await asyncio.to_thread(self.view.record, number_in(request.path_params["number"]))
        if record is None or name not in {seat.name for seat in record.seats}:
            raise HTTPException(404, "There is no such game of yours, or its pair is not over.")
        return name, record

    async def upload(self, request: Request) -> Response:
        """Receive an upload of an entrant, which is on the disk when this returns. Refuse an upload
        if too many have come or are under way."""
        entrant, limits = self.gate.entrant(request), self.gate.limits
        if self._under_way >= UPLOADS_AT_ONCE:
            raise HTTPException(503, "Too many uploads are under way: try again in a minute.")
        address = self.gate.address(request)
        if not (limits.uploads_of_token.take(entrant.name) and limits.uploads.take(address)):
            raise HTTPException(429, "Too many uploads have come: wait ten minutes.")
        self._under_way += 1
        try:
            called, data = await file_of(request, self.uploads.most_bytes)
            async with self._unpacking:
                self.gate.entrant(request)  # the token may have been revoked meanwhile
                upload = await asyncio.to_thread(self.uploads.receive, entrant.name, called, data)
        finally:
            self._under_way -= 1
        self.checks.wake()
        if is_api(request):
            return Response(encode(upload), 202, media_type=JSON)
        return RedirectResponse("/me?received", 303)

    async def api_uploaded(self, request: Request) -> Response:
        name = self.gate.entrant(request).name
        upload = self.uploads.number(number_in(request.path_params["number"]))
        if upload is None or upload.name != name:
            raise HTTPException(404, "There is no such upload of yours.")
        return Response(encode(upload), media_type=JSON)
