"""Win rate and Elo difference of one match with their intervals, and likelihood of superiority.

The three never contradict each other. The Elo interval is Wilson's interval of the win rate,
converted to Elo. The Elo interval leaves out 0 in the same matches in which Wilson's interval
leaves out one half and the likelihood of superiority lies outside 2.5% to 97.5%.

The two games of a swapped pair share their seeds, so they are not independent; and a tie adds less
variance than a win or a loss. A *design effect* (Kish, Survey Sampling, 1965) takes in both: it is
the variance of the score, as a multiple of its variance in as many independent games without ties.
An interval then counts ``games / effect`` games, as Korn and Graubard (Survey Methodology 24, 1998)
do for proportions. This is the pentanomial model of chess testing, kept finite for few games and
for perfect scores.

No result is nan, infinite or an interval of width 0: a perfect score, a single game and no game at
all get finite, wide intervals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

Z95 = 1.959963984540054
"""The two-sided 95% point of the normal distribution."""
ELO_PER_NAT = 400 / math.log(10)
"""Elo points in one unit of the natural logarithm of the odds."""

# The weight of the assumption of independence, in units, against the observed correlation. With N
# pairs that all split, the interval's half-width is then about that of the rule of three, 1.5/N.
PRIOR_UNITS = 5.0


class Interval(NamedTuple):
    """A 95% interval: its lower and upper limit."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class EloDifference:
    """How much stronger the first of two bots is: the Elo difference, its 95% interval, and the
    likelihood of superiority (``los``)."""

    difference: float
    interval_95: Interval
    los: float


def expected_score(elo: float) -> float:
    """Return the score, in (0, 1), that a bot stronger by `elo` points expects from a game."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """Return the Elo difference whose expected score is `score`, strictly between 0 and 1."""
    return ELO_PER_NAT * (math.log(score) - math.log1p(-score))


def wilson(wins: float, games: float, effect: float = 1.0) -> Interval:
    """Return the 95% score interval of a win rate (Wilson, JASA 22, 1927); a tie is half a win.

    `effect` is the design effect. Without games the interval is (0, 1). Raises ValueError unless 0
    <= wins <= games and 0 < effect, all of them finite.
    """
    if not 0 <= wins <= games < math.inf:
        raise ValueError(f"{wins} wins in {games} games cannot be: wins lie between 0 and games.")
    if not 0 < effect < math.inf:
        raise ValueError(f"a design effect is a number over 0, not {effect}.")
    if games == 0:
        return Interval(0.0, 1.0)
    rate, count, z2 = wins / games, games / effect, Z95**2
    centre = (rate + z2 / (2 * count)) / (1 + z2 / count)
    reach = Z95 * math.sqrt(rate * (1 - rate) / count + z2 / (4 * count**2)) / (1 + z2 / count)
    # The limit at a perfect score is exactly 0 or 1; the formula would miss it by a rounding error.
    return Interval(
        0.0 if wins == 0 else max(0.0, centre - reach),
        1.0 if wins == games else min(1.0, centre + reach),
    )


def likelihood_of_superiority(wins: float, games: float, effect: float = 1.0) -> float:
    """Return the probability that the bot with `wins` is the stronger one; 0.5 without games.

    Without ties and with effect 1, this is ``Phi((wins - losses) / sqrt(wins + losses))``, where
    Phi is the normal distribution function.
    """
    if games == 0:
        return 0.5
    return normal_cdf((2 * wins / games - 1) * math.sqrt(games / effect))


def elo_difference(
    wins: int, losses: int, ties: int = 0, *, effect: float | None = None
) -> EloDifference:
    """Return the Elo difference of the bot with `wins` to its opponent, with a 95% interval.

    At this difference the expected score is the one reached. The interval is that of `wilson`,
    converted to Elo. A perfect score has no finite difference, and an interval open on one side.
    The difference then comes from half a win and half a loss more (Haldane's correction, Annals of
    Human Genetics 20, 1956). The open side ends where Jeffreys' interval does (Brown, Cai and
    DasGupta, Statistical Science 16, 2001): at one loss in some 2,000 times as many games.

    Give ``effect=pair_effect(...)`` for a match in swapped pairs. Without `effect` the games count
    as independent, and ties lower the variance. Raises ValueError for counts under 0 and for an
    effect that is not over 0.
    """
    if min(wins, losses, ties) < 0:
        raise ValueError(f"counts of games cannot be negative: {wins}, {losses}, {ties}.")
    if effect is None:
        effect = design_effect((losses, ties, wins), games_each=1)
    games, scored = wins + losses + ties, wins + ties / 2
    low, high = wilson(scored, games, effect)
    odds = scored / (games - scored) if low > 0 and high < 1 else (wins + 0.5) / (losses + 0.5)
    open_end = -ELO_PER_NAT * math.log(_jeffreys_end(games / effect))
    return EloDifference(
        difference=ELO_PER_NAT * math.log(odds),
        interval_95=Interval(
            elo_of(low) if low > 0 else -open_end,
            elo_of(high) if high < 1 else open_end,
        ),
        los=likelihood_of_superiority(scored, games, effect),
    )


def design_effect(counts: Sequence[int], games_each: int) -> float:
    """Return the design effect of a match (see the head of this file); 1 without games.

    ``counts[k]`` is how many units of `games_each` games scored ``k / (len(counts) - 1)``. With an
    effect over 1 the games of a unit tend to the same result. With an effect under 1 they balance
    each other, or there are ties. The observed effect is drawn towards 1 as if five independent
    units had been seen as well, so that few units do not give too narrow an interval.

    Raises ValueError for fewer than two counts, or counts under 0.
    """
    if len(counts) < 2 or min(counts) < 0:
        raise ValueError(f"two or more counts, none of them negative, are needed, not {counts!r}.")
    units, top = sum(counts), len(counts) - 1
    if units == 0:
        return 1.0
    mean = sum(count * k for k, count in enumerate(counts)) / (units * top)
    independent = mean * (1 - mean) / games_each
    if independent <= 0:  # a perfect score shows no variance, and so no correlation
        return 1.0
    variance = sum(count * (k / top - mean) ** 2 for k, count in enumerate(counts)) / units
    # Bessel's correction of both variances: a sample's mean lies nearer to its values than the true
    # mean does, the more so with fewer units.
    bessel = (units * games_each - 1) / (units * games_each - games_each) if units > 1 else 1.0
    seen = variance / independent * bessel
    return (PRIOR_UNITS + units * seen) / (PRIOR_UNITS + units)


def pair_effect(counts: Sequence[int]) -> float:
    """Return the design effect of swapped pairs. `counts` has the number of pairs for each possible
    score.

    `counts` has three numbers (both lost, one each, both won) without ties, and five (pair scores
    0, 1/4, 1/2, 3/4, 1: the pentanomial of chess testing) with ties. Else raises ValueError.
    """
    if len(counts) not in (3, 5):
        raise ValueError(f"pairs have three or five possible scores, not {len(counts)}.")
    return design_effect(counts, games_each=2)


def normal_cdf(z: float) -> float:
    """Return the normal distribution function at `z`, for mean 0 and variance 1."""
    return math.erfc(-z / math.sqrt(2)) / 2


def _jeffreys_end(games: float) -> float:
    """Return the 2.5% point of Beta(1/2, games + 1/2): the rate of losses at the end of Jeffreys'
    interval after a perfect score.

    Near 0 the distribution function is ``2 sqrt(y) / B(1/2, games + 1/2)``. The next term of the
    series adds no more than a relative 5e-4, so only the first is used.
    """
    log_beta = math.lgamma(0.5) + math.lgamma(games + 0.5) - math.lgamma(games + 1)
    return (0.025 / 2 * math.exp(log_beta)) ** 2
