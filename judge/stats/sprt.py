"""Wald's sequential probability ratio test: play on until the question is decided, and no longer.

The ratio here is the exact generalised one, which exists for all counts. So the test also ends
matches without ties; a known implementation does not, since its ratio is 0 until a win, a tie and a
loss have all occurred.
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
"""The largest Elo difference of a hypothesis: beyond it, an expected score is too near to 0 or
1."""


class Verdict(StrEnum):
    """The state of the test: one hypothesis is accepted, or the match goes on."""

    H0 = "H0"
    H1 = "H1"
    CONTINUE = "continue"


class Bounds(NamedTuple):
    """The log-likelihood ratios at which H0 (lower) and H1 (upper) are accepted."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Sprt:
    """A test of H0 "the Elo difference is `elo0`" against H1 "the Elo difference is `elo1`".

    `alpha` is the chance to accept H1 if H0 is true, `beta` the chance to accept H0 if H1 is true
    (Wald, Annals of Mathematical Statistics 16, 1945). Raises ValueError, with a sentence for the
    user, unless elo0 < elo1, both lie from -4000 to 4000, and both chances lie between 0 and 0.5.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        for name, elo in (("ELO0", self.elo0), ("ELO1", self.elo1)):
            if not abs(elo) <= LARGEST_ELO:  # in this form the test also catches nan
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

        ``counts[k]`` is how many units (games, or pairs of games) scored ``k / (len(counts) - 1)``:

        - two counts, (losses, wins): single games.  The ratio is the plain Bernoulli one,
          ``W ln(p1/p0) + L ln((1-p1)/(1-p0))``.
        - three, (both lost, one each, both won): swapped pairs without ties; or, as (losses, ties,
          wins), single games with ties.
        - five: swapped pairs with ties, the pentanomial.

        With three or more counts, many distributions of the score have the mean that a hypothesis
        expects. The likelihood of the hypothesis is then the largest among them (the generalised
        SPRT of fishtest; M. Van den Bergh, "The generalized maximum likelihood ratio for the
        expectation value of a distribution"). Raises ValueError for fewer than two counts, or
        counts under 0.
        """
        if len(counts) < 2 or min(counts) < 0:
            raise ValueError(f"two or more counts, none negative, are needed, not {counts!r}.")
        return _log_likelihood(counts, expected_score(self.elo1)) - _log_likelihood(
            counts, expected_score(self.elo0)
        )

    def verdict(self, counts: Sequence[int]) -> Verdict:
        """Return the verdict on these results, counted as for `llr`."""
        ratio, bounds = self.llr(counts), self.bounds
        if ratio <= bounds.lower:
            return Verdict.H0
        if ratio >= bounds.upper:
            return Verdict.H1
        return Verdict.CONTINUE


def _log_likelihood(counts: Sequence[int], mean: float) -> float:
    """Return the largest log-likelihood of `counts` under any distribution with this mean. A term
    that does not depend on the mean is left out: it cancels in a ratio.

    With Lagrange's multiplier x, the maximum is at ``p_k = n_k / (N (1 + x d_k))``, where d_k is
    the score less the mean, and x is the root of ``sum n_k d_k / (1 + x d_k)``. The score 0 or 1
    may have a probability although it has not occurred, as when all observed scores lie on one side
    of the mean. Then x is at a limit of its range, where ``1 + x d_k`` of that score is 0. So the
    likelihood is above 0 for all counts, without made-up games.
    """
    top = len(counts) - 1
    seen = [(count, k / top - mean) for k, count in enumerate(counts) if count]
    x = _multiplier(seen, -1 / (1 - mean), 1 / mean)
    return -math.fsum(count * math.log1p(x * distance) for count, distance in seen)


def _multiplier(seen: Sequence[tuple[int, float]], low: float, high: float) -> float:
    """Return the root in [low, high] of the falling function ``sum n d / (1 + x d)``.

    Return `low` if the function is below 0 in the whole range, and `high` if it is above 0. The
    method is Newton's, inside a bracket that shrinks with every step.
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
        # A step goes at most half way to an end of the bracket: close to an end the function is
        # almost infinite, and a short step would look like the last one.
        step = min(max(step, (x + low) / 2), (x + high) / 2)
        if abs(step - x) <= 1e-14 * (1 + abs(x)):
            break
        x = step
    return x
