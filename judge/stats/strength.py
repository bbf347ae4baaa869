"""Bradley–Terry strengths of all bots of a field as Elo, each with its interval.

The chance that i beats j is ``g_i / (g_i + g_j)`` (Bradley and Terry, Biometrika 39, 1952), and Elo
is ``400 log10 g``. The fit is by maximum likelihood, which has a finite solution only if chains of
wins lead from every bot to every other (Ford 1957; Hunter, Annals of Statistics 32, 2004). To make
it always finite, every bot also has half a win and half a loss against a *ghost*, one more player
whose strength is fitted too. In a field of two bots the ghost weighs less than one real game; it
acts much like Haldane's correction of a log-odds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from judge.stats.intervals import ELO_PER_NAT, Z95, Interval, normal_cdf

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import ArrayLike, NDArray


GHOST_WINS = 0.5
"""Wins of every bot against the ghost, and also its losses."""


class Ranks(NamedTuple):
    """The interval of a bot's rank: the best and the worst. Rank 1 is the top of the field."""

    best: int
    worst: int


@dataclass(frozen=True, slots=True)
class BradleyTerry:
    """The strengths of the bots of a field, in the order of the field.

    The mean `elo` of the field's bots that have played is 0; a field of a single bot has the ghost
    at 0. A bot that has not played has the ghost's strength, near 0. `elo_95` is each bot's 95%
    interval on the same scale, from the observed information. `rank_95` contains the true rank with
    a probability of at least 95%, for any one bot picked beforehand.
    """

    elo: tuple[float, ...]
    elo_95: tuple[Interval, ...]
    rank_95: tuple[Ranks, ...]
    _z: NDArray[np.float64] = field(repr=False, compare=False)

    def likelihood_of_superiority(self, first: int, second: int) -> float:
        """Return the probability that the bot at index `first` is stronger than the bot at
        `second`.

        The probability is the normal distribution function at the Elo difference divided by its
        standard error. It is one half for two bots that no chain of games joins.
        """
        return normal_cdf(float(self._z[first, second]))

    def order_supported(self, above: int, below: int) -> bool:
        """Return whether the 95% interval of the difference shows the bot at `above` to be stronger
        than the bot at `below`."""
        return bool(self._z[above, below] >= Z95)


def bradley_terry(wins: ArrayLike, field: Sequence[int] | None = None) -> BradleyTerry:
    """Fit the strengths of a field from its table of wins.

    ``field`` has the indexes of the bots that are ranked, by default all. The games of the other
    bots are evidence too, but those bots get no values and do not count in the mean.

    ``wins[i][j]`` is how often bot i has beaten bot j. A tie may be entered as half a win for each
    bot; intervals are then a little too wide. Bots without games, groups that never met, and bots
    that won or lost all games get finite values and wide intervals.

    Raises ValueError if the table is not square, has a number that is negative or not finite, or
    has games of a bot against itself. Raises ArithmeticError if the fit does not converge.
    """
    import numpy as np

    table = np.asarray(wins, dtype=np.float64)
    if table.size == 0:
        table = table.reshape(0, 0)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError(f"the table of wins must be square, and its shape is {table.shape}.")
    if not np.isfinite(table).all() or (table < 0).any():
        raise ValueError("the table of wins must hold finite numbers that are not negative.")
    if table.diagonal().any():
        raise ValueError("the table of wins has games of a bot against itself.")
    bots = len(table)
    strength, curvature = _fit(table)

    met = (table + table.T) > 0
    group = _groups(met)
    played = np.asarray(met.any(axis=1))
    shown = np.arange(bots) if field is None else np.array(field, dtype=np.int64)
    # From here on, all arrays are about the field, with the ghost last.
    rows = np.append(shown, bots)
    # The needed rows and columns of the inverse: a covariance that is right for differences of
    # strengths.
    covariance = np.linalg.solve(curvature, np.eye(bots + 1)[:, rows])[rows]
    strength = strength[rows]
    group, played, bots = group[shown], played[shown], len(shown)
    # The 0 is the mean of the bots that have played, or of all bots if none has. A single bot is
    # measured against the ghost: against itself its interval would have the width 0.
    zero = np.zeros(bots + 1)
    zero[:bots] = (played if played.any() else True) if bots > 1 else False
    zero[bots] = bots < 2
    zero /= zero.sum()
    elo = ELO_PER_NAT * (strength - zero @ strength)[:bots]
    own, with_zero = covariance.diagonal(), covariance @ zero
    variance = own - 2 * with_zero + zero @ with_zero
    reach = Z95 * ELO_PER_NAT * np.sqrt(variance[:bots])

    spread = own[:, None] + own[None, :] - 2 * covariance
    np.fill_diagonal(spread, 1.0)
    z = ((strength[:, None] - strength[None, :]) / np.sqrt(spread))[:bots, :bots]
    z[group[:, None] != group[None, :]] = 0.0
    return BradleyTerry(
        elo=_rounded(elo),
        elo_95=tuple(map(Interval, _rounded(elo - reach), _rounded(elo + reach))),
        rank_95=_ranks(z, group),
        _z=z,
    )


def worth_of_pairs(seats: int, *, ranked: bool = True) -> float:
    """Return how many two-player games each pair of seats counts as, in a game of more than two
    ``seats``. The number is under 1, since the pairs of one game are not independent.

    If m bots are equally strong, all their finishing orders are equally likely. If all seats are
    ``ranked``, the number of seats that finish behind one seat is uniform from 0 to m - 1: its
    variance is (m^2 - 1) / 12, and its covariance with another seat's number is -(m + 1) / 12.
    Independent two-player games would give a variance of (m - 1) / 4 and a covariance of -1 / 4. So
    pairs that are taken as independent have a variance that is (m + 1) / 3 times too small. If only
    the winner is known and only its pairs are counted, this factor is m / 2. The inverse of the
    factor gives intervals of the right width, as simulations show for bots of unequal strength too
    (tests/stats/test_pairs_of_groups.py).
    """
    return 3 / (seats + 1) if ranked else 2 / seats


def _rounded(elo: NDArray[np.float64]) -> tuple[float, ...]:
    """Return the Elo values rounded to a millionth, since further digits of the fit may differ from
    machine to machine. A -0 becomes 0."""
    return tuple((elo.round(6) + 0.0).tolist())


def _fit(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log-strengths, with the ghost's last, and their information matrix. The inverse of
    that matrix is a covariance that is right for differences of log-strengths.

    The method is Newton's on the concave log-likelihood; a step is halved until it does not lower
    the likelihood. The likelihood does not change if all strengths move together, so the
    information matrix alone has no inverse. A constant added to all its entries gives it an
    inverse, and does not change the variance of any difference.
    """
    import numpy as np

    bots = len(table)
    wins = np.full((bots + 1, bots + 1), GHOST_WINS)
    wins[:bots, :bots] = table
    wins[bots, bots] = 0.0
    # The sums go over the pairs that have met, which are few if bots have many versions.
    one, other = np.nonzero(np.triu(wins + wins.T))
    won, lost = wins[one, other], wins[other, one]
    del wins  # it is as large as the matrices of each step
    games = won + lost

    def log_likelihood(strength: NDArray[np.float64]) -> float:
        lead = strength[one] - strength[other]
        return -float((games * np.logaddexp(0.0, -lead) + lost * lead).sum())

    def information(
        strength: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        lead = strength[one] - strength[other]
        chance, other_chance = np.exp(-np.logaddexp(0.0, (-lead, lead)))
        surplus, weight = won - games * chance, games * chance * other_chance

        def summed(values: NDArray[np.float64], sign: float) -> NDArray[np.float64]:
            """Return for each bot the sum of the values over its pairs."""
            first, second = (np.bincount(who, values, bots + 1) for who in (one, other))
            return np.asarray(first + sign * second)

        curvature = np.diag(summed(weight, 1.0))
        curvature[one, other] = curvature[other, one] = -weight
        return summed(surplus, -1.0), curvature + 1 / (bots + 1)

    strength = np.zeros(bots + 1)
    reached = log_likelihood(strength)
    for _ in range(200):
        gradient, curvature = information(strength)
        step = np.linalg.solve(curvature, gradient)
        while (climbed := log_likelihood(strength + step)) < reached - 1e-12 * abs(reached):
            step /= 2
        strength, reached = strength + step, climbed
        if np.abs(step).max() < 1e-6:  # the next step would be about its square
            break
    else:
        raise ArithmeticError("the Bradley-Terry fit did not converge in 200 steps of Newton.")
    return strength, information(strength)[1]


def _groups(met: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The number of each bot's group. A group is all bots that chains of games join."""
    import numpy as np

    group = np.arange(len(met))
    while True:
        lowest = np.where(met, group[None, :], len(met)).min(axis=1, initial=len(met))
        joined = np.minimum(group, lowest)
        if (joined == group).all():
            return group
        group = joined


def _ranks(z: NDArray[np.float64], group: NDArray[np.int64]) -> tuple[Ranks, ...]:
    """Return each bot's interval of ranks, from tests against every bot that a chain of games joins
    to it.

    A bot ranks below the bots that test as better, and above those that test as worse; all others
    may rank on either side. A bot's tests begin with the clearest difference and end at the first
    that fails. All of them together are right with a probability of 95% (Holm 1979, with Sidak's
    levels as in Holland and Copenhaver, Biometrics 43, 1987; Sidak's inequality holds for normal
    variables with any correlation). Holm's proof covers false separations of equals. The proof does
    not cover wrong directions; a simulation (tests/stats/test_strength.py) shows that wrong
    directions keep within the 5%.

    The 95% level holds for one bot at a time. On the ranks of the whole field at once see Mogstad,
    Romano, Shaikh and Wilhelm, "Inference for Ranks", Rev. Econ. Stud. 91, 2024.
    """
    from statistics import NormalDist

    import numpy as np

    bots = len(z)
    # critical[m]: the limit on |z| while m comparisons are undecided.
    normal = NormalDist()
    critical = np.array([0.0, *(normal.inv_cdf((1 + 0.95 ** (1 / m)) / 2) for m in range(1, bots))])
    ranks = []
    for i in range(bots):
        others = np.flatnonzero(group == group[i])
        others = others[others != i]
        clearest = others[np.argsort(-np.abs(z[i, others]), kind="stable")]
        passed = np.abs(z[i, clearest]) >= critical[len(clearest) : 0 : -1]
        decided = clearest[: len(passed) if passed.all() else int(passed.argmin())]
        ranks.append(
            Ranks(1 + int((z[i, decided] < 0).sum()), bots - int((z[i, decided] > 0).sum()))
        )
    return tuple(ranks)
