"""The choice of games that a time budget is spent on."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from judge.contest.formats.least_decided import least_decided
from judge.stats.strength import bradley_terry
from strategies import examples


@dataclass(frozen=True)
class Told:
    """Strengths whose likelihood of each order is given."""

    elo: tuple[float, ...]
    sure: dict[tuple[int, int], float]

    def likelihood_of_superiority(self, first: int, second: int) -> float:
        return self.sure[first, second]


def test_the_first_place_comes_first() -> None:
    """Half of the couples are the leader's, with whom it is least shown to be stronger than; then
    each place has its own; what is decided has none."""
    sure = {(0, 1): 0.6, (0, 2): 0.8, (0, 3): 0.99, (1, 2): 0.99, (1, 3): 0.97, (2, 3): 0.99}
    four = Told((40.0, 30.0, 20.0, 10.0), sure)
    assert least_decided(four, 4) == [(0, 1), (0, 2), (1, 3)]
    assert least_decided(four, 2) == [(0, 1), (1, 3)]
    assert least_decided(four, 1) == [(0, 1)]
    assert least_decided(Told((1.0, 0.0), {(0, 1): 0.98}), 4) == []


@given(st.integers(1, 12), st.integers(1, 20), st.randoms(use_true_random=False))
@examples(100)
def test_no_more_couples_than_are_wanted_and_none_twice(count: int, most: int, luck) -> None:
    """Whatever the games say; and as long as they say little, somebody plays."""
    wins = [
        [luck.randint(0, 2) if one != other else 0 for other in range(count)]
        for one in range(count)
    ]
    couples = least_decided(bradley_terry(wins), most)
    assert len(set(couples)) == len(couples) <= most
    assert all(0 <= one < other < count for one, other in couples)
    assert couples or count == 1
