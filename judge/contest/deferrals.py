"""Deferrals: if a bot forfeits game after game by time-out or crash, the rest of its games is put
off.

A forfeit puts off games that come later in the schedule. Such a game that was under way already is
dropped, so the ledger does not depend on the number of games that are played at once. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from judge.contest.schedule import Pairing
from judge.documents.game import GameRecord

IN_A_ROW = 5


@dataclass(frozen=True, slots=True)
class Deferral:
    """A bot has forfeited ``row`` games in a row, so ``games`` further games of the run are put
    off. ``last`` is the last game of the row; None if it was played before this run."""

    name: str
    row: int
    games: int
    last: GameRecord | None


class Deferrals:
    """The bots of a run whose games are put off: those with `IN_A_ROW` forfeits in a row, and
    others that `leave_out` names. ``bots`` are the deferrals so far, which are for forfeits only.

    ``row`` gives the number of forfeits in a row that a bot has now. ``missing`` gives a bot's
    games of the run that are not in the ledger yet. With ``insist`` forfeits put off no games. With
    ``is_endless`` a bot without missing games has a deferral too.
    """

    def __init__(
        self,
        row: Callable[[str], int],
        missing: Callable[[str], Iterable[Pairing]],
        *,
        insist: bool = False,
        is_endless: bool = False,
    ) -> None:
        self.bots: list[Deferral] = []
        self._names: set[str] = set()
        self._row = row
        self._missing = missing
        self._insist = insist
        self._is_endless = is_endless

    @property
    def new(self) -> list[Deferral]:
        """The deferrals that began with a game of this run."""
        return [bot for bot in self.bots if bot.last is not None]

    def concerns(self, names: Iterable[str]) -> bool:
        """Whether a game of these bots is put off, since one of them is deferred or left out."""
        return not self._names.isdisjoint(names)

    def leave_out(self, name: str) -> None:
        """Put off the rest of the games of a bot that can play no more, whatever its forfeits."""
        self._names.add(name)

    def look(self, names: Iterable[str], last: GameRecord | None = None) -> Iterator[Deferral]:
        """Put off the games of each of these bots with `IN_A_ROW` forfeits in a row. Yield a
        deferral for each with missing games. ``last`` is the game that was just added, or None."""
        for name in names:
            row = 0 if self._insist or name in self._names else self._row(name)
            if row >= IN_A_ROW:
                games = sum(not self.concerns(pairing.names) for pairing in self._missing(name))
                self._names.add(name)
                if games or self._is_endless:
                    self.bots.append(Deferral(name, row, games, last))
                    yield self.bots[-1]
