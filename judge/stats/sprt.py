"""Wald's sequential probability ratio test: play on until the question is decided, and no longer.

This file asks for no draws.  A known implementation returns a ratio of 0 as long as one of win,
draw and loss has not occurred, and so never ends a match that has no draws; the ratio here is the
exact generalised one, which all counts have.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from judge.stats.intervals import expected_score

if TYPE_CHECKING:
    from collections.abc import Sequence

LARGEST_ELO = 4000.0
"""Beyond this an expected score cannot be told from 0 or 1 with any precision."""


class Verdict(StrEnum):
    """The state of the test."""

    H0 = "H0"
    H1 = "H1"
    CONTINUE = "continue"


class Bounds(NamedTuple):
    """The log-likelihood ratios at which H0 (lower) and H1 (upper) are accepted."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of H0 "the difference is `elo0`" against H1 "it is `elo1`".

    `alpha` is the chance to accept H1 where H0 is true, `beta` that to accept H0 where H1 is true
    (Wald, Ann. Math. Stat. 16, 1945).  Raises ValueError, with a sentence for whoever typed them,
    unless elo0 < elo1, both within 4,000 Elo of 0, and both chances between 0 and 0.5.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        for name, elo in (("ELO0", self.elo0), ("ELO1", self.elo1)):
            if not abs(elo) <= LARGEST_ELO:  # said this way round, it also catches nan
                raise ValueError(f"{name} must be a number from -4000 to 4000, not {elo}.")
        if not self.elo0 < self.elo1:
            raise ValueError(
                f"ELO0 must be less than ELO1, and {self.elo0:g} is not less than {self.elo1:g}."
            )
        for name, chance in (("ALPHA", self.alpha), ("BETA", self.beta)):
            if not 0 < chance < 0.5:
                raise ValueError(
                    f"{name} is the chance of an error and must lie between 0 and 0.5, "
                    f"not {chance}."
                )

    @property
    def bounds(self) -> Bounds:
        """Wald's limits: ln(beta / (1 - alpha)) and ln((1 - beta) / alpha)."""
        return Bounds(
            math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)
        )

    def llr(self, counts: Sequence[int]) -> float:
        """Return the log-likelihood ratio of H1 to H0 after these results.

        ``counts[k]`` is how many units scored ``k / (len(counts) - 1)``:

        - two counts, (losses, wins): single games.  The ratio is the plain Bernoulli one,
          ``W ln(p1/p0) + L ln((1-p1)/(1-p0))``.
        - three, (both lost, one each, both won): swapped pairs without ties; or, as (losses, ties,
          wins), single games with ties.
        - five: swapped pairs with ties, the pentanomial.

        From three on, the distribution is not fixed by its mean, and the likelihood under each
        hypothesis is the largest that any distribution with that mean reaches (the generalised
        SPRT of fishtest; M. Van den Bergh, "The generalized maximum likelihood ratio for the
        expectation value of a distribution").  Raises ValueError for fewer than two counts, or
        counts under 0.
        """
        if len(counts) < 2 or min(counts) < 0:
            raise ValueError(f"two or more counts, none negative, are needed, not {counts!r}.")
        return _log_likelihood(counts, expected_score(self.elo1)) - _log_likelihood(
            counts, expected_score(self.elo0)
        )

    def verdict(self, counts: Sequence[int]) -> Verdict:
        """Return which hypothesis these results (counted as for `llr`) accept, if any."""
        ratio, bounds = self.llr(counts), self.bounds
        if ratio <= bounds.lower:
            return Verdict.H0
        if ratio >= bounds.upper:
            return Verdict.H1
        return Verdict.CONTINUE


def _log_likelihood(counts: Sequence[int], mean: float) -> float:
    """Return the largest log-likelihood of `counts` under a distribution with this mean.

    With Lagrange's multiplier x the maximum is ``p_k = n_k / (N (1 + x d_k))``, where d_k is the
    score less the mean, and x is the root of ``sum n_k d_k / (1 + x d_k)``.  A score that has not
    occurred may carry probability too: 0 or 1 does so where the observed scores alone cannot
    reach, or not easily reach, the mean.  There x stands at the limit of its range, where that
    score's ``1 + x d_k`` is 0.  So the likelihood is above 0 for all counts, without made-up games.
    (A term that does not depend on the mean is left out: it cancels in a ratio.)
    """
    top = len(counts) - 1
    seen = [(count, k / top - mean) for k, count in enumerate(counts) if count]
    x = _multiplier(seen, -1 / (1 - mean), 1 / mean)
    return -math.fsum(count * math.log1p(x * distance) for count, distance in seen)


def _multiplier(seen: Sequence[tuple[int, float]], low: float, high: float) -> float:
    """Return the root in [low, high] of the falling function ``sum n d / (1 + x d)``.

    The nearer limit if it does not change its sign in the range. Newton's steps, kept inside a
    bracket that shrinks with every one of them.
    """

    def value_and_slope(x: float) -> tuple[float, float]:
        value = slope = 0.0
        for count, distance in seen:
            term = distance / (1 + x * distance)
            value += count * term
            slope -= count * term * term
        return value, slope

    if not seen:
        return 0.0
    # A score of 0 (or 1) that has occurred makes the function infinite at `high` (or `low`).
    lowest, highest = min(d for _, d in seen), max(d for _, d in seen)
    if 1 + low * highest > 1e-12 and value_and_slope(low)[0] <= 0:
        return low
    if 1 + high * lowest > 1e-12 and value_and_slope(high)[0] >= 0:
        return high
    x = 0.0
    for _ in range(200):
        value, slope = value_and_slope(x)
        if value > 0:
            low = x
        else:
            high = x
        step = x - value / slope if slope else low
        # Half way to an end at most: right beside one, where the function is as good as infinite,
        # every step is short, and looks like the last.
        step = min(max(step, (x + low) / 2), (x + high) / 2)
        if abs(step - x) <= 1e-14 * (1 + abs(x)):
            break
        x = step
    return x
