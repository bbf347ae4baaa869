"""Bots that forfeit game after game by time-out or crash: the rest of their games is put off.

Which games are put off depends on the games before them in the schedule and on nothing else. A
game that was under way by the time that it was put off is dropped, so the number of games that are
played at once changes nothing in the ledger. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from judge.contest.schedule import Pairing
from judge.documents.game import GameRecord

IN_A_ROW = 5


@dataclass(frozen=True, slots=True)
class Deferral:
    """A bot that has forfeited ``row`` games in a row, and how many ``games`` of the run are put
    off for it. ``last`` is the last of those that it forfeited in this run; None if that was
    before."""

    name: str
    row: int
    games: int
    last: GameRecord | None


class Deferrals:
    """Who is hopeless in a run: a bot with `IN_A_ROW` forfeits in a row.

    ``row`` gives how many a bot has, as things stand, and ``missing`` its games of the run that are
    not in the ledger yet. With ``insist`` nobody is. ``bots`` are those whose games are put off.
    """

    def __init__(
        self,
        row: Callable[[str], int],
        missing: Callable[[str], Iterable[Pairing]],
        *,
        insist: bool = False,
    ) -> None:
        self.bots: list[Deferral] = []
        self._names: set[str] = set()
        self._row = row
        self._missing = missing
        self._insist = insist

    @property
    def new(self) -> list[Deferral]:
        """Those that have become hopeless in this run."""
        return [bot for bot in self.bots if bot.last is not None]

    def concerns(self, names: Iterable[str]) -> bool:
        """Whether one of these bots is hopeless, so that a game of theirs is put off."""
        return not self._names.isdisjoint(names)

    def leave_out(self, name: str) -> None:
        """Have the rest of a bot's games put off, whatever it has done: its files have changed."""
        self._names.add(name)

    def look(self, names: Iterable[str], last: GameRecord | None = None) -> Iterator[Deferral]:
        """Those of these bots whose games are put off from now on; ``last`` is the game that has
        just been added."""
        for name in names:
            row = 0 if self._insist or name in self._names else self._row(name)
            if row >= IN_A_ROW:
                games = sum(not self.concerns(pairing.names) for pairing in self._missing(name))
                self._names.add(name)
                if games:
                    self.bots.append(Deferral(name, row, games, last))
                    yield self.bots[-1]
