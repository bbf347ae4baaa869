"""The percentage rule: the winner of a game gains 5% of the loser's points, the loser pays them.

No bot falls below `FLOOR` points. Without this floor the sum of points would be constant, and a
bot's mean points proportional to its Bradley-Terry strength. Two bots with A and B points would
expect no change at A/B = p/(1-p), where p is the first bot's chance to win.

But the rule always moves 5%, so points never settle, and they depend on the order of play.
`shuffled_points` takes out that luck by averaging over many orders of the same games.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

START = 10.0
"""Points of a bot before its first game."""
FLOOR = 10.0
"""Points that no bot ever falls below."""
RATE = 0.05
"""The share of the loser's points that a game moves."""

MOST_SHUFFLES = 200
FEWEST_SHUFFLES = 5
GAMES_TO_REPLAY = 2_000_000


def percentage_rule(winner: float, loser: float) -> tuple[float, float]:
    """Return the points of winner and loser after a game, from their points before it.

    The winner gains `RATE` of the loser's points, even if the floor lets the loser pay less.
    Nothing is rounded. Do not call this for ties and void games, which move no points.
    """
    gain = RATE * loser
    return winner + gain, max(FLOOR, loser - gain)


def shuffles_for(games: int) -> int:
    """Return in how many random orders `shuffled_points` replays this number of games by default.

    There are 200 orders, or fewer so that two million games (some 0.4 s) are replayed in all, but
    at least 5. A bot's points in one order scatter by about 16%; the mean over 200 orders scatters
    by some 1%.
    """
    return max(FEWEST_SHUFFLES, min(MOST_SHUFFLES, GAMES_TO_REPLAY // max(1, games)))


def shuffled_points(
    wins: ArrayLike, *, seed: int = 0, shuffles: int | None = None
) -> tuple[float, ...]:
    """Return each bot's points, averaged over random orders of the same games.

    `wins` is a square table of whole numbers: ``wins[i][j]`` is how often bot i has beaten bot j.
    Ties are not in it, since they move no points. All orders of these games are equally likely.

    A table of more than `GAMES_TO_REPLAY` games is scaled down to that many. More games would
    change little, since the effect of a game on the points is gone after some hundred others.

    The same table, seed (0 or more) and number of shuffles give the same points to the last bit, on
    any version of numpy. The orders come from a sort by the raw output of PCG64, which numpy
    promises to keep. numpy makes no such promise for the shuffle of a `Generator` (NEP 19).

    Raises ValueError for fewer than one shuffle, and for a table that is not square, has numbers
    that are negative or not whole, or has games of a bot against itself.
    """
    import numpy as np

    table = np.asarray(wins)
    if table.size == 0:
        return ()
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError(f"the table of wins must be square, and its shape is {table.shape}.")
    counts = table.astype(np.int64)
    if (counts != table).any() or (counts < 0).any():
        raise ValueError("the table of wins must hold whole numbers that are not negative.")
    if counts.diagonal().any():
        raise ValueError("the table of wins has games of a bot against itself.")
    counts = _at_most(GAMES_TO_REPLAY, counts)
    games = int(counts.sum())
    orders = shuffles_for(games) if shuffles is None else shuffles
    if orders < 1:
        raise ValueError(f"points are averaged over at least one order, not {orders}.")

    bots = len(counts)
    pairing = np.repeat(np.arange(bots * bots), counts.ravel())
    winners, losers = np.divmod(pairing, bots)
    source = np.random.PCG64(seed)
    total = [0.0] * bots
    for _ in range(orders):
        order = np.argsort(source.random_raw(games), kind="stable")
        points = [START] * bots
        # The percentage rule, written out: a call for each game would double the time.
        for winner, loser in zip(winners[order].tolist(), losers[order].tolist(), strict=True):
            before = points[loser]
            gain = RATE * before
            points[winner] += gain
            left = before - gain
            points[loser] = left if left > FLOOR else FLOOR  # noqa: FURB136 (max() is a call, too)
        total = [sum_ + new for sum_, new in zip(total, points, strict=True)]
    return tuple(sum_ / orders for sum_ in total)


def _at_most(most: int, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The table of wins; if it holds more than ``most`` games, it is scaled down to ``most``."""
    games = float(counts.sum(dtype=float))
    return counts if games <= most else (counts * (most / games)).astype(counts.dtype)
