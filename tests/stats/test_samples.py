"""Means, their errors, and differences on the same things: judge/stats/samples.py."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from judge.stats.samples import paired_difference, spread, student_95
from strategies import examples

SHOTS = st.dictionaries(st.integers(1, 40), st.integers(14, 64).map(float), max_size=30)


@pytest.mark.parametrize("freedom", [*range(1, 40), 60, 99, 1000, 10**6])
def test_students_95_point_is_everyone_elses(freedom: int) -> None:
    """It is scipy's quantile to 0.15%, exactly so for one and two degrees of freedom."""
    wanted = scipy.stats.t.ppf(0.975, freedom)
    assert student_95(freedom) == pytest.approx(wanted, rel=1e-9 if freedom < 3 else 1.5e-3)


@pytest.mark.parametrize("freedom", [0, -1])
def test_nothing_can_be_judged_by_no_spread(freedom: int) -> None:
    """Without a degree of freedom there is no such point."""
    with pytest.raises(ValueError, match=f"{freedom} degrees of freedom"):
        student_95(freedom)


@given(st.lists(st.integers(14, 64), min_size=2, max_size=50))
@examples(50)
def test_a_spread_is_that_of_the_statistics_module(values: list[int]) -> None:
    """Mean, median and standard deviation are the textbook's; the error shrinks with √n."""
    found = spread(values)
    assert found is not None
    assert found.mean == pytest.approx(statistics.mean(values))
    assert found.sd == pytest.approx(statistics.stdev(values))
    assert found.se == pytest.approx(statistics.stdev(values) / math.sqrt(len(values)))
    assert (found.min, found.max) == (min(values), max(values))
    assert found.median == statistics.median(values)


def test_of_one_number_no_error_is_known() -> None:
    """One number has a mean and no error, none at all has nothing."""
    assert spread([]) is None
    found = spread([31])
    assert found is not None
    assert (found.mean, found.sd, found.se) == (31, None, None)


@given(SHOTS, SHOTS)
@examples(80)
def test_a_difference_is_that_of_the_boards_both_have(
    some: dict[int, float], others: dict[int, float]
) -> None:
    """It is scipy's paired t interval over the common boards, and turns its sign with its sides."""
    found, turned = paired_difference(some, others), paired_difference(others, some)
    common = sorted(some.keys() & others.keys())
    if not common:
        assert found is turned is None
        return
    assert found is not None
    assert turned is not None
    by_board = np.array([some[board] - others[board] for board in common])
    assert (found.count, found.mean) == (len(common), pytest.approx(by_board.mean()))
    assert turned.mean == pytest.approx(-found.mean)
    assert turned.sign == -found.sign
    if len(set(by_board)) == 1:
        assert found.interval_95 is None
        assert found.sign == 0
        return
    wanted = scipy.stats.t.interval(
        0.95, len(common) - 1, by_board.mean(), scipy.stats.sem(by_board)
    )
    # Where the mean is near zero an end may be, too: the error is that of the width.
    error = 2e-3 * (wanted[1] - wanted[0])
    assert found.interval_95 == pytest.approx(wanted, rel=2e-3, abs=max(error, 1e-9))
    low, high = found.interval_95
    assert found.sign == (1 if low > 0 else -1 if high < 0 else 0)


def test_a_difference_of_three_boards() -> None:
    """By hand: the differences 1, 2 and 3 have a standard error of 1/√3, and t is 4.303."""
    found = paired_difference({1: 5, 2: 7, 3: 9, 4: 0}, {1: 4, 2: 5, 3: 6})
    assert found is not None
    assert (found.count, found.mean) == (3, 2)
    assert found.interval_95 == pytest.approx((2 - 4.303 / 3**0.5, 2 + 4.303 / 3**0.5), abs=1e-3)


@pytest.mark.parametrize(("last", "sign"), [(10.0, 0), (11.0, 1), (-11.0, -1), (60.0, 0)])
def test_only_a_spread_that_leaves_zero_out_calls_a_bot_better(last: float, sign: int) -> None:
    """Boards that all differ alike have no spread, so they decide nothing, however much they
    differ."""
    first = math.copysign(10.0, last)
    found = paired_difference({1: first, 2: first, 3: last}, {1: 0.0, 2: 0.0, 3: 0.0})
    assert found is not None
    assert found.sign == sign
    assert (found.interval_95 is None) == (first == last)
