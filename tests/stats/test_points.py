"""The percentage rule and mean points: laws, and games counted by hand."""

import itertools
import random
import statistics
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from judge.stats.intervals import expected_score
from judge.stats.percentage_rule import FLOOR, START, percentage_rule, shuffled_points, shuffles_for

points = st.floats(min_value=10, max_value=1e9)


def fold(games, bots, start=START):
    """The points of the bots after these games, (winner, loser) each, in this order."""
    held = [start] * bots
    for winner, loser in games:
        held[winner], held[loser] = percentage_rule(held[winner], held[loser])
    return tuple(held)


@pytest.mark.whole
def test_import_is_light():
    """Who only asks for the rule does not pay for numpy."""
    code = (
        "import sys; from judge.stats import intervals, percentage_rule, sprt, strength;"
        "percentage_rule.percentage_rule(10.0, 10.0); intervals.wilson(1, 2);"
        "sprt.Sprt(0, 5).llr((1, 2)); sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


# The percentage rule


@pytest.mark.parametrize(
    ("winner", "loser", "after"),
    [
        (10.0, 10.0, (10.5, 10.0)),
        (10.0, 20.0, (11.0, 19.0)),
        (11.5, 10.0, (12.0, 10.0)),
        (10.0, 11.5, (10.575, 10.925)),
        (10.0, 10.3, (10.515, 10.0)),
        (0.0, 0.1, (0.005000000000000001, 10.0)),
    ],
)
def test_rule_by_hand(winner, loser, after):
    """The winner gains 5% of the loser's points; the loser pays them, down to 10."""
    assert percentage_rule(winner, loser) == after


@given(points)
def test_floor_pays_nothing(winner):
    """A loser at the floor pays nothing, and the winner has half a point more all the same."""
    assert percentage_rule(winner, FLOOR) == (winner + 0.5, FLOOR)


@given(points, points)
def test_rule_is_not_rounded(winner, loser):
    """Each of the rule's operations is the double nearest to the exact result, and no more."""
    gain = float(Fraction(0.05) * Fraction(loser))
    assert percentage_rule(winner, loser) == (
        float(Fraction(winner) + Fraction(gain)),
        max(10.0, float(Fraction(loser) - Fraction(gain))),
    )


@given(st.lists(st.permutations(range(4)), max_size=60))
def test_never_under_ten(orders):
    """Whatever is played, nobody has fewer than 10 points."""
    assert min(fold([order[:2] for order in orders], 4)) >= 10.0


@pytest.mark.parametrize(("games", "held"), [(100, 114), (1000, 147)])
def test_points_minted(games, held):
    """Ten equal bots hold 114 points in all after 100 games, and 147 after 1,000."""
    rng = random.Random(5)
    totals = [sum(fold([rng.sample(range(10), 2) for _ in range(games)], 10)) for _ in range(60)]
    assert statistics.mean(totals) == pytest.approx(held, rel=0.02)


@pytest.mark.whole
def test_points_are_bradley_terry_strengths():
    """Far above the floor, mean points are proportional to the Bradley-Terry strengths."""
    rng = random.Random(20)
    elo = [0.0, 60.0, 120.0, 180.0]
    strength = [10 ** (e / 400) for e in elo]
    held, total, games = [1e6] * 4, [0.0] * 4, 300_000
    for game in range(games + 2000):
        a, b = rng.sample(range(4), 2)
        if rng.random() >= expected_score(elo[a] - elo[b]):
            a, b = b, a
        held[a], held[b] = percentage_rule(held[a], held[b])
        if game >= 2000:
            total = [t + h for t, h in zip(total, held, strict=True)]
    assert sum(held) == pytest.approx(4e6)
    for t, s in zip(total, strength, strict=True):
        assert t / sum(total) == pytest.approx(s / sum(strength), rel=0.02)


# Points over shuffled orders

TABLE = [[0, 2, 1], [1, 0, 0], [0, 1, 0]]


def test_one_shuffle_is_one_order():
    """The points of one shuffle are, to the bit, those of the rule in some order of the games."""
    games = [(0, 1), (0, 1), (0, 2), (1, 0), (2, 1)]
    possible = {fold(order, 3) for order in itertools.permutations(games)}
    seen = {shuffled_points(TABLE, seed=seed, shuffles=1) for seed in range(200)}
    assert seen <= possible
    assert len(seen) > len(possible) / 2


def test_shuffles_average_all_orders():
    """Over many shuffles every order is as likely as any other."""
    games = [(0, 1), (0, 1), (0, 2), (1, 0), (2, 1)]
    folds = [fold(order, 3) for order in itertools.permutations(games)]
    exact = [statistics.mean(column) for column in zip(*folds, strict=True)]
    assert shuffled_points(TABLE, shuffles=20_000) == pytest.approx(exact, abs=0.01)


def test_shuffles_are_repeatable():
    """The same table and seed give the same points for ever; another seed gives others."""
    pinned = (13.955870663903319, 13.671326049372633, 11.119260198573826)
    table = [[0, 30, 12], [21, 0, 25], [13, 11, 0]]
    again = shuffled_points(np.array(table), seed=7, shuffles=3)
    assert again == shuffled_points(table, seed=7, shuffles=3) == pinned
    assert again != shuffled_points(table, seed=8, shuffles=3)


def test_shuffles_take_luck_out():
    """After 450 games of ten bots 40 Elo apart, averaged points are nearer to the true order."""
    rng = random.Random(3)
    plain, averaged = [], []
    for _ in range(30):
        wins = [[0] * 10 for _ in range(10)]
        games = []
        for a, b in itertools.combinations(range(10), 2):
            for _ in range(10):
                pair = (a, b) if rng.random() < expected_score(40 * (a - b)) else (b, a)
                wins[pair[0]][pair[1]] += 1
                games.append(pair)
        rng.shuffle(games)
        plain.append(scipy.stats.kendalltau(range(10), fold(games, 10)).statistic)
        averaged.append(
            scipy.stats.kendalltau(range(10), shuffled_points(wins, shuffles=100)).statistic
        )
    assert statistics.mean(plain) == pytest.approx(0.77, abs=0.05)
    assert statistics.mean(averaged) == pytest.approx(0.86, abs=0.04)


def test_number_of_shuffles():
    """Few games are shuffled 200 times, 100,000 games 20 times, and any number at least 5 times."""
    assert [shuffles_for(games) for games in (0, 450, 100_000, 10**9)] == [200, 200, 20, 5]


def test_no_games_no_change():
    """Bots without a game have what they began with; no bots have nothing."""
    assert shuffled_points([[0, 0], [0, 0]]) == (START, START)
    assert shuffled_points([]) == ()


@pytest.mark.parametrize(
    ("wins", "shuffles", "sentence"),
    [
        ([[0, 1]], None, "must be square"),
        ([0, 1], None, "must be square"),
        ([[0, 1.5], [0, 0]], None, "whole numbers"),
        ([[0, -1], [0, 0]], None, "not negative"),
        ([[0, 1], [0, 2]], None, "against itself"),
        ([[0, 1], [0, 0]], 0, "at least one order"),
    ],
)
def test_bad_table_of_points(wins, shuffles, sentence):
    """A table that cannot be one of wins is refused with a sentence."""
    with pytest.raises(ValueError, match=sentence):
        shuffled_points(wins, shuffles=shuffles)
