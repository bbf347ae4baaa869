"""Balanced groups, and the games of a contest that are made of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.contest.formats import groups
from judge.contest.schedule import Games, contest_key, is_its_own
from judge.documents.ledger import Plan
from judge.game.variants import VARIANTS
from strategies import examples

XBS = VARIANTS["xbs"]
SEEDS = st.integers(0, 2**63 - 1)


@st.composite
def fields(draw) -> tuple[list[str], int]:
    """The names of bots, and how many seats a game has."""
    names = draw(st.lists(st.text("abcdef:#", min_size=1), min_size=3, max_size=16, unique=True))
    return names, draw(st.integers(3, min(9, len(names))))


@examples(100)
@given(fields(), SEEDS, st.integers(1, 8))
def test_groups_are_balanced(field, seed, most):
    """In every round each bot sits once in each seat; and after however many rounds no two bots
    have met more than twice more often than two others."""
    names, seats = field
    met = Counter(dict.fromkeys(combinations(sorted(names), 2), 0))
    for games in islice(groups.rounds(names, seats, seed), most):
        round_ = [*games]
        for seat in zip(*round_, strict=True):
            assert sorted(seat) == sorted(names)
        for game in round_:
            assert len({*game}) == seats
            met.update(combinations(sorted(game), 2))
        assert max(met.values()) - min(met.values()) <= 2


@examples(50)
@given(fields(), SEEDS, st.randoms(use_true_random=False))
def test_groups_are_those_of_the_names_and_the_seed(field, seed, luck):
    """In whatever order the names are given, and however many other contests were drawn before."""
    names, seats = field
    first = [[*games] for games in islice(groups.rounds(names, seats, seed), 3)]
    groups._chosen.cache_clear()
    luck.shuffle(names)
    assert [[*games] for games in islice(groups.rounds(names, seats, seed), 3)] == first


def test_another_seed_gives_other_groups() -> None:
    """Who plays whom cannot be known beforehand."""
    names = [f"b{number}" for number in range(12)]
    drawn = {tuple(map(tuple, next(groups.rounds(names, 4, seed)))) for seed in range(20)}
    assert len(drawn) == 20


def games_of(names: list[str], seats: int, rounds: int, seed: int = 5) -> Games:
    plan = Plan(format="rounds", bots=tuple(sorted(names)), draw="9", units=2 * rounds, seats=seats)
    contest = seed
    return Games(tuple(names), contest_key(XBS, contest), contest, plan, None)


@examples(30)
@given(fields(), st.integers(1, 3))
def test_games_are_known_by_who_sits_where_and_by_the_round(field, rounds):
    """Each has an id of its own, which is held to its bots, its seed and its first mover; more
    rounds bring the same games and more."""
    names, seats = field
    games = [*games_of(names, seats, rounds)]
    assert len(games) == len(games_of(names, seats, rounds)) == rounds * len(names)
    assert len({game.id for game in games}) == len({game.seed for game in games}) == len(games)
    for game in games:
        assert tuple(names[number] for number in game.seats) == game.names
        assert game.first == 0
        assert len({*game.bot_seeds}) == seats
        own = (game.names, game.seed, game.first, 5)
        assert is_its_own(game.id, *own)
        assert not is_its_own(game.id, game.names[::-1], *own[1:])
        assert not is_its_own(game.id, own[0], game.seed + 1, *own[2:])
        assert not is_its_own(game.id, *own[:2], 1, own[3])
    assert [*games_of(names, seats, rounds + 1)][: len(games)] == games


def test_later_versions_have_seeds_of_their_own() -> None:
    """A game of them has the id of the first versions' and other seeds, which are held to the files."""
    names = ["ann", "bob", "cyd"]
    first = next(iter(games_of(names, 3, 1)))
    digests = ("1", "2", "3")
    later = next(iter(replace(games_of(names, 3, 1), salt=lambda _: digests)))
    assert (later.id, later.names) == (first.id, first.names)
    assert {first.seed, *first.bot_seeds}.isdisjoint({later.seed, *later.bot_seeds})
    own = (later.id, later.names, later.seed, 0, 5)
    assert is_its_own(*own, digests=digests)
    assert not is_its_own(*own)
    assert not is_its_own(*own, digests=digests[::-1])


@pytest.mark.parametrize("letter", ["n", "é"])
def test_ids_of_long_names_have_room(letter: str) -> None:
    """However long the names of nine bots are, their game can be recorded, and is known by its
    id."""
    names = [f"{number}{99 * letter}" for number in range(9)]
    game = next(iter(games_of(names, 9, 1)))
    assert len(game.id) <= 1000
    assert is_its_own(game.id, game.names, game.seed, 0, 5)
    assert not is_its_own(game.id, game.names[::-1], game.seed, 0, 5)
