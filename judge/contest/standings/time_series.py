"""Points and Elo of each bot over the games of a ledger.

Pure. Curves have values at a limited number of moments, spread evenly over the games, so memory
does not grow with the games.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from judge.contest.ledger.tally import Tally
from judge.contest.standings.standings import Version, current_versions, strength_of
from judge.stats.percentage_rule import START

POINTS_MOMENTS = 120
ELO_MOMENTS = 30  # each needs a fit of the whole field, 30 ms for 200 bots

Curve = list[tuple[int, float]]
"""A bot's values, each with the number of games recorded by then."""


@dataclass(slots=True)
class TimeSeries:
    """Curves of points and Elo over a journal of ``games`` games, void games included.

    The caller gives `look` the tally after every entry. A curve of points begins with the points
    that every bot starts with, at the last moment before the bot has a game in the tally's table. A
    curve of Elo has a value at each moment at which the bot's current version has a unit that
    counts.
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
        """Add the tally's values to the curves, if its number of games is one of the moments."""
        now, table = tally.recorded, tally.table
        if now in self._points_at:
            for bot in table.bots.values():
                self.points.setdefault(bot.name, [(self._last, START)]).append((now, bot.points))
            self._last = now
        if now in self._elo_at and table.bots:
            current = [
                Version(name, number)
                for name, number in current_versions(tally, table).items()
                # The Elo of a version without a game that counts is unknown, whatever the fit says.
                if table.results_of(name, number).units.games
            ]
            elo = strength_of(table, current).elo
            for version, value in zip(current, elo, strict=True):
                self.elo.setdefault(version.name, []).append((now, value))


def moments(games: int, most: int) -> Iterable[int]:
    """At most ``most`` numbers of games up to ``games``, evenly spread, ``games`` itself among
    them."""
    count = min(games, most)
    return (games * step // count for step in range(1, count + 1))
