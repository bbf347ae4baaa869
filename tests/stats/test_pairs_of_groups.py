"""The worth of the pairs of a game of more than two players, and the intervals that follow."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

import simulations
from judge.stats.strength import worth_of_pairs


@pytest.mark.parametrize("seats", range(2, 8))
@pytest.mark.parametrize("ranked", [True, False])
def test_the_weight_makes_the_variance_right_between_equals(seats: int, *, ranked: bool) -> None:
    """Over all orders of the seats, which are as likely as each other, the covariance of how much
    each seat has won is that of independent pairs, divided by the weight."""
    surplus, information = [], np.zeros((seats, seats))
    orders = [*permutations(range(seats))]
    for order in orders:
        won = np.zeros(seats)
        for one, other in combinations(range(seats), 2):
            if ranked or 0 in (order[one], order[other]):  # place 0 is the winner's
                ahead = order[one] < order[other]
                won[one] += ahead - 0.5
                won[other] += 0.5 - ahead
                step = np.zeros(seats)
                step[one], step[other] = 1, -1
                information += np.outer(step, step) / 4 / len(orders)
        surplus.append(won)
    covariance = np.cov(np.array(surplus).T, bias=True)
    assert covariance * worth_of_pairs(seats, ranked=ranked) == pytest.approx(information)


@pytest.mark.parametrize(
    "arena",
    [simulations.Arena(8, 4, 200, 4, scores) for scores in (simulations.ranked, simulations.hits)],
    ids=["ranked", "hits"],
)
def test_intervals_of_groups_hold_the_truth(arena: simulations.Arena) -> None:
    """Simulated with the judge's own groups and count: the Elo interval holds the true strength
    about as often as it says, and that of pairs taken as independent games does not."""
    kept = simulations.groups_coverage(arena, trials=60, seed=3)
    assert 0.93 <= kept.elo <= 0.99
    assert kept.independent < kept.elo - 0.03
    assert kept.rank >= 0.95
