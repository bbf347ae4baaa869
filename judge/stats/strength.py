"""Bradley–Terry strengths of all bots of a field as Elo, each with its interval.

The chance that i beats j is ``g_i / (g_i + g_j)`` (Bradley and Terry, Biometrika 39, 1952), and Elo
is ``400 log10 g``. The fit is by maximum likelihood, which exists only where every bot has won and
lost along some chain to every other (Ford 1957; Hunter, Annals of Statistics 32, 2004). So that it
always does, every bot also has half a win and half a loss against a *ghost*, one more player whose
strength is fitted like any other's. This is close to Haldane's correction of a log-odds for two
bots; beside real games it is worth less than one of them.
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
"""Wins, and also losses, of every bot against the ghost."""


class Ranks(NamedTuple):
    """The ranks that a bot may have, from best to worst; 1 is the top of the field."""

    best: int
    worst: int


@dataclass(frozen=True, slots=True)
class BradleyTerry:
    """The strengths of a field, bot by bot in its order.

    `elo` has its 0 at the mean of the field's bots that have played; one that has not stands where
    the ghost does, near 0.  `elo_95` is a bot's 95% interval on
    that scale, from the observed information.  `rank_95` is, for any one bot picked beforehand,
    the interval that holds its true rank with at least 95%.
    """

    elo: tuple[float, ...]
    elo_95: tuple[Interval, ...]
    rank_95: tuple[Ranks, ...]
    _z: NDArray[np.float64] = field(repr=False, compare=False)

    def likelihood_of_superiority(self, first: int, second: int) -> float:
        """Return how likely the bot at index `first` is stronger than that at `second`.

        The normal integral of the Elo difference over its standard error; one half for two bots
        that no chain of games joins, since nothing is known of their order.
        """
        return normal_cdf(float(self._z[first, second]))

    def order_supported(self, above: int, below: int) -> bool:
        """Return whether the 95% interval of the difference has `above` over `below`."""
        return bool(self._z[above, below] >= Z95)


def bradley_terry(wins: ArrayLike, field: Sequence[int] | None = None) -> BradleyTerry:
    """Fit the strengths of a field from its table of wins.

    The ``field`` are these bots of the table, by default all in its order. The games of the others
    are evidence, too, but nothing is said of them: they are in no rank, nor in the mean.

    ``wins[i][j]`` is how often bot i has beaten bot j; a tie may be entered as half a win for each
    (intervals are then a little wide).  Bots without games, groups that never met, and bots that
    won or lost everything all get finite values with intervals to match.

    Raises ValueError for a table that is not square, negative, not finite, or that has games of a
    bot against itself.
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
    # From here on all is about the field, and the ghost behind it.
    rows = np.append(shown, bots)
    # The columns of the inverse that are asked for: it is right for their differences.
    covariance = np.linalg.solve(curvature, np.eye(bots + 1)[:, rows])[rows]
    strength = strength[rows]
    group, played, bots = group[shown], played[shown], len(shown)
    # The 0 lies at the mean of the bots that have played, or of all while nobody has; and a bot
    # that is alone is measured against the ghost, for against itself it would be 0 +- 0.
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
    """Return how many games of two each pair of a game of more ``seats`` is worth, for its pairs
    come from one game and are not independent.

    Between equals every order of the seats is as likely, whatever the game. If all are ``ranked``,
    the number of others that a seat leaves behind is then uniform from 0 to m - 1, with the
    variance (m^2 - 1) / 12, and a covariance of -(m + 1) / 12 with another seat's. The same number
    of independent games of two would give (m - 1) / 4 and -1 / 4: so the pairs of a game, taken as
    independent, have every variance (m + 1) / 3 times too small. If only the winner is known, and
    its pairs alone are counted, that is m / 2. Counted with the inverse as their weight, they give
    intervals of the right width; how right they are between bots that are not equal is simulated
    (tests/stats/test_pairs_of_groups.py).
    """
    return 3 / (seats + 1) if ranked else 2 / seats


def _rounded(elo: NDArray[np.float64]) -> tuple[float, ...]:
    """To a millionth of an Elo: what the fit is good for on any machine, and 0 is never -0."""
    return tuple((elo.round(6) + 0.0).tolist())


def _fit(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return log-strengths, the ghost's last, and the information that the games hold of them; its
    inverse is a covariance that is right for their differences.

    Newton's method on the concave log-likelihood, a step halved until it climbs.  The likelihood
    does not change when all strengths move together; the matrix of ones fixes that direction
    alone, and drops out of every difference.
    """
    import numpy as np

    bots = len(table)
    wins = np.full((bots + 1, bots + 1), GHOST_WINS)
    wins[:bots, :bots] = table
    wins[bots, bots] = 0.0
    # Pair by pair of those that have met, which are few where bots have many versions.
    one, other = np.nonzero(np.triu(wins + wins.T))
    won, lost = wins[one, other], wins[other, one]
    del wins  # a square of the field, as each step of the fit needs some of
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
            """Bot by bot, over its pairs."""
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
        if np.abs(step).max() < 1e-6:  # its square is what the next step would be
            break
    else:
        raise ArithmeticError("the Bradley-Terry fit did not converge in 200 steps of Newton.")
    return strength, information(strength)[1]


def _groups(met: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return a number for each bot, the same for two bots just if a chain of games joins them."""
    import numpy as np

    group = np.arange(len(met))
    while True:
        lowest = np.where(met, group[None, :], len(met)).min(axis=1, initial=len(met))
        joined = np.minimum(group, lowest)
        if (joined == group).all():
            return group
        group = joined


def _ranks(z: NDArray[np.float64], group: NDArray[np.int64]) -> tuple[Ranks, ...]:
    """Return each bot's interval of ranks, by testing it against every bot that it can be compared
    to.

    A bot is certainly below those that test as better and above those that test as worse; the rest
    may lie on either side. The tests of one bot are taken step by step from the clearest, to be
    right together with 95% (Holm 1979, with Sidak's levels as in Holland and Copenhaver, Biometrics
    43, 1987; Sidak's inequality holds for normal variables however correlated). That bounds the
    false separations of equals; wrong directions are not in Holm's proof, and simulation
    (tests/stats/test_strength.py) shows that they do not spoil the 95%.

    The promise is for one bot at a time; for the ranks of the whole field at once
    see Mogstad, Romano, Shaikh and Wilhelm, "Inference for Ranks", Rev. Econ. Stud. 91, 2024.
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
