"""Writes the page of each match in a site, once the records of all its games are there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from judge.cli.site_folder import Folder
from judge.contest.ledger.entries import record_from
from judge.contest.standings.history import PastGame
from judge.errors import RecordError
from judge.show.pages import html
from judge.show.pages.match_page import MatchSeen, match_page

_Key = tuple[str, int, tuple[str, ...], tuple[int, ...]]


@dataclass(slots=True)
class _Match:
    """The games of a match. ``records`` has the records taken so far, by the numbers of their
    games."""

    chapters: list[PastGame] = field(default_factory=list)
    records: dict[int, bytes] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"matches/{self.chapters[0].number}.html"


class SiteMatches:
    """The matches of a ledger. The page of a match is ``matches/N.html``, where N is the number of
    its first game. ``seen`` has the finished matches in the order of their ends, and then the
    others."""

    def __init__(self, past_games: Iterable[PastGame]) -> None:
        """``past_games`` are all games of the ledger. A game that an order takes out of the count
        belongs to no match."""
        matches: list[_Match] = []
        going: dict[_Key, _Match] = {}
        self._of: dict[int, _Match] = {}
        for past_game in past_games:
            game = past_game.game
            if game.match is None or past_game.voided is not None:
                continue
            key = game.match.id, game.match.games, game.names, past_game.versions
            match = self._of[past_game.number] = going.setdefault(key, _Match())
            match.chapters.append(past_game)
            if len(match.chapters) == game.match.games or game.forfeits:
                matches.append(going.pop(key))
        self.seen = [
            MatchSeen.of(one.chapters[0].number, [past_game.game for past_game in one.chapters])
            for one in [*matches, *going.values()]
        ]

    def page_of(self, number: int) -> str | None:
        """Return the page of the match to which a game belongs, or None if it belongs to none."""
        match = self._of.get(number)
        return None if match is None else match.name

    def take(self, number: int, record: bytes, folder: Folder, contest: str) -> None:
        """Take the record of a game. If it was the last missing record of its match, write the page
        of the match. ``contest`` is the title of the contest."""
        if (match := self._of.get(number)) is None:
            return
        match.records[number] = record
        if len(match.records) == len(match.chapters):
            folder.put(match.name, _page(match, contest))
            match.records.clear()


def _page(match: _Match, contest: str) -> str:
    links = {
        place: f"../games/{past_game.number}.html" for place, past_game in enumerate(match.chapters)
    }
    try:
        records = [record_from(match.records[past_game.number]) for past_game in match.chapters]
        return match_page(records, root="../", links=links, contest=contest)
    except RecordError as error:
        title = "This match cannot be shown"
        return html.damaged(title, str(error), root="../", contest=contest)
