"""Answers a ladder's readers: pages, the API, and the feed of games.

A page that was made for one reader is sent to others, too, until there are other standings or it is
`OLD_SECONDS` old. While one reader waits for the next, others get the last.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import time
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field

from msgspec.structs import replace
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.staticfiles import NotModifiedResponse

from judge.documents.codec import Document, encode
from judge.documents.ladder import BotInBrief, LadderBot, LadderBots, LadderGame, LadderGames
from judge.documents.standings import Row
from judge.serve.host.gate import Gate, is_api
from judge.serve.host.view import LedgerView, StandingsSnapshot
from judge.serve.live_page import HEARTBEAT, Hub, number_in
from judge.show.pages import host as pages
from judge.show.pages import html
from judge.show.pages.host import Ladder, ListedGame
from judge.show.pages.page import page as page_of

OLD_SECONDS = 5.0
LISTED = 20  # games on the front page
MOST_GAMES = 1000  # games in an answer of the API
MISSED = 50  # missed games that a client of the feed gets when it connects again
MOST_PAGES = 300  # pages that are kept
FEED_SECONDS = 0.5  # seconds between two looks of a client of the feed for new games
JSON = "application/json"


@dataclass(slots=True)
class _Page:
    """A page or a document as last answered. A request holds ``making`` while it makes the answer.
    The answer was made at the time ``at``, and ``snapshot`` had the standings then."""

    making: asyncio.Lock = field(default_factory=asyncio.Lock)
    answer: Response = field(default_factory=Response)
    at: float = -math.inf
    snapshot: StandingsSnapshot | None = None


@dataclass(slots=True)
class Readers:
    """Answers readers' requests, in the running event loop."""

    ladder: Ladder
    gate: Gate
    view: LedgerView
    hub: Hub
    _pages: dict[object, _Page] = field(default_factory=dict)  # in the order of their last requests

    def _rows(self) -> tuple[Row, ...]:
        hidden = self.view.hidden
        return tuple(row for row in self.view.snapshot.standings.rows if row.name not in hidden)

    async def _fresh(
        self, request: Request, make: Callable[[], str | Document], *parts: object
    ) -> Response:
        """Answer with the page or the document that ``make`` returns, or returned a moment ago for
        the same path and ``parts`` of the query. While it is made anew, other readers get the last
        one. Answer with status 304 if the reader has it already."""
        page = self._page((request.scope["path"], *parts))
        if not page.making.locked() or time.monotonic() > page.at + 2 * OLD_SECONDS:
            async with page.making:
                snapshot, is_old = self.view.snapshot, time.monotonic() > page.at + OLD_SECONDS
                if is_old or page.snapshot is not snapshot:
                    self.gate.require_few_pages(request)
                    page.answer = await asyncio.to_thread(_made, make)
                    page.at, page.snapshot = time.monotonic(), snapshot
        answer = page.answer
        asked = request.headers.get("if-none-match", "")
        if answer.headers["etag"] in (one.strip().removeprefix("W/") for one in asked.split(",")):
            return NotModifiedResponse(answer.headers)
        return answer

    def _page(self, key: object) -> _Page:
        """Return the page with a key, and note that it was requested last. Beyond `MOST_PAGES`, the
        pages whose last requests are the oldest are dropped."""
        page = self._pages.pop(key, None) or _Page()
        self._pages[key] = page
        while len(self._pages) > MOST_PAGES:
            del self._pages[next(iter(self._pages))]
        return page

    async def front(self, request: Request) -> Response:
        by = "points" if request.query_params.get("by") == "points" else "elo"
        playing = [text for _, text in self.hub.live.document()["games"]["playing"]]

        def make() -> str:
            snapshot, hidden = self.view.snapshot, self.view.hidden
            return pages.front_page(
                self.ladder,
                snapshot.standings,
                self._rows(),
                by=by,
                curves=[curve for curve in snapshot.curves if curve[0] not in hidden],
                recorded=snapshot.recorded,
                first=snapshot.first,
                playing=playing,
                latest=self.view.latest(LISTED),
            )

        return await self._fresh(request, make, by)

    async def bot(self, request: Request) -> Response:
        name = request.path_params["name"]
        row = next((row for row in self._rows() if row.name == name), None)
        if row is None:
            raise HTTPException(404, "There is no such bot, or it has not played yet.")

        def make() -> str | Document:
            games = [*filter(self.view.is_shown, self.view.latest_of(name))]
            if is_api(request):
                return LadderBot(bot=row, latest=_in_brief(games))
            versions = self.view.versions(name)
            return pages.bot_page(self.ladder, row, versions, len(self._rows()), games)

        return await self._fresh(request, make)

    async def game(self, request: Request) -> Response:
        number = number_in(request.path_params["number"])
        record = await asyncio.to_thread(self.view.record, number)
        if record is None or not self.view.hidden.isdisjoint(seat.name for seat in record.seats):
            raise HTTPException(404, "There is no such game, or its pair is not over.")
        shown = pages.public(record)

        def make() -> str | Document:
            return shown if is_api(request) else page_of(shown, root="/", contest=self.ladder.title)

        return await self._fresh(request, make)

    async def shared(self, request: Request) -> Response:
        """Answer with a style sheet or a script. The name of the file contains its digest, so a
        browser may keep the file for ever."""
        name = request.path_params["file"]
        text = html.shared_files().get(name) if html.is_shared(name) else None
        if text is None:
            raise HTTPException(404, "There is no such page.")
        kind = "text/css" if name.endswith(".css") else "text/javascript"
        headers = {"cache-control": "public, max-age=31536000, immutable"}
        return Response(text, media_type=kind, headers=headers)

    async def api_standings(self, request: Request) -> Response:
        def make() -> Document:
            return replace(self.view.snapshot.standings.document, bots=self._rows())

        return await self._fresh(request, make)

    async def api_bots(self, request: Request) -> Response:
        def make() -> Document:
            return LadderBots(bots=tuple(map(BotInBrief.of, self._rows())))

        return await self._fresh(request, make)

    async def api_games(self, request: Request) -> Response:
        before = number_in(request.query_params.get("before", ""), 10**9)
        most = min(MOST_GAMES, number_in(request.query_params.get("most", ""), 100))

        def make() -> Document:
            return LadderGames(games=_in_brief(self.view.latest(most, before=before)))

        return await self._fresh(request, make, before, most)

    async def api_feed(self, request: Request) -> Response:
        recorded = self.view.snapshot.recorded
        last = number_in(request.headers.get("last-event-id", ""), recorded)
        events = self._events(max(last, recorded - MISSED))
        return StreamingResponse(events, media_type="text/event-stream")

    async def _events(self, after: int) -> AsyncIterator[str]:
        """Yield the games with numbers above ``after`` as server-sent events, as they are added.
        Games of hidden bots are left out."""
        due = 0.0
        while True:
            if games := _in_brief(self.view.latest(MOST_GAMES, after=after)):
                after = games[0].number
            if games or time.monotonic() >= due:
                due = time.monotonic() + HEARTBEAT
                yield "".join(map(_event, reversed(games))) or ":\n\n"
            await asyncio.sleep(FEED_SECONDS)


def _made(make: Callable[[], str | Document]) -> Response:
    """Make a page or a document, and return it with its ETag."""
    made = make()
    body = made.encode() if isinstance(made, str) else encode(made)
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    kind = "text/html" if isinstance(made, str) else JSON
    return Response(body, media_type=kind, headers={"etag": tag, "cache-control": "no-cache"})


def _in_brief(games: Iterable[ListedGame]) -> tuple[LadderGame, ...]:
    return tuple(LadderGame.of(game.number, game.result, counts=game.counts) for game in games)


def _event(game: LadderGame) -> str:
    return f"id: {game.number}\nevent: game\ndata: {encode(game).decode()}\n\n"
