"""The mean of a sample with its error, and the difference of two means measured on the same things.

It knows no game. Nothing in it is nan, infinite or "plus or minus 0": what cannot be said is None.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judge.stats.intervals import Z95, Interval


@dataclass(frozen=True, slots=True)
class Spread:
    """Some numbers in brief. ``sd`` is the standard deviation that they estimate for all numbers
    of their kind, ``se`` the standard error of ``mean``; of one number alone, neither is known."""

    count: int
    mean: float
    sd: float | None
    se: float | None
    min: float
    max: float
    median: float


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much one mean is above another, from ``count`` pairs. ``interval_95`` is None where
    nothing can be said of it: of one pair, and where all pairs differ by the same."""

    count: int
    mean: float
    interval_95: Interval | None

    @property
    def sign(self) -> int:
        """1 or -1 where the interval leaves out 0, and so shows that the one mean is above or below
        the other; otherwise 0."""
        if self.interval_95 is None:
            return 0
        return (self.interval_95.low > 0) - (self.interval_95.high < 0)


def spread(values: Sequence[float]) -> Spread | None:
    """Describe these numbers; None without numbers."""
    if not values:
        return None
    sd = statistics.stdev(values) if len(values) > 1 else None
    return Spread(
        count=len(values),
        mean=statistics.fmean(values),
        sd=sd,
        se=None if sd is None else sd / math.sqrt(len(values)),
        min=min(values),
        max=max(values),
        median=statistics.median(values),
    )


def paired_difference(some: Mapping[int, float], others: Mapping[int, float]) -> Difference | None:
    """Compare two measures of the same things, by what both measured; None if that is nothing.

    A hard thing is hard for both, and cancels out in the difference: its interval (Student,
    Biometrika 6, 1908) is far shorter than that between two means of different things.
    """
    found = spread([some[key] - others[key] for key in some.keys() & others.keys()])
    if found is None:
        return None
    interval = None
    if found.se:  # neither None nor 0
        reach = student_95(found.count - 1) * found.se
        interval = Interval(found.mean - reach, found.mean + reach)
    return Difference(found.count, found.mean, interval)


def student_95(freedom: int) -> float:
    """Return the two-sided 95% point of Student's t with this many degrees of freedom, 1 at least.

    Within 0.15%: exact for one and two degrees, from there on the expansion of Abramowitz and
    Stegun, Handbook of Mathematical Functions, 26.7.5.
    """
    if freedom < 1:
        raise ValueError(f"{freedom} degrees of freedom leave no spread to judge by.")
    if freedom == 1:
        return math.tan(0.475 * math.pi)
    if freedom == 2:
        return 0.95 * math.sqrt(2 / (1 - 0.95**2))
    z = Z95
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return sum(term / float(freedom) ** power for power, term in enumerate(terms))
