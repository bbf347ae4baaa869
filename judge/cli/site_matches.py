"""The pages of matches in a site: each is written once all of its games have been seen."""

from __future__ import annotations

from dataclasses import dataclass, field

from judge.cli.site_folder import Folder
from judge.contest.ledger.entries import record_from
from judge.contest.standings.history import Chapter
from judge.documents.ledger import Game
from judge.errors import RecordError
from judge.show.pages import html
from judge.show.pages.match_page import MatchSeen, match_page

_Key = tuple[str, int, tuple[str, ...], tuple[int, ...]]


@dataclass(slots=True)
class _Open:
    """The games of a match so far: their records, and how many each player has won."""

    first: int
    chapters: list[Chapter] = field(default_factory=list)
    records: list[bytes] = field(default_factory=list)


class SiteMatches:
    """Writes the pages of matches into a site's folder, ``matches/N.html`` by the number of the
    first game. ``written`` are those that have one, in the order in which they were over, and
    ``faults`` says of each other one what is wrong with its records."""

    def __init__(self, folder: Folder, contest: str) -> None:
        """``contest`` is the title of the contest."""
        self.written: list[MatchSeen] = []
        self.faults: dict[int, str] = {}
        self._folder = folder
        self._contest = contest
        self._open: dict[_Key, _Open] = {}

    def take(self, chapter: Chapter, entry: Game) -> str | None:
        """Look at the next game, and return the page of its match. A game that an order takes out
        of the count is in no match."""
        game = chapter.game
        if game.match is None or chapter.voided is not None:
            return None
        key = game.match.id, game.match.games, game.names, chapter.versions
        match = self._open.setdefault(key, _Open(chapter.number))
        match.chapters.append(chapter)
        match.records.append(bytes(entry.record))
        if len(match.records) == game.match.games or game.forfeits:
            self._write(self._open.pop(key))
        return _name(match)

    def end(self) -> None:
        """Write what there is of the matches that are not over."""
        for match in self._open.values():
            self._write(match)
        self._open = {}

    def _write(self, match: _Open) -> None:
        for shared, text in html.shared_files(of_matches=True).items() if not self.written else ():
            self._folder.put(shared, text)
        try:
            records = [record_from(one) for one in match.records]
            links = {
                place: f"../games/{chapter.number}.html"
                for place, chapter in enumerate(match.chapters)
            }
            text = match_page(records, root="../", links=links, contest=self._contest)
        except RecordError as error:
            self.faults[match.first] = str(error)
            return
        self._folder.put(_name(match), text)
        self.written.append(MatchSeen.of(match.first, [one.game for one in match.chapters]))


def _name(match: _Open) -> str:
    return f"matches/{match.first}.html"
