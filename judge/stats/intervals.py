"""Win rate, Elo difference and likelihood of superiority of one match, each with its interval.

The three are one statement in three forms and never contradict each other: the Elo interval is
the image of Wilson's interval for the win rate, and it leaves out 0 just when Wilson's leaves out
one half and the likelihood of superiority lies outside 2.5% to 97.5%.

Games of a pair share their seeds, so they are not independent, and a tie adds less variance than
a win or a loss.  Both enter as a *design effect* (Kish, Survey Sampling, 1965): the variance of the
score over what as many independent games without ties would have.  An interval then counts
``games / effect`` games, as Korn and Graubard (Survey Methodology 24, 1998) do for
proportions.  It is the pentanomial idea of chess testing, kept finite for few and perfect scores.

Nothing is nan, infinite or "plus or minus 0": a perfect score, a single game and no game at all
get finite, wide answers.
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

# How many units the assumption of independence is worth, against the correlation observed.  With
# N pairs that all split, the interval then has about the reach of the rule of three, 1.5/N.
PRIOR_UNITS = 5.0


class Interval(NamedTuple):
    """A 95% interval: its lower and upper limit."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class EloDifference:
    """How much stronger the first of two bots is: Elo, its 95% interval, and how sure "stronger"
    is."""

    difference: float
    interval_95: Interval
    los: float


def expected_score(elo: float) -> float:
    """Return the score, in (0, 1), that a bot `elo` points stronger expects from a game."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(score: float) -> float:
    """Return the Elo difference at which `score`, strictly between 0 and 1, is expected."""
    return ELO_PER_NAT * (math.log(score) - math.log1p(-score))


def wilson(wins: float, games: float, effect: float = 1.0) -> Interval:
    """Return the 95% score interval of a win rate (Wilson, JASA 22, 1927); a tie is half a win.

    No games at all say nothing: (0, 1).  Raises ValueError unless 0 <= wins <= games.
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
    # A perfect score's own limit is exact; the arithmetic would miss it by a rounding error.
    return Interval(
        0.0 if wins == 0 else max(0.0, centre - reach),
        1.0 if wins == games else min(1.0, centre + reach),
    )


def likelihood_of_superiority(wins: float, games: float, effect: float = 1.0) -> float:
    """Return how likely the bot with `wins` is the stronger one: the normal integral of D / sd(D).

    Without ties this is the usual ``Phi((wins - losses) / sqrt(wins + losses))``.
    """
    if games == 0:
        return 0.5
    return normal_cdf((2 * wins / games - 1) * math.sqrt(games / effect))


def elo_difference(
    wins: int, losses: int, ties: int = 0, *, effect: float | None = None
) -> EloDifference:
    """Return by how much the bot with `wins` is stronger, as Elo with a 95% interval.

    The difference is that at which the score is expected; the interval is that of `wilson`.  A
    perfect score bounds the difference on one side only, and has no finite estimate.  There the
    estimate adds half a win and half a loss (Haldane, Ann. Hum. Genet. 20, 1956), and the open
    side ends where Jeffreys' interval does (Brown, Cai and DasGupta, Statistical Science 16,
    2001): at one loss in some 2,000 times as many games.

    Give ``effect=pair_effect(...)`` for a match in swapped pairs. Left out, the games count as
    independent, with what ties take from the variance. Raises ValueError for counts under 0.
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
    """Return the variance of the score over that of as many independent games without ties.

    ``counts[k]`` is how many units of `games_each` games scored ``k / (len(counts) - 1)``.  1 means
    independent; under 1, games that balance each other; over 1, games that go the same way.  The
    ratio observed is drawn towards 1, as if five independent units had been seen as well, so a
    few units never claim a certainty that they cannot know.

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
    # A sample's mean lies nearer to its values than the true mean does, and with the fewer units
    # the more so: Bessel's correction of both variances.
    bessel = (units * games_each - 1) / (units * games_each - games_each) if units > 1 else 1.0
    seen = variance / independent * bessel
    return (PRIOR_UNITS + units * seen) / (PRIOR_UNITS + units)


def pair_effect(counts: Sequence[int]) -> float:
    """Return the design effect of swapped pairs, by how many pairs scored what.

    Three counts (both lost, one each, both won) where there are no ties; five (pair scores 0, 1/4,
    1/2, 3/4, 1: the pentanomial of chess testing) where there are.
    """
    if len(counts) not in (3, 5):
        raise ValueError(f"pairs have three or five possible scores, not {len(counts)}.")
    return design_effect(counts, games_each=2)


def normal_cdf(z: float) -> float:
    """Return the standard normal distribution's integral up to `z`."""
    return math.erfc(-z / math.sqrt(2)) / 2


def _jeffreys_end(games: float) -> float:
    """Return the 2.5% point of Beta(1/2, games + 1/2), what Jeffreys leaves to the other side.

    The distribution begins as ``2 sqrt(y) / B(1/2, games + 1/2)``; the next term is a relative
    5e-4 or less, so the equation is solved by its first.
    """
    log_beta = math.lgamma(0.5) + math.lgamma(games + 0.5) - math.lgamma(games + 1)
    return (0.025 / 2 * math.exp(log_beta)) ** 2
