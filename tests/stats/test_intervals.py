"""Intervals and Elo differences, against numpy and scipy."""

import math

import numpy as np
import pytest
import scipy
from hypothesis import example, given
from hypothesis import strategies as st

import simulations
from judge.stats import intervals
from judge.stats.intervals import (
    design_effect,
    elo_difference,
    elo_of,
    expected_score,
    likelihood_of_superiority,
    pair_effect,
    wilson,
)

counts = st.integers(0, 100_000) | st.integers(0, 5)


# Wilson


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_scipys(result):
    """The interval is the one that scipy calls Wilson's."""
    wins, games = result
    theirs = scipy.stats.binomtest(wins, games).proportion_ci(method="wilson")
    assert wilson(wins, games) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@pytest.mark.whole
def test_wilson_coverage():
    """It covers between 94.5% and 96% on average over p = 0.5 ... 0.95, and nowhere under 89%, for
    each n from 10 to 100, and every ninth to 1,000.
    """
    chances = np.linspace(0.5, 0.95, 91)
    for games in (*range(10, 101), *range(109, 1001, 9)):
        low, high = np.array([wilson(wins, games) for wins in range(games + 1)]).T
        # The wins whose interval holds p are a run of neighbours, since both limits rise.
        first = np.searchsorted(high, chances, side="left")
        last = np.searchsorted(low, chances, side="right") - 1
        covered = scipy.stats.binom.cdf(last, games, chances) - scipy.stats.binom.cdf(
            first - 1, games, chances
        )
        assert 0.945 <= covered.mean() <= 0.96, games
        assert covered.min() >= 0.89, games


def test_wilson_at_the_ends():
    """A perfect score reaches exactly 0 or 1, and no games say nothing."""
    assert wilson(0, 10)[0] == 0.0
    assert wilson(10, 10)[1] == 1.0
    assert 0 < wilson(0, 10)[1] < 0.5 < wilson(10, 10)[0] < 1
    assert wilson(0, 0) == (0.0, 1.0)


def test_wilson_counts_effective_games():
    """A design effect of 2 leaves half of the games; ties count half."""
    assert wilson(60, 100, 2.0) == pytest.approx(wilson(30, 50))
    assert wilson(10.5, 20) == pytest.approx(wilson(21, 40, 2.0))


@pytest.mark.parametrize("result", [(-1, 5), (6, 5), (math.nan, 5), (1, math.inf)])
def test_wilson_refuses(result):
    """Wins that cannot be among the games are refused."""
    with pytest.raises(ValueError, match="between 0 and games"):
        wilson(*result)


@pytest.mark.parametrize("effect", [0.0, -1.0, math.nan, math.inf])
def test_wilson_refuses_effect(effect):
    """A design effect that is not a positive number is refused."""
    with pytest.raises(ValueError, match="design effect"):
        wilson(1, 2, effect)


# Elo


@pytest.mark.parametrize(("score", "elo"), [(0.5, 0), (10 / 11, 400), (1 / 11, -400), (0.75, 191)])
def test_elo_scale(score, elo):
    """400 Elo are odds of ten to one."""
    assert elo_of(score) == pytest.approx(elo, abs=0.2)
    assert expected_score(elo_of(score)) == pytest.approx(score)


@given(counts, counts, counts)
@example(0, 0, 0)
@example(1, 0, 0)
@example(0, 0, 1)
@example(10**9, 0, 0)
def test_elo_is_finite_and_sure_of_nothing(wins, losses, ties):
    """Whatever the score, the difference is finite and strictly inside a finite interval."""
    found = elo_difference(wins, losses, ties)
    low, high = found.interval_95
    assert math.isfinite(low)
    assert math.isfinite(high)
    assert low < found.difference < high
    assert 0 <= found.los <= 1


@given(counts, counts, counts)
def test_elo_is_antisymmetric(wins, losses, ties):
    """Seen from the other side, everything has the other sign."""
    ours, theirs = elo_difference(wins, losses, ties), elo_difference(losses, wins, ties)
    assert ours.difference == pytest.approx(-theirs.difference)
    assert ours.interval_95 == pytest.approx([-x for x in reversed(theirs.interval_95)], abs=1e-6)
    assert ours.los == pytest.approx(1 - theirs.los)


@given(st.integers(1, 400), st.data())
def test_elo_rises_with_each_win(games, data):
    """One game more won instead of lost raises the difference and both of its limits."""
    wins = data.draw(st.integers(0, games - 1))
    less, more = elo_difference(wins, games - wins), elo_difference(wins + 1, games - wins - 1)
    assert less.difference < more.difference
    assert less.interval_95.low < more.interval_95.low
    assert less.interval_95.high < more.interval_95.high


@given(counts, counts, counts)
def test_three_forms_of_one_statement(wins, losses, ties):
    """Wilson leaves out one half, Elo leaves out 0, and superiority is beyond 97.5%, together."""
    effect = design_effect((losses, ties, wins), games_each=1)
    games = wins + losses + ties
    low = wilson(wins + ties / 2, games, effect).low
    found = elo_difference(wins, losses, ties)
    if games and abs(found.los - 0.975) > 1e-9:
        assert (low > 0.5) == (found.interval_95.low > 0) == (found.los > 0.975)


def test_elo_of_an_uneven_score():
    """The difference is 400 log10 (wins / losses) if both have won."""
    assert elo_difference(55, 45).difference == pytest.approx(400 * math.log10(55 / 45))


def test_elo_of_a_perfect_score():
    """10-0 counts as 21 to 1, ends where Jeffreys' interval ends, and 1-0 supports no order."""
    found = elo_difference(10, 0)
    assert found.difference == pytest.approx(400 * math.log10(21))
    assert found.interval_95.high == pytest.approx(
        -elo_of(scipy.stats.beta.ppf(0.025, 0.5, 10.5)), abs=0.5
    )
    assert found.interval_95.low > 0
    one = elo_difference(1, 0)
    assert one.interval_95.low < 0 < one.difference


@pytest.mark.parametrize("games", [0, 0.3, 1, 2, 10, 1000, 1e6])
def test_jeffreys_end(games):
    """The closed form of Jeffreys' end is scipy's quantile, to a thousandth."""
    exact = scipy.stats.beta.ppf(0.025, 0.5, games + 0.5)
    assert intervals._jeffreys_end(games) == pytest.approx(exact, rel=1e-3)


@pytest.mark.parametrize("games", [10, 30, 100, 400])
def test_elo_coverage(games):
    """The Elo interval of a match holds the true difference 93% to 97% of the time."""
    chances = np.linspace(0.5, 0.95, 91)
    covered = simulations.exact_coverage(simulations.elo_interval, games, chances, elo_of)
    assert 0.93 <= covered.mean() <= 0.97


def test_elo_refuses():
    """Counts under 0 are refused."""
    with pytest.raises(ValueError, match="negative"):
        elo_difference(-1, 2)


# Superiority


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_superiority_is_the_usual_formula(wins, losses):
    """Without ties it is the normal integral of (wins - losses) / sqrt(wins + losses)."""
    usual = scipy.stats.norm.cdf((wins - losses) / math.sqrt(max(1, wins + losses)))
    assert likelihood_of_superiority(wins, wins + losses) == pytest.approx(usual)


# Pairs


@given(st.lists(st.integers(0, 200), min_size=2, max_size=2))
def test_single_games_are_independent(results):
    """Single games without ties have a design effect of 1."""
    assert design_effect(results, games_each=1) == pytest.approx(1)


def test_pair_effect_has_a_direction():
    """Pairs that always split tell more than single games, pairs that never do tell less."""
    assert pair_effect((0, 100, 0)) < 0.1
    assert pair_effect((25, 50, 25)) == pytest.approx(1, abs=0.01)
    assert 1.8 < pair_effect((50, 0, 50)) < 2
    assert pair_effect((0, 0, 100)) == pair_effect((0, 0, 0)) == 1


@given(st.tuples(counts, counts, counts))
def test_pentanomial_without_ties(pairs):
    """Pairs without ties have the same effect, counted by three scores or by five."""
    lost, split, won = pairs
    assert pair_effect((lost, 0, split, 0, won)) == pytest.approx(pair_effect(pairs))


def test_one_pair_claims_little():
    """One pair that split leaves most of the range open, as two single games would."""
    low, high = elo_difference(1, 1, effect=pair_effect((0, 1, 0))).interval_95
    assert low < -300
    assert high > 300


@pytest.mark.parametrize("correlation", [-0.3, 0.0, 0.5])
def test_pair_coverage(correlation):
    """With 60 pairs, the interval from pairs is right 93% to 97% of the time, however the two games
    are correlated; that of games taken singly is not.
    """
    paired, single = simulations.pair_coverage(60, 0.6, correlation, trials=3000, seed=11)
    assert 0.93 <= paired <= 0.97
    assert (0.93 <= single <= 0.97) == (correlation == 0)


@pytest.mark.parametrize("pairs", [(1, 2), (1, 2, 3, 4), (1, -1, 0)])
def test_pairs_refused(pairs):
    """Pairs have three or five scores, and no negative counts."""
    with pytest.raises(ValueError, match=r"pairs have three|none of them negative"):
        pair_effect(pairs)
