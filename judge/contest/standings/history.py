"""The history of a ledger, game by game: results, and the standings as they then were.

It reads and never writes, and takes no lock. The journal is looked over once, for how many games
there are and which do not count, and then parsed once, a line at a time.
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
    """One game. ``number`` counts those of the journal from 1; ``shots`` are those of both;
    ``versions`` are those of the bots, and ``voided`` says why an order takes the game out of the
    count, if one does; points are seat by seat. ``finished`` is
    when the game was over, in UTC, if that is known; ``start`` is where its line begins in the
    journal."""

    number: int
    game: GameResult
    versions: tuple[int, ...]
    shots: int
    voided: str | None
    before: tuple[float, ...]
    after: tuple[float, ...]
    finished: str = ""
    start: int = 0

    @property
    def counts(self) -> bool:
        return self.voided is None and self.game.rated


class History:
    """The games of a ledger, from the first to the last, to be read once.

    ``tally`` is that of the games read so far, in the end the ledger's own, and ``series`` how the
    table came to that, if ``curves`` are wanted.
    ``journal`` is what it is read from. ``origin`` is the ledger's own id, empty if it has
    no line. ``without`` leaves out all games of some bots, as if they had never played. Raises
    `UsageError` if there is no ledger, and `LedgerError` for a line that was edited.
    """

    def __init__(self, path: Path, without: Collection[str] = (), *, curves: bool = False) -> None:
        _, self.journal = require_ledger(path)
        self._without = frozenset(without)
        fold = Fold(self.journal)
        self._end = fold.position.end
        self.origin = ""
        for line in islice(self.journal.lines(), 1):
            header = entry_on(self.journal, line)
            self.origin = header.id if isinstance(header, Header) else ""
        self.tally = Tally(orders=fold.tally.orders.unpassed())
        self.series = TimeSeries(fold.tally.recorded if curves else 0)

    def __iter__(self) -> Iterator[tuple[PastGame, Game]]:
        """Every game, and the entry of the journal that holds it."""
        return ((self._past_game(*game), game[0]) for game in self.games())

    def games(self) -> Iterator[tuple[Game, tuple[float, ...], int]]:
        """The entry of every game, the points of its bots before it, seat by seat, and where its
        line begins in the journal."""
        for line in looking(self.journal.lines(end=self._end)):
            entry = entry_on(self.journal, line)
            if isinstance(entry, Game) and not self._without.isdisjoint(entry.result.names):
                self.tally.pass_over(entry.result)
                continue
            names = entry.result.names if isinstance(entry, Game) else ()
            before = tuple(map(self.tally.points_of, names))
            enter(self.tally, self.journal, line, entry)
            self.series.look(self.tally)
            if isinstance(entry, Game):
                yield entry, before, line.start

    def _past_game(self, entry: Game, before: tuple[float, ...], start: int) -> PastGame:
        game, record, number = entry.result, record_of(entry), self.tally.recorded
        bots = zip(game.names, game.digests, strict=True)
        return PastGame(
            number=number,
            game=game,
            versions=tuple(self.tally.version_of(*bot) or 0 for bot in bots),
            shots=len(record.shots),
            voided=self.tally.orders.why_out(number, game.names),
            before=before,
            after=tuple(map(self.tally.points_of, game.names)),
            finished=record.finished,
            start=start,
        )
