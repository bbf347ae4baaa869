"""The history of a ledger, game by game: each result, with the points before and after it.

The history writes nothing and takes no lock. The number of games and the orders in force are read
first, by a `Fold`. Then the history parses the journal once, line by line.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from judge.contest.ledger.entries import entry_on, record_of
from judge.contest.ledger.files import require_ledger
from judge.contest.ledger.fold import Fold, enter
from judge.contest.ledger.tally import Tally
from judge.contest.standings.time_series import TimeSeries
from judge.documents.ledger import Game, GameResult, Header
from judge.signals import looking

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class PastGame:
    """A game of a journal. ``number`` is its number among the journal's games, from 1. ``versions``
    are the numbers of its bots' versions, seat by seat. ``shots`` is the number of shots of all
    seats. ``voided`` is the reason of the order that takes the game out of the count, or None.
    ``before`` and ``after`` are the points before and after the game, seat by seat. ``finished`` is
    the time of the game's end in UTC, or ""."""

    number: int
    game: GameResult
    versions: tuple[int, ...]
    shots: int
    voided: str | None
    before: tuple[float, ...]
    after: tuple[float, ...]
    finished: str = ""

    @property
    def counts(self) -> bool:
        return self.voided is None and self.game.rated


class History:
    """The games of a ledger from first to last; they can be read only once.

    ``tally`` is the tally of the games read so far. ``series`` has the curves of points and Elo so
    far, if ``curves`` is true. ``fold`` finds the games by their numbers. ``origin`` is the
    ledger's id, or "" for an empty journal. The games of the bots in ``without`` are left out, but
    keep their numbers. Raises `UsageError` if there is no ledger, and `LedgerError` if its journal
    is missing or a line was edited.
    """

    def __init__(self, path: Path, without: Collection[str] = (), *, curves: bool = False) -> None:
        _, journal = require_ledger(path)
        self._without = frozenset(without)
        self.fold = Fold(journal)
        self.origin = ""
        for line in islice(journal.lines(), 1):
            header = entry_on(journal, line)
            self.origin = header.id if isinstance(header, Header) else ""
        self.tally = Tally(orders=self.fold.tally.orders)
        self.series = TimeSeries(self.fold.tally.recorded if curves else 0)

    def __iter__(self) -> Iterator[tuple[PastGame, Game]]:
        """Every game that is not left out, and its entry in the journal."""
        return ((self._past_game(*game), game[0]) for game in self.games())

    def games(self) -> Iterator[tuple[Game, tuple[float, ...]]]:
        """The entry of every game that is not left out, and its bots' points before it, seat by
        seat."""
        journal = self.fold.journal
        for line in looking(journal.lines(end=self.fold.position.end)):
            entry = entry_on(journal, line)
            if isinstance(entry, Game) and not self._without.isdisjoint(entry.result.names):
                self.tally.pass_over(entry.result)
                continue
            names = entry.result.names if isinstance(entry, Game) else ()
            before = tuple(map(self.tally.table.points_of, names))
            enter(self.tally, journal, line, entry)
            self.series.look(self.tally)
            if isinstance(entry, Game):
                yield entry, before

    def _past_game(self, entry: Game, before: tuple[float, ...]) -> PastGame:
        game, record, number = entry.result, record_of(entry), self.tally.recorded
        bots = zip(game.names, game.digests, strict=True)
        return PastGame(
            number=number,
            game=game,
            versions=tuple(self.tally.version_of(*bot) or 0 for bot in bots),
            shots=len(record.shots),
            voided=self.tally.orders.why_out(number, game.names),
            before=before,
            after=tuple(map(self.tally.table.points_of, game.names)),
            finished=record.finished,
        )
