"""The standings: what a tally of games says about each bot, and how far it supports their order.

Pure. Points of the percentage rule rank the bots, for that is the contest's rule; bots with exactly
the same points, such as the floor's 10, share a rank. Everything else in a row is there to
judge that order by: points without the luck of the order of play, strength with its interval,
the ranks that the games leave possible, and whether a bot is shown to be stronger than the next.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from judge.contest.summary import mean
from judge.contest.tally import Tally
from judge.stats.intervals import Interval
from judge.stats.percentage_rule import shuffled_points
from judge.stats.strength import Ranks, bradley_terry

VERSION = 1


@dataclass(frozen=True, slots=True)
class Row:
    """One bot. ``games`` are those that count, a tie half a win in ``win_rate``; ``forfeits`` are
    by cause, those of void games among them.

    ``points_shuffled`` is averaged over random orders of the same games. ``elo`` has its 0 at the
    mean of the field. ``order_supported`` says whether the games show, with 95%, that
    this bot is stronger than that of the next row; None in the last.
    ``shots_to_win_mean`` and ``volleys_to_win_mean`` are over the games that it won by destroying the fleet.
    """

    rank: int
    name: str
    points: float
    points_shuffled: float
    games: int
    won: int
    lost: int
    tied: int
    forfeits: dict[str, int]
    win_rate: float | None
    elo: float
    elo_95: Interval
    rank_95: Ranks
    order_supported: bool | None
    shots_to_win_mean: float | None
    volleys_to_win_mean: float | None


@dataclass(frozen=True, slots=True)
class Standings:
    """The table, from the first to the last; ``void`` games are not among the ``games``."""

    games: int
    void: int
    rows: tuple[Row, ...]

    @property
    def has_salvos(self) -> bool:
        """Whether shots and volleys are not one and the same."""
        return any(row.volleys_to_win_mean != row.shots_to_win_mean for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        """The ``standings`` document."""
        return {
            "version": VERSION,
            "kind": "standings",
            "games": self.games,
            "void": self.void,
            "bots": [
                {**asdict(row), "elo_95": list(row.elo_95), "rank_95": list(row.rank_95)}
                for row in self.rows
            ],
        }


def standings(tally: Tally) -> Standings:
    """The standings by a tally; the same to the last bit for the same tally."""
    names = list(tally.bots)
    shuffled = shuffled_points(table_of_wins(tally))
    strength = bradley_terry(table_of_scores(tally))
    order = sorted(
        range(len(names)),
        key=lambda bot: (-tally.bots[names[bot]].points, -shuffled[bot], names[bot]),
    )
    rows: list[Row] = []
    for place, bot in enumerate(order):
        counts = tally.bots[names[bot]]
        below = order[place + 1] if place + 1 < len(order) else None
        rows.append(
            Row(
                rank=(rows[-1].rank if rows and rows[-1].points == counts.points else place + 1),
                name=counts.name,
                points=counts.points,
                points_shuffled=shuffled[bot],
                games=counts.games,
                won=counts.won,
                lost=counts.lost,
                tied=counts.tied,
                forfeits=dict(sorted(counts.forfeits.items())),
                win_rate=mean(2 * counts.won + counts.tied, 2 * counts.games),
                elo=strength.elo[bot],
                elo_95=strength.elo_95[bot],
                rank_95=strength.rank_95[bot],
                order_supported=None if below is None else strength.order_supported(bot, below),
                shots_to_win_mean=mean(counts.shots_to_win, counts.played_out),
                volleys_to_win_mean=mean(counts.volleys_to_win, counts.played_out),
            )
        )
    return Standings(tally.games, tally.void, tuple(rows))


def table_of_wins(tally: Tally) -> list[list[int]]:
    """How often each bot has beaten each other, in the order of the tally's bots."""
    number = {name: at for at, name in enumerate(tally.bots)}
    wins = [[0] * len(number) for _ in number]
    for (first, second), pair in tally.pairs.items():
        wins[number[first]][number[second]] = pair.won
        wins[number[second]][number[first]] = pair.lost
    return wins


def table_of_scores(tally: Tally) -> list[list[float]]:
    """The same with half a win to each for a tie: what `bradley_terry` takes."""
    number = {name: at for at, name in enumerate(tally.bots)}
    scores: list[list[float]] = [[*row] for row in table_of_wins(tally)]
    for (first, second), pair in tally.pairs.items():
        scores[number[first]][number[second]] += pair.tied / 2
        scores[number[second]][number[first]] += pair.tied / 2
    return scores
