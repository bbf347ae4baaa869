"""The sequential test: its likelihood ratio against a maximised one, and its error rates."""

import math

import numpy as np
import pytest
import scipy
from hypothesis import example, given
from hypothesis import strategies as st

import simulations
from judge.stats.intervals import expected_score
from judge.stats.sprt import Sprt, Verdict, _log_likelihood

counts = st.integers(0, 300) | st.integers(0, 2)
tests = st.tuples(st.floats(-200, 200), st.floats(1, 200)).map(lambda t: Sprt(t[0], t[0] + t[1]))


def best_of_three(lost, split, won, mean):
    """The largest log-likelihood of pairs with this mean score, by a search over the splits."""

    def loss(p_split):
        chances = 1 - mean - p_split / 2, p_split, mean - p_split / 2
        return -sum(
            n * math.log(max(p, 1e-300))
            for n, p in zip((lost, split, won), chances, strict=True)
            if n
        )

    # Where the best is no splits, or nothing but splits and one side, it lies at an end.
    end = 2 * min(mean, 1 - mean)
    inside = scipy.optimize.minimize_scalar(
        loss, bounds=(0, end), method="bounded", options={"xatol": 1e-12}
    )
    return -min(inside.fun, loss(0.0), loss(end))


# Single games


@given(tests, counts, counts)
def test_single_games_are_bernoulli(test, wins, losses):
    """Single games have the ratio W ln(p1/p0) + L ln((1-p1)/(1-p0))."""
    p0, p1 = expected_score(test.elo0), expected_score(test.elo1)
    ratio = wins * math.log(p1 / p0) + losses * math.log((1 - p1) / (1 - p0))
    assert test.llr((losses, wins)) == pytest.approx(ratio, abs=1e-9)


def test_bounds_are_walds():
    """The limits are ln(beta / (1 - alpha)) and ln((1 - beta) / alpha)."""
    assert Sprt(0, 30).bounds == pytest.approx((-math.log(19), math.log(19)))
    assert Sprt(0, 30, 0.01, 0.1).bounds == pytest.approx((math.log(0.1 / 0.99), math.log(90)))


# Pairs


@given(tests, counts, counts, counts)
def test_pairs_have_the_exact_ratio(test, lost, split, won):
    """The ratio of pairs is that of the two likelihoods, each found by a search."""
    pairs = lost, split, won
    exact = best_of_three(*pairs, expected_score(test.elo1)) - best_of_three(
        *pairs, expected_score(test.elo0)
    )
    assert test.llr(pairs) == pytest.approx(exact, abs=1e-5 * (1 + sum(pairs)))


@given(tests, counts, counts, counts)
def test_five_scores_without_ties(test, lost, split, won):
    """Pairs without ties have one ratio, counted by three scores or by five."""
    assert test.llr((lost, 0, split, 0, won)) == pytest.approx(
        test.llr((lost, split, won)), abs=1e-7
    )


@given(st.lists(st.integers(0, 50), min_size=5, max_size=5), st.integers(0, 10**6))
def test_no_distribution_does_better(seen, seed):
    """No distribution over five scores with a given mean is more likely than ours."""
    scores, rng = np.arange(5) / 4, np.random.default_rng(seed)
    for mean in (0.3, 0.5, 0.62):
        chances = rng.dirichlet(np.array(seen) + 0.3, size=50)
        # Mixed with a sure 0 or 1 until the mean is right.
        ours = chances @ scores
        end = (ours < mean).astype(float)
        share = (mean - ours) / (end - ours)
        chances = (1 - share)[:, None] * chances
        chances[:, 0] += share * (1 - end)
        chances[:, 4] += share * end
        drawn = (np.log(np.maximum(chances, 1e-300)) @ seen).max()
        # Ours leaves out the term that does not depend on the mean.
        left_out = sum(n * math.log(n / sum(seen)) for n in seen if n)
        assert drawn <= _log_likelihood(seen, mean) + left_out + 1e-9


@given(tests, st.lists(counts, min_size=2, max_size=5))
@example(Sprt(0, 1), [0, 22, 2, 2])  # one step ends beside a limit
def test_ratio_from_the_other_side(test, seen):
    """With sides and hypotheses exchanged, the ratio has the other sign."""
    mirror = Sprt(-test.elo1, -test.elo0)
    assert mirror.llr(seen[::-1]) == pytest.approx(-test.llr(seen), abs=1e-6 * (1 + sum(seen)))


@given(tests, st.lists(counts, min_size=2, max_size=5))
def test_ratio_is_finite(test, seen):
    """All counts have a finite ratio, and no games have none."""
    assert math.isfinite(test.llr(seen))
    assert test.llr([0] * len(seen)) == 0


# Perfect scores


@pytest.mark.parametrize("scores", [2, 3, 5])
def test_perfect_scores_end(scores):
    """A perfect score is decided after 36 games or pairs of SPRT[0, 30], and not after one."""
    test = Sprt(0, 30)
    won, lost = ([0] * (scores - 1) + [1], [1] + [0] * (scores - 1))
    for k in range(1, 36):
        assert test.verdict([k * n for n in won]) is Verdict.CONTINUE
        assert test.llr([k * n for n in won]) == pytest.approx(
            k * math.log(expected_score(30) / 0.5)
        )
    assert test.verdict([36 * n for n in won]) is Verdict.H1
    assert test.verdict(lost) is Verdict.CONTINUE
    assert test.verdict([36 * n for n in lost]) is Verdict.H0


def test_pairs_that_all_split_end():
    """Pairs that all split are an even match: decided for H0, and not by the first of them."""
    test = Sprt(0, 30)
    said = [test.verdict((0, n, 0)) for n in range(1, 60)]
    assert said[0] is Verdict.CONTINUE
    assert said[-1] is Verdict.H0


# Error rates


@pytest.mark.whole
@pytest.mark.parametrize("pairs", [False, True], ids=["games", "pairs"])
@pytest.mark.parametrize("elo", [0, 30])
def test_error_rates(elo, pairs):
    """SPRT[0, 30] with chances of 5% errs in about 5% of the tests, and takes some 700 games."""
    ended = simulations.sprt_runs(Sprt(0, 30), elo, pairs=pairs, trials=250, seed=5)
    assert 0.01 <= (ended.h1 if elo == 0 else ended.h0) <= 0.08
    assert ended.games == pytest.approx(700, rel=0.15)


@pytest.mark.whole
@pytest.mark.parametrize("correlation", [-0.4, 0.4])
@pytest.mark.parametrize("elo", [0, 70])
def test_error_rates_of_correlated_pairs(elo, correlation):
    """Counted by pairs, the chances hold however the two games of a pair are correlated."""
    ended = simulations.sprt_runs(
        Sprt(0, 70), elo, pairs=True, correlation=correlation, trials=500, seed=5
    )
    assert 0.01 <= (ended.h1 if elo == 0 else ended.h0) <= 0.08


@pytest.mark.whole
@pytest.mark.parametrize(("elo", "games"), [(60, 265), (100, 144)])
def test_clear_cases_are_short(elo, games):
    """A much stronger bot is known sooner: 265 games at 60 Elo, 144 at 100, and pairs hardly
    more."""
    for pairs in (False, True):
        ended = simulations.sprt_runs(Sprt(0, 30), elo, pairs=pairs, trials=200, seed=6)
        assert ended.h1 >= 0.99
        assert ended.games == pytest.approx(games, rel=0.12)


# Typed bounds


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((30, 0), "ELO0 must be less than ELO1, and 30 is not less than 0"),
        ((5, 5), "ELO0 must be less than ELO1"),
        ((math.nan, 5), "ELO0 must be a number from -4000 to 4000, not nan"),
        ((0, math.inf), "ELO1 must be a number from -4000 to 4000, not inf"),
        ((0, 4001), "ELO1 must be a number"),
        ((0, 5, 0), "ALPHA is the chance of an error and must lie between 0 and 0.5, not 0"),
        ((0, 5, 0.05, 0.5), "BETA is the chance of an error"),
        ((0, 5, math.nan), "ALPHA"),
    ],
)
def test_bad_tests_are_refused(arguments, sentence):
    """Hypotheses and chances that make no test are refused with a sentence."""
    with pytest.raises(ValueError, match=sentence):
        Sprt(*arguments)


@pytest.mark.parametrize("seen", [(), (3,), (1, -1)])
def test_bad_counts_are_refused(seen):
    """Fewer than two scores, or counts under 0, are refused."""
    with pytest.raises(ValueError, match="two or more counts"):
        Sprt(0, 5).llr(seen)
