"""Points and Elo of each bot over the games of a contest.

Pure. It looks at a tally at some dozen moments, spread evenly over the games, so what it holds
does not grow with their number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from judge.contest.ledger.tally import Tally
from judge.contest.standings.standings import Version, current_versions, strength_of
from judge.stats.percentage_rule import START

POINTS_MOMENTS = 120
ELO_MOMENTS = 30  # each is a fit of the whole field: 30 ms for 200 bots

Curve = list[tuple[int, float]]
"""The values of a bot at moments: the number of games recorded by then, and the value."""


@dataclass(slots=True)
class TimeSeries:
    """Points and Elo over a contest of ``games`` games, those that do not count among them.

    Show it the tally after every game. Curves are by the names of the bots in the table, and begin
    with a bot's first game: that of points with what everyone starts with, that of Elo, which is
    that of the version that then played last, with the first fit after it. Their last values, once
    all games are seen, are those of the standings.
    """

    games: int
    points: dict[str, Curve] = field(default_factory=dict)
    elo: dict[str, Curve] = field(default_factory=dict)
    _points_at: frozenset[int] = field(init=False, repr=False)
    _elo_at: frozenset[int] = field(init=False, repr=False)
    _last: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        self._points_at = frozenset(moments(self.games, POINTS_MOMENTS))
        self._elo_at = frozenset(moments(self.games, ELO_MOMENTS))

    def look(self, tally: Tally) -> None:
        """Take in how it stands after the latest game."""
        now, table = tally.recorded, tally.table
        if now in self._points_at:
            for bot in table.bots.values():
                self.points.setdefault(bot.name, [(self._last, START)]).append((now, bot.points))
            self._last = now
        if now in self._elo_at and table.bots:
            current = [
                Version(name, number)
                for name, number in current_versions(tally, table).items()
                # Unknown before its first game that counts, whatever the fit says.
                if table.results_of(name, number).units.games
            ]
            elo = strength_of(table, current).elo
            for version, value in zip(current, elo, strict=True):
                self.elo.setdefault(version.name, []).append((now, value))


def moments(games: int, most: int) -> Iterable[int]:
    """At most ``most`` numbers of games, evenly spread, the last of all among them."""
    count = min(games, most)
    return (games * step // count for step in range(1, count + 1))
