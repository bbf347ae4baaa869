"""The history of a ledger, game by game: results, and the standings as they then were.

It reads and never writes, and takes no lock. The journal is looked over once, for how many games
there are and which do not count, and then parsed once, a line at a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from judge.contest.journal.audit import there
from judge.contest.journal.journal import Line
from judge.contest.journal.orders import Orders
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.fold import game_in, orders_in
from judge.contest.ledger.played import LONGEST_TIME, Played, played
from judge.contest.ledger.tally import Tally
from judge.contest.ledger.tally_table import Table
from judge.contest.standings.time_series import TimeSeries

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Chapter:
    """One game. ``number`` counts those of the journal from 1; ``shots`` are those of both;
    ``versions`` are those of the bots, and ``voided`` says why an order takes the game out of the
    count, if one does; points are seat by seat. ``finished`` is
    when the game was over, in UTC, where that is known."""

    number: int
    game: Played
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
    """The games of a ledger that were played under the same conditions, those of its first game
    unless others are given, from the first to the last, to be read once.

    ``tally`` is that of the games read so far, in the end the ledger's own, and ``series`` how the
    table came to that. ``origin`` is a digest of the line of the journal's first game, which never
    changes and no other ledger has, for it tells when the game was played. ``beginning`` is that of
    the first entry, which two contests with the same seed share, and which ``origin`` is as long as
    there is no game. Both are empty if there is no entry. ``without`` leaves out all games of some
    bots, as if they had never played. Raises `UsageError` if there is no ledger, and `LedgerError`
    for a line that cannot be counted, when it comes to that.
    """

    def __init__(
        self,
        path: Path,
        without: Collection[str] = (),
        conditions: ConditionSet | None = None,
    ) -> None:
        _, self._journal = there(path)
        self._without = frozenset(without)
        first_game = self.beginning = ""
        games = self._end = 0
        for line in self._journal.lines():
            is_game = game_in(self._journal, line) is not None
            if not self.beginning or (is_game and not games):
                digest = hashlib.sha256(line.data).hexdigest()
                self.beginning = self.beginning or digest
                first_game = digest if is_game else ""
            games += is_game
            self._end = line.end
        self.origin = first_game or self.beginning
        self.tally = Tally(orders=Orders(orders_in(self._journal)))
        self.series = TimeSeries(games, conditions)

    def __iter__(self) -> Iterator[tuple[Chapter, Line]]:
        """Every game, and the line of the journal that it stands on."""
        for line in self._journal.lines(0, self._end):
            chapter = self._chapter(line)
            self.series.look(self.tally)
            if chapter is not None:
                yield chapter, line

    @property
    def table(self) -> Table | None:
        """The table of the games read so far."""
        conditions = self.series.conditions
        return None if conditions is None else self.tally.tables.get(conditions)

    def final_tally(self) -> Tally:
        """The tally of all games, without the series that led to it, which takes longer."""
        for line in self._journal.lines(0, self._end):
            self._chapter(line)
        return self.tally

    def _chapter(self, line: Line) -> Chapter | None:
        """Take in a line; the game on it, if it is one of those that are told."""
        entry = self._journal.parse(line)
        try:
            game = None if "kind" in entry else played(entry)
            if game is None:
                self.tally.enter(entry)
                return None
            if not self._without.isdisjoint(game.names):
                self.tally.pass_over(game)
                return None
            finished = _finished(entry)
            before = self._points(game)
            self.tally.enter(entry)
        except ValueError as error:
            raise self._journal.damaged(line, str(error)) from None
        if self.series.conditions is None:
            self.series.conditions = game.conditions
        if game.conditions != self.series.conditions:
            return None
        number, versions = self.tally.recorded, self.tally.versions
        bots = zip(game.names, game.digests, strict=True)
        return Chapter(
            number=number,
            game=game,
            versions=tuple(versions[name][digest] for name, digest in bots),
            shots=len(entry["shots"]),
            voided=self.tally.orders.why_out(number, game.names),
            before=before,
            after=self._points(game),
            finished=finished,
        )

    def _points(self, game: Played) -> tuple[float, ...]:
        return tuple(self.tally.points_of(name, game.conditions) for name in game.names)


def _finished(entry: Mapping[str, Any]) -> str:
    """When a game was over, as its record has it. Raises ValueError if that is no text."""
    finished = entry.get("finished")
    if not isinstance(finished, str) or len(finished) > LONGEST_TIME:
        raise ValueError("it is no game record: it does not say when the game was over")
    return finished
