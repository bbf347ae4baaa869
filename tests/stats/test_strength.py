"""Bradley–Terry strengths and their intervals, against choix and simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulations
from judge.stats.intervals import elo_difference
from judge.stats.strength import GHOST_WINS, bradley_terry

ELO_PER_NAT = 400 / math.log(10)


@st.composite
def tables(draw, largest=40):
    """Tables of wins of one to six bots, many with couples or bots that never played."""
    bots = draw(st.integers(1, 6))
    wins = st.integers(0, largest) | st.just(0)
    return [[0 if i == j else draw(wins) for j in range(bots)] for i in range(bots)]


def simulated(elo, games, seed):
    """The table of wins of a contest in which each couple plays ``games`` games."""
    chance = simulations.expected_score_table(np.array(elo, dtype=float))
    won = np.triu(np.random.default_rng(seed).binomial(games, chance), 1)
    return won + np.tril(games - won.T, -1)


def with_ghost(wins):
    """The table with the ghost as its last player."""
    table = np.full((len(wins) + 1,) * 2, GHOST_WINS)
    table[:-1, :-1] = wins
    np.fill_diagonal(table, 0)
    return table


def centred(log_strength):
    return ELO_PER_NAT * (log_strength - log_strength.mean())


# The fit, against choix


@pytest.mark.parametrize("games", [1, 4, 50])
@pytest.mark.parametrize("apart", [0, 40, 200])
def test_fit_is_choix(games, apart):
    """With the ghost among its players, choix finds the same strengths, to 0.1 Elo."""
    wins = simulated([apart * k for k in range(8)], games, seed=apart + games)
    import choix

    theirs = choix.ilsr_pairwise_dense(with_ghost(wins), max_iter=10_000, tol=1e-10)
    assert bradley_terry(wins).elo == pytest.approx(centred(theirs[:-1]), abs=0.1)


@given(tables())
def test_intervals_are_observed_information(wins):
    """The half-widths come from the information matrix, inverted with the ghost held still."""
    table = with_ghost(wins)
    fit = bradley_terry(wins)
    elo = np.array(fit.elo)
    met = np.array(wins) + np.array(wins).T > 0
    played = met.any(axis=1) if met.any() else np.ones(len(wins), dtype=bool)
    # The ghost's own strength, from its own games: as many won as expected.
    low, high = elo.min() - 1e4, elo.max() + 1e4
    for _ in range(100):
        ghost = (low + high) / 2
        expected = (2 * GHOST_WINS / (1 + 10 ** ((elo - ghost) / 400))).sum()
        low, high = (ghost, high) if expected < GHOST_WINS * len(elo) else (low, ghost)
    everyone = np.append(elo, ghost)
    chance = 1 / (1 + 10 ** ((everyone[None, :] - everyone[:, None]) / 400))
    weight = (table + table.T) * chance * (1 - chance)
    information = (np.diag(weight.sum(axis=1)) - weight)[:-1, :-1]
    # A bot that is alone is measured against the ghost.
    mean = played / played.sum() if len(wins) > 1 else 0
    contrast = np.eye(len(wins)) - mean
    variance = np.diag(contrast @ np.linalg.inv(information) @ contrast.T)
    half = [(interval.high - interval.low) / 2 for interval in fit.elo_95]
    assert half == pytest.approx(1.959964 * ELO_PER_NAT * np.sqrt(variance), rel=1e-3)


# Any table at all


@given(tables(largest=10**6))
def test_finite_and_honest(wins):
    """Any table gives finite strengths about 0, strictly inside intervals, with ranks to match."""
    fit = bradley_terry(wins)
    bots = len(wins)
    for elo, (low, high), (best, worst) in zip(fit.elo, fit.elo_95, fit.rank_95, strict=True):
        assert all(map(math.isfinite, (low, elo, high)))
        assert low < elo < high
        assert 1 <= best <= 1 + sum(other > elo + 1e-5 for other in fit.elo)
        assert bots - sum(other < elo - 1e-5 for other in fit.elo) <= worst <= bots
        assert math.copysign(1, elo) == 1 or elo < 0, "-0"
    played = (np.array(wins) + np.array(wins).T).any(axis=1)
    field = np.array(fit.elo)[played if played.any() else slice(None)]
    assert field.sum() == pytest.approx(0, abs=1e-4)


@given(tables(), st.randoms(use_true_random=False))
def test_names_do_not_matter(wins, rng):
    """Bots in another order have the same strengths, intervals and ranks in that order."""
    order = list(range(len(wins)))
    rng.shuffle(order)
    fit = bradley_terry(wins)
    other = bradley_terry([[wins[i][j] for j in order] for i in order])
    assert other.elo == pytest.approx([fit.elo[i] for i in order], abs=1e-4)
    for k, i in enumerate(order):
        assert other.elo_95[k] == pytest.approx(fit.elo_95[i], abs=1e-3)


@given(tables())
def test_losing_is_winning_backwards(wins):
    """With all results turned round, every strength has the other sign."""
    back = [list(column) for column in zip(*wins, strict=True)]
    assert bradley_terry(back).elo == pytest.approx(
        [-elo for elo in bradley_terry(wins).elo], abs=1e-4
    )


def test_perfect_score():
    """The one that won all ten games of two bots is first, at a finite distance."""
    fit = bradley_terry([[0, 10], [0, 0]])
    assert fit.rank_95 == ((1, 1), (2, 2))
    assert fit.order_supported(0, 1)
    assert not fit.order_supported(1, 0)
    assert 300 < fit.elo[0] - fit.elo[1] < 1000


def test_one_game():
    """One game puts its winner first, and supports no order."""
    fit = bradley_terry([[0, 1], [0, 0]])
    assert fit.elo[0] > 0 > fit.elo[1]
    assert fit.rank_95 == ((1, 2), (1, 2))
    assert not fit.order_supported(0, 1)
    assert 0.5 < fit.likelihood_of_superiority(0, 1) < 0.95


def test_two_bots_are_a_match():
    """The difference of two bots and its superiority are those of their match."""
    fit, match = bradley_terry([[0, 600], [400, 0]]), elo_difference(600, 400)
    assert fit.elo[0] - fit.elo[1] == pytest.approx(match.difference, abs=0.2)
    assert fit.likelihood_of_superiority(0, 1) == pytest.approx(match.los, abs=1e-4)
    width = match.interval_95.high - match.interval_95.low
    assert 2 * (fit.elo_95[0].high - fit.elo_95[0].low) == pytest.approx(width, rel=0.01)


def test_bot_without_games():
    """A bot without games may be anywhere, and changes nothing for the others."""
    alone = bradley_terry([[0, 30], [5, 0]])
    fit = bradley_terry([[0, 30, 0], [5, 0, 0], [0, 0, 0]])
    assert fit.elo[:2] == pytest.approx(alone.elo)
    assert fit.elo_95[0] == pytest.approx(alone.elo_95[0])
    assert fit.rank_95[2] == (1, 3)
    assert fit.elo_95[2].high - fit.elo_95[2].low > 1000
    assert fit.likelihood_of_superiority(0, 2) == 0.5


def test_groups_that_never_met():
    """Nothing is said of the order of two bots that no chain of games joins, however they did."""
    wins = np.zeros((4, 4))
    wins[0, 1], wins[2, 3], wins[3, 2] = 100, 60, 40
    fit = bradley_terry(wins)
    for i in (0, 1):
        for j in (2, 3):
            assert fit.likelihood_of_superiority(i, j) == 0.5
            assert not fit.order_supported(i, j)
    assert fit.order_supported(0, 1)
    assert fit.rank_95 == ((1, 3), (2, 4), (1, 3), (2, 4))
    wins[1, 2] = 1
    assert bradley_terry(wins).likelihood_of_superiority(0, 2) != 0.5


def test_small_fields():
    """No bots have no strengths; a single bot has 0, and no certainty about it."""
    assert bradley_terry([]).elo == ()
    one = bradley_terry([[0]])
    assert one.elo == (0.0,)
    assert one.rank_95 == ((1, 1),)
    assert one.elo_95[0].low < -100


def test_ties_are_half_wins():
    """A tie entered as half a win for each draws two bots together."""
    fit, tied = bradley_terry([[0, 10], [2, 0]]), bradley_terry([[0, 15.5], [7.5, 0]])
    assert 0 < tied.elo[0] < fit.elo[0]


@pytest.mark.parametrize(
    ("wins", "sentence"),
    [
        ([[0, 1]], "must be square"),
        ([0.0, 1.0], "must be square"),
        ([[0, math.nan], [0, 0]], "finite"),
        ([[0, math.inf], [0, 0]], "finite"),
        ([[0, -1], [0, 0]], "not negative"),
        ([[1, 1], [0, 0]], "against itself"),
    ],
)
def test_bad_table_of_strengths(wins, sentence):
    """A table that cannot be one of wins is refused with a sentence."""
    with pytest.raises(ValueError, match=sentence):
        bradley_terry(wins)


# Simulated contests


@pytest.mark.whole
@pytest.mark.parametrize("arena", simulations.FIELDS, ids=lambda arena: arena.name)
def test_contest_coverage(arena):
    """On simulated contests the Elo intervals hold the truth 93% to 97% of the time and the rank
    intervals at least 94%; and seldom is the order of neighbours called supported and wrong.
    """
    kept = simulations.contest_coverage(arena, trials=600, seed=8)
    assert 0.93 <= kept.elo <= 0.97
    assert kept.rank >= 0.94
    assert kept.wrongly_supported <= 0.03


def test_ranks_become_narrow():
    """With many games the rank intervals of bots 40 Elo apart shrink to about one rank and a
    half."""
    few, many = (
        simulations.contest_coverage(arena, trials=50, seed=8).rank_width
        for arena in simulations.FIELDS
        if arena.name in {"10 bots 40 Elo apart, 2 games", "10 bots 40 Elo apart, 100 games"}
    )
    assert many < 2
    assert few > 8
