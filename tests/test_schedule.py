"""What is to be played: seeds, first movers, and the order of games."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.contest.schedule import SEED_LIMIT, Fight, First, Pairing, derive
from strategies import examples

SEEDS = st.integers(0, 2**40)
FIRSTS = st.sampled_from(First)
LENGTHS = st.integers(0, 40)


def fights() -> st.SearchStrategy[Fight]:
    return st.builds(Fight, games=LENGTHS, seed=SEEDS, first=FIRSTS)


@given(fights())
@examples(100)
def test_a_fight_is_as_long_as_asked(fight: Fight) -> None:
    """A fight has as many games as were asked for, says so, and can be gone through again."""
    games = list(fight)
    assert len(games) == len(fight) == fight.games
    assert list(fight) == games


@given(fights())
@examples(100)
def test_ids_tell_games_apart(fight: Fight) -> None:
    """Every game has an id of its own, counted from 1; bot 0 sits in seat 0."""
    games = list(fight)
    assert [game.id for game in games] == [f"{fight.seed}-{n + 1}" for n in range(fight.games)]
    assert all(game.seats == (0, 1) for game in games)
    assert all(game.first in game.seats for game in games)


@given(fights())
@examples(100)
def test_seeds_fit_any_language(fight: Fight) -> None:
    """Whatever the fight's seed, the seeds of its games and bots are from 0 to below 2³¹."""
    for game in fight:
        for seed in (game.seed, *game.bot_seeds):
            assert 0 <= seed < SEED_LIMIT == 2**31


@given(LENGTHS, SEEDS)
@examples(100)
def test_pairs(games: int, seed: int) -> None:
    """Alternating, the two games of a pair share round, seed and bot seeds, and A moves first in
    the first of them, B in the second; the next pair has other seeds."""
    fight = list(Fight(games, seed, First.ALTERNATE))
    for number, game in enumerate(fight):
        assert game.first == number % 2
        assert game.round == number // 2 + 1
    for one, other in zip(fight[::2], fight[1::2], strict=False):
        assert (one.round, one.seed, one.bot_seeds) == (other.round, other.seed, other.bot_seeds)
        assert (one.first, other.first) == (0, 1)
    seeds = [game.seed for game in fight[::2]]
    assert len(set(seeds)) == len(seeds)


@given(LENGTHS, SEEDS, st.sampled_from([First.A, First.B, First.RANDOM]))
@examples(100)
def test_without_pairs_every_game_is_another(games: int, seed: int, first: First) -> None:
    """With a first mover who is the same, or drawn, each game is a round with its own seed."""
    fight = list(Fight(games, seed, first))
    assert [game.round for game in fight] == list(range(1, games + 1))
    assert len({game.seed for game in fight}) == games
    assert len({game.bot_seeds for game in fight}) == games


@pytest.mark.parametrize(("first", "expected"), [(First.A, {0}), (First.B, {1})])
def test_always_the_same_first(first: First, expected: set[int]) -> None:
    """With --first a or b, that bot is first in every game."""
    assert {game.first for game in Fight(50, 7, first)} == expected


def test_random_first_movers() -> None:
    """Drawn first movers are either, by each game's seed alone, and about as often."""
    games = [game for seed in range(10) for game in Fight(100, seed, First.RANDOM)]
    by_seed: dict[int, int] = {}
    for game in games:
        assert by_seed.setdefault(game.seed, game.first) == game.first
    assert 400 < sum(game.first for game in games) < 600


@given(fights(), LENGTHS)
@examples(100)
def test_a_shorter_fight_is_the_beginning_of_a_longer(fight: Fight, games: int) -> None:
    """The first games of a fight are the same however many follow: --games can be raised."""
    shorter, longer = sorted([games, fight.games])
    whole = list(Fight(longer, fight.seed, fight.first))
    assert list(Fight(shorter, fight.seed, fight.first)) == whole[:shorter]


@given(SEEDS, SEEDS.filter(bool), FIRSTS)
@examples(50)
def test_other_seeds_are_other_fights(seed: int, more: int, first: First) -> None:
    """Fights of different seeds have different games."""
    one, other = (list(Fight(6, s, first)) for s in (seed, seed + more))
    assert not {game.seed for game in one} & {game.seed for game in other}


def test_bots_have_seeds_of_their_own() -> None:
    """No two of all the seeds of a long fight are the same: games', and bots'."""
    pairs = list(Fight(2000, 7, First.ALTERNATE))[::2]
    seeds = [seed for game in pairs for seed in (game.seed, *game.bot_seeds)]
    assert len(set(seeds)) == len(seeds) == 3000


def test_a_bot_keeps_its_seed_on_another_chair() -> None:
    """A bot's seed goes by the bot, not by the seat that it has in the game."""
    one = Pairing("1", 1, (4, 9), 0, 77)
    other = Pairing("2", 1, (9, 4), 1, 77)
    assert one.bot_seeds == other.bot_seeds[::-1]
    assert one.bot_seeds[0] != one.bot_seeds[1]


def test_a_named_bot_keeps_its_seed_under_another_number() -> None:
    """Where a pairing names its bots, seeds go by the names: numbers may change from run to run."""
    one = Pairing("1", 1, (4, 9), 0, 77, ("hunter", "random"))
    other = Pairing("2", 1, (0, 1), 1, 77, ("random", "hunter"))
    assert one.bot_seeds == other.bot_seeds[::-1]
    assert one.bot_seeds[0] != one.bot_seeds[1]


@given(SEEDS, SEEDS)
@examples(100)
def test_derived_seeds_are_independent(one: int, other: int) -> None:
    """A seed for one purpose tells nothing of that for another, nor of the seed it comes from."""
    purposes: list[tuple[str | int, ...]] = [
        *((), ("game",), ("bot",), ("first",), ("game", 0), ("game", 1), ("game", 10)),
        *(("game", 1, 0), ("bot", 0), ("bot", 1), ("bot", 11)),
    ]
    derived = [derive(seed, *purpose) for seed in {one, other} for purpose in purposes]
    assert len(set(derived)) == len(derived)
    assert derived == [derive(seed, *purpose) for seed in {one, other} for purpose in purposes]


def test_derived_seeds_fill_their_range() -> None:
    """Neighbouring seeds give bits that are all as often 0 as 1."""
    derived = [derive(seed, "game", 0) for seed in range(2000)]
    for bit in range(31):
        assert 850 < sum(seed >> bit & 1 for seed in derived) < 1150


def test_seeds_stay_what_they_are() -> None:
    """Records name seeds, so a seed may never come to mean something else."""
    # as sha256sum has it: the first 8 bytes, big-endian, modulo 2³¹
    assert derive(7, "game", 0) == 1649194553
    assert derive(7, "bot", 1) == 2088967811
