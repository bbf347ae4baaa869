"""The mean of a sample with its error, and the mean difference of two measures of the same things.

No result is nan or infinite: a value that the sample cannot give is None.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judge.stats.intervals import Z95, Interval


@dataclass(frozen=True, slots=True)
class Spread:
    """A summary of some numbers. ``sd`` is the sample standard deviation, and ``se`` the standard
    error of ``mean``. ``sd`` and ``se`` are None for a single number."""

    count: int
    mean: float
    sd: float | None
    se: float | None
    min: float
    max: float
    median: float


@dataclass(frozen=True, slots=True)
class Difference:
    """The ``mean`` difference of ``count`` pairs, and its 95% interval. ``interval_95`` is None for
    a single pair, and if all pairs differ by the same number."""

    count: int
    mean: float
    interval_95: Interval | None

    @property
    def sign(self) -> int:
        """1 if the whole interval lies above 0, -1 if it lies below 0, and 0 otherwise."""
        if self.interval_95 is None:
            return 0
        return (self.interval_95.low > 0) - (self.interval_95.high < 0)


def spread(values: Sequence[float]) -> Spread | None:
    """A summary of these numbers, or None without numbers."""
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
    """Return the mean of ``some[key] - others[key]`` over the keys of both, or None if they have no
    key in common.

    A key is one thing that was measured twice. How hard the thing is cancels out in the difference,
    so the interval is much shorter than for two means over different things. The interval is
    Student's (Biometrika 6, 1908).
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
    """Return the two-sided 95% point of Student's t with ``freedom`` degrees of freedom. Raises
    ValueError for fewer than one.

    The value is exact for one and two degrees, and within 0.15% for more (by an expansion:
    Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5).
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
