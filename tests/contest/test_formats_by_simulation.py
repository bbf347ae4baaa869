"""The purposes that the guide `formats` gives each format, by small simulations: scripts/formats.py
has the large ones."""

from __future__ import annotations

import statistics
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import formats

BOTS, SD = 20, 200


pytestmark = pytest.mark.whole


def found(called: str, games: int = 380, repeat: int = 60) -> Any:
    return formats.found(formats.FORMATS[called], formats.worlds(BOTS, SD, repeat, seed=1), games)


def test_swiss_beats_random_pairs_of_as_many_games() -> None:
    """It finds the best bot more often, and its ranks agree better with the strengths."""
    swiss, pairs = found("swiss, as usual"), found("random pairs, as many")
    assert swiss.games == pairs.games == 100
    assert swiss.first > pairs.first + 0.05
    assert swiss.agreement > pairs.agreement + 0.03


def test_a_knockout_and_lives_say_less_of_all_ranks_than_a_tournament() -> None:
    """At about as many games."""
    tournament = found("tournament", repeat=30)
    for called in ("knockout", "lives 3"):
        one = found(called, repeat=30)
        assert one.games == pytest.approx(tournament.games, rel=0.3)
        assert one.agreement < tournament.agreement - 0.05


def test_a_time_budget_is_certain_of_the_first_place_with_fewer_games_than_rounds() -> None:
    """In the median of a few contests, with less than half of them."""
    spent = {
        play: statistics.median(
            formats.games_until_certain(play, world, 20_000)[0]
            for world in formats.worlds(BOTS, SD, 9, seed=1)
        )
        for play in (formats.as_with_rounds, formats.as_with_for)
    }
    assert spent[formats.as_with_for] < spent[formats.as_with_rounds] / 2


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12))
def test_those_who_share_places_have_the_mean_of_them(keys: list[int]) -> None:
    """So the ranks of a contest always come to the same sum, and who has more is before."""
    ranks = formats.mean_ranks(keys)
    assert sum(ranks) == len(keys) * (len(keys) + 1) / 2
    for one, other in zip(range(len(keys)), range(1, len(keys)), strict=False):
        assert (keys[one] > keys[other]) == (ranks[one] < ranks[other])
