"""Serves the live page of a command that plays, as long as the games go on (`audience`)."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from judge.cli.output import note

if TYPE_CHECKING:
    from judge.contest.contest import Contest
    from judge.contest.schedule import MatchSoFar, Pairing
    from judge.contest.standings.standings import RankedBy
    from judge.documents.game import GameRecord
    from judge.game.events import Event
    from judge.game.game import Game
    from judge.play.match import Watch
    from judge.serve.server import Address
    from judge.show.live import Live, Post
    from judge.show.live_game import LiveMatch
    from judge.show.page_words import PageWords

    SoFar = Callable[[Pairing], MatchSoFar | None]

APART = 10  # the wait between two tables, as a multiple of the time that one takes


def say_who_can_watch(where: Address) -> None:
    """Print a note if the live page can be seen from other machines."""
    from judge.serve.server import is_open

    if is_open(where.host):
        note(f"{where} is open to other machines: anyone who reaches it can watch")


class NoAudience:
    """Takes the place of an `Audience` if no live page is served, and shows nothing."""

    def watch_of(self, pairing: Pairing, so_far: SoFar) -> Watch | None:
        return None

    def keep(self, record: GameRecord, played_as: str | None = None) -> None:
        pass

    def lose(self, pairing: Pairing) -> None:
        pass

    def hold(self, contest: Contest, by: RankedBy, *, is_over: bool = False) -> None:
        pass


NOBODY = NoAudience()


class Audience:
    """Shows on the live page the games between the bots ``names``. From its first shot on, a game
    pauses for ``pause_ms`` after each event."""

    def __init__(self, live: Live, post: Post, names: Sequence[str], pause_ms: int) -> None:
        from judge.show.live import Watches

        self._live = live
        self._post = post
        self._names = names
        self._pause_ms = pause_ms
        self._watches = Watches(live, post)
        self._matches: dict[Hashable, LiveMatch] = {}
        self._is_over = threading.Event()
        self._begun = time.monotonic()
        self._next_table = 0.0

    def watch_of(self, pairing: Pairing, so_far: SoFar) -> Watch:
        """Return the function that shows the next game or match. A game that is tried again is
        shown anew. ``so_far`` returns the match that a single game belongs to, or None."""
        from judge.show.live_game import LiveMatch

        names = [self._names[bot] for bot in pairing.seats]
        match = None
        if pairing.rest:
            match = LiveMatch([0] * len(names), 1 + len(pairing.rest))
        elif found := so_far(pairing):
            before = LiveMatch([*found.won], found.games, found.over)
            match = self._matches.setdefault(found.key, before)
        watch = self._watches.begin(_ids(pairing), names, match)
        return self._slowed(watch) if self._pause_ms else watch

    def keep(self, record: GameRecord, played_as: str | None = None) -> None:
        """Show the record of a game once it is kept. ``played_as`` is the id under which the game
        was played, if the ledger gave it another."""
        self._watches.keep(played_as or record.id, record)

    def lose(self, pairing: Pairing) -> None:
        """Stop showing a game or a match that was not kept."""
        self._watches.leave(*_ids(pairing))

    def hold(self, contest: Contest, by: RankedBy, *, is_over: bool = False) -> None:
        """Show the table of the contest. While the contest goes on, a table that would follow the
        last one too soon is left out."""
        from judge.show.live import how_far
        from judge.show.pages.format_page import format_page
        from judge.show.standings import first_columns, ranked_by

        begin = time.monotonic()
        if begin < self._next_table and not is_over:
            return
        run = contest.run
        page = format_page(run.table())
        if contest.budget_left is not None:
            said = how_far(contest.tally.recorded, None, contest.budget_left)
        else:
            missing = run.missing()
            left = (begin - self._begun) / contest.added * missing if contest.added else None
            said = how_far(run.most - missing, run.most, left)
        if page is not None:
            table = page.table
        else:
            standings = contest.standings(by)
            table, said = first_columns(standings), f"{said} {ranked_by(standings)}"
        self._post(partial(self._live.hold, table, page, said))
        end = time.monotonic()
        self._next_table = end + APART * (end - begin)

    def stop(self) -> None:
        """Let games go on without pauses."""
        self._is_over.set()

    def _slowed(self, watch: Watch) -> Watch:
        def slowed(game: Game, event: Event) -> None:
            watch(game, event)
            if game.shots:
                self._is_over.wait(self._pause_ms / 1000)

        return slowed


def _ids(pairing: Pairing) -> list[str]:
    return [one.id for one in (pairing, *pairing.rest)]


@contextlib.contextmanager
def audience(
    web: tuple[str, int] | None,
    title: str,
    names: Sequence[str],
    occasion: PageWords,
    *,
    pause_ms: int = 0,
    back_ms: int = 0,
) -> Iterator[Audience | NoAudience]:
    """Serve the live page at the address ``web``, and print a note with its URL. Without an
    address, nothing is served. While games go on, the page shows everything ``back_ms`` later."""
    if web is None:
        yield NOBODY
        return
    from judge.serve.page_server import HeldBack, page_in_thread
    from judge.serve.server import Address, bug_in_words

    def ready(addresses: list[Address]) -> None:
        for where in addresses:
            note(f"http://{where}/ shows the games live")
            say_who_can_watch(where)

    def bug(error: BaseException) -> None:
        note(bug_in_words(error)[1])

    with page_in_thread(title, Address(*web), occasion, bug=bug, ready=ready) as (hub, post):
        back = HeldBack(post, back_ms / 1000)
        seen_by = Audience(hub.live, back if back_ms else post, names, pause_ms)
        try:
            yield seen_by
        finally:
            seen_by.stop()
            back.release()
