"""What rounds taken in pairs say about two trees: the ratio of their figures, its interval, and
whether more rounds are needed. Pure.

The interval is Student's t on the logarithms of the pairs' ratios. Rounds are looked at twice at
most, after ``repeat`` of them and, only where the first look decides nothing, after ``MORE`` times
as many. Whoever stops at the first interval that pleases him is wrong more often than the interval
says; so each of the two looks has half of the 5% (Bonferroni), and the interval of the look that
was the last holds the true ratio in at least 95% of all comparisons.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

LIMIT = 1.03  # worse is what lies above it with the whole interval
MORE = 4  # rounds at the second look, for each of the first
LOOKS = 2
ERROR = 0.05  # of all looks together


class Verdict(StrEnum):
    """What a row's comparison came to."""

    NO_WORSE = "no worse"
    WORSE = "WORSE"
    UNDECIDED = "undecided"
    NO_RATIO = "no ratio"  # a figure of 0 or less, or a single pair
    ONLY_THIS = "only this tree"
    ONLY_OTHER = "only the other"
    INTERRUPTED = "interrupted"
    NOT_MEASURED = "NOT MEASURED"


class Ratio(NamedTuple):
    """This tree's figure to the other's: the geometric mean over the pairs, and its interval."""

    mean: float
    low: float
    high: float

    @property
    def verdict(self) -> Verdict:
        if self.low > LIMIT:
            return Verdict.WORSE
        if self.high < LIMIT:
            return Verdict.NO_WORSE
        return Verdict.UNDECIDED


def ratio(pairs: Sequence[tuple[float, float]]) -> Ratio | None:
    """The ratio of the first of each pair to the second; None where there are fewer than two
    pairs, or a figure without a logarithm."""
    if len(pairs) < 2 or any(figure <= 0 for pair in pairs for figure in pair):
        return None
    from scipy.special import stdtrit  # type: ignore[import-untyped] # scipy has no stubs

    logs = [math.log(this / other) for this, other in pairs]
    mean = statistics.fmean(logs)
    point = float(stdtrit(len(logs) - 1, 1 - ERROR / LOOKS / 2))
    reach = point * statistics.stdev(logs) / math.sqrt(len(logs))
    return Ratio(*map(math.exp, (mean, mean - reach, mean + reach)))


def looks(repeat: int) -> tuple[int, int]:
    """After how many rounds the pairs are looked at."""
    return repeat, MORE * repeat


def this_first(number: int) -> bool:
    """Whether this tree goes first in a pair, counted from 0: A B, B A, A B … A drift of the
    machine, or what the first leaves for the second, then falls on both alike."""
    return number % 2 == 0
