"""The games to be played: seeds, first movers, and the order of games."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.contest.fight import LONGEST_SPRT, fight_of
from judge.contest.formats.units import Meeting
from judge.contest.games import places_of
from judge.contest.schedule import Fight, First, is_of_a_contest
from judge.contest.seeds import SEED_LIMIT, spelled
from judge.documents.ledger import Plan
from judge.game.variants import VARIANTS
from judge.stats.sprt import Sprt
from strategies import examples

SEEDS = st.sampled_from([0, 1, 7, 10**39 - 1])  # few of them: each has a slow step, once
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
    assert [game.id for game in games] == [
        f"{spelled(fight.seed)}-{n + 1}" for n in range(fight.games)
    ]
    assert all(game.seats == (0, 1) for game in games)
    assert all(game.first in game.seats for game in games)


@given(fights())
@examples(100)
def test_seeds_fit_any_language(fight: Fight) -> None:
    """Whatever the fight's seed, the seeds of its games and bots are from 0 to below 2⁵³."""
    for game in fight:
        for seed in (game.seed, *game.bot_seeds):
            assert 0 <= seed < SEED_LIMIT == 2**53


@given(LENGTHS, SEEDS, st.integers(2, 9))
@examples(100)
def test_rounds(games: int, seed: int, seats: int) -> None:
    """Each of any number of seats is first once in a round, from seat 0 on; the games of a round
    share round, seed and bot seeds, and the next round has others."""
    fight = list(Fight(games, seed, First.ALTERNATE, seats))
    assert [game.seats for game in fight] == [tuple(range(seats))] * games
    rounds = [fight[at : at + seats] for at in range(0, games, seats)]
    for number, round_ in enumerate(rounds):
        assert [game.first for game in round_] == list(range(seats))[: len(round_)]
        shared = {(game.round, game.seed, game.bot_seeds) for game in round_}
        assert {one[0] for one in shared} == {number + 1}
        assert len(shared) == 1
    seeds = [seed for game in fight[::seats] for seed in (game.seed, *game.bot_seeds)]
    assert len(set(seeds)) == len(seeds) == (seats + 1) * len(rounds)


@given(LENGTHS, SEEDS, st.sampled_from([First.A, First.B, First.RANDOM]), st.integers(2, 9))
@examples(50)
def test_more_seats_keep_the_seeds(games: int, seed: int, first: First, seats: int) -> None:
    """Game for game the first two of more bots have the seeds that they have without the others,
    and whoever is drawn to move first has a seat."""
    for game, duel in zip(Fight(games, seed, first, seats), Fight(games, seed, first), strict=True):
        assert (game.id, game.round, game.seed) == (duel.id, duel.round, duel.seed)
        assert game.bot_seeds[:2] == duel.bot_seeds
        assert len(game.bot_seeds) == seats
        assert game.first in game.seats
        assert first is First.RANDOM or game.first == duel.first


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
    """Drawn first movers are either, by the seed, and about as often."""
    games = list(Fight(1000, 7, First.RANDOM))
    assert games == list(Fight(1000, 7, First.RANDOM))
    assert 400 < sum(game.first for game in games) < 600


@given(fights(), LENGTHS)
@examples(100)
def test_a_shorter_fight_is_the_beginning_of_a_longer(fight: Fight, games: int) -> None:
    """The first games of a fight are the same however many follow: --games can be raised."""
    shorter, longer = sorted([games, fight.games])
    whole = list(Fight(longer, fight.seed, fight.first))
    assert list(Fight(shorter, fight.seed, fight.first)) == whole[:shorter]


@pytest.mark.parametrize("first", First)
def test_other_seeds_are_other_fights(first: First) -> None:
    """Fights of different seeds have different games."""
    one, other = (list(Fight(6, seed, first)) for seed in (7, 8))
    assert not {game.seed for game in one} & {game.seed for game in other}


@pytest.mark.parametrize("both", [False, True])
@given(number=st.integers(1, 9), games=st.integers(2, 9))
@examples(20)
def test_seats_take_turns_in_a_match(both: bool, number: int, games: int) -> None:
    """The games of a match are numbered on from the last match. Seat 0 begins the first game, and
    the seats take turns, unless both move at once."""
    plan = Plan(format="rounds", units=9, match=games)
    places = [*places_of(Meeting("ann", "bob", number), "ann:bob", "key", plan, both=both)]
    assert [place.round for place in places] == [(number - 1) * games + n + 1 for n in range(games)]
    assert [place.first for place in places] == [0 if both else n % 2 for n in range(games)]


def test_what_a_contest_calls_its_games_is_told_from_other_ids() -> None:
    """Those of fights are numbers."""
    assert is_of_a_contest("ada:bob:brainjar:abcdefghijkl:1.1")
    for other in ("1", "g1", "", "a:b:c:d:e.1", "12-3.1"):
        assert not is_of_a_contest(other)


@pytest.mark.parametrize(
    ("name", "games", "first", "is_match"),
    [
        ("brainjar", 1, First.RANDOM, False),
        ("broadsides", 1, First.A, False),
        ("broadsides", 2, First.ALTERNATE, False),
        ("contest", 1, First.A, False),
        ("contest", 2, First.A, True),
    ],
)
def test_the_rules_say_who_moves_first_in_one_game_or_match(
    name: str, games: int, first: First, is_match: bool
) -> None:
    """In several games the seats take turns. A choice of the user stands."""
    rules = VARIANTS[name]
    fight = fight_of(rules, 2, games=games, sprt=None, seed=7)
    assert fight == Fight(games, 7, first, 2, is_match)
    asked = fight_of(rules, 2, games=games, sprt=None, seed=7, first=First.B)
    assert asked == Fight(games, 7, First.B, 2, is_match)


def test_a_fight_without_a_number_of_games() -> None:
    """It is one game, or as many as the test needs at most; a test makes no match of them."""
    rules = VARIANTS["contest"]
    assert fight_of(rules, 2, games=None, sprt=None, seed=7) == Fight(1, 7, First.A)
    tested = fight_of(rules, 2, games=None, sprt=Sprt(0, 20), seed=7)
    assert tested == Fight(LONGEST_SPRT, 7, First.ALTERNATE)
