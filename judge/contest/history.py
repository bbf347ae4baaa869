"""A ledger told game by game: what came of each, and the standings as they then were.

It reads and never writes, and takes no lock. The journal is looked over once, for how many games
there are and which do not count, and then parsed once, a line at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from judge import schemas
from judge.contest.audit import there
from judge.contest.fold import identified
from judge.contest.journal import Line
from judge.contest.tally import Played, Tally, played
from judge.contest.time_series import Course

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Chapter:
    """One game. ``number`` counts those of the journal from 1; ``shots`` are those of both;
    ``voided`` says why it was taken out of the count, if it was; points are seat by seat."""

    number: int
    game: Played
    shots: int
    voided: str | None
    before: tuple[float, float]
    after: tuple[float, float]

    @property
    def counts(self) -> bool:
        return self.voided is None and self.game.rated


class History:
    """A ledger as it is now, to be read from its first game to its last, once.

    ``tally`` is that of the games read so far, in the end the ledger's own, and ``course`` how it
    came to that. ``without`` leaves out all games of some bots, as if they had never played.
    Raises `UsageError` if there is no ledger, and `LedgerError` for a line that cannot be
    counted, when it comes to that.
    """

    def __init__(self, path: Path, without: Collection[str] = ()) -> None:
        _, self._journal = there(path)
        self._without = frozenset(without)
        self._voids: dict[str, str] = {}
        games = self._end = 0
        for line in self._journal.lines():
            game, bots = identified(self._journal, line)
            if game is not None:
                games += self._without.isdisjoint(bots)
            elif problem := schemas.problem("journal-entry", entry := self._journal.parse(line)):
                raise self._journal.damaged(line, problem)
            elif entry["kind"] == "void":
                self._voids.setdefault(entry["game"], entry["reason"])
            self._end = line.end
        self.tally = Tally(voided=dict.fromkeys(self._voids))
        self.course = Course(games)

    def __iter__(self) -> Iterator[tuple[Chapter, Line]]:
        """Every game, and the line of the journal that it stands on."""
        for told in self._told():
            self.course.look(self.tally)
            yield told

    def final_tally(self) -> Tally:
        """The tally of all games, without the course that led to it, which takes longer."""
        for _ in self._told():
            pass
        return self.tally

    def _told(self) -> Iterator[tuple[Chapter, Line]]:
        for line in self._journal.lines(0, self._end):
            entry = self._journal.parse(line)
            try:
                game = None if "kind" in entry else played(entry)
                if game is None:
                    self.tally.enter(entry)
                    continue
                if not self._without.isdisjoint(game.names):
                    continue
                before = self._points(game)
                self.tally.enter(entry)
            except ValueError as error:
                raise self._journal.damaged(line, str(error)) from None
            chapter = Chapter(
                number=self.tally.recorded,
                game=game,
                shots=len(entry["shots"]),
                voided=self._voids.get(game.id),
                before=before,
                after=self._points(game),
            )
            yield chapter, line

    def _points(self, game: Played) -> tuple[float, float]:
        first, second = game.names
        return self.tally.points_of(first), self.tally.points_of(second)
