"""Contests of many bots: who meets whom and when, and ids that nothing else can change."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from judge.contest.schedule import (
    Pairing,
    escape,
    rules_id,
    without,
)
from judge.contest.seeds import SEED_LIMIT
from judge.game.variants import BRAINJAR, CONTEST_DRAWS, VARIANTS, contest
from round_robin import RoundRobin
from strategies import examples

NAMES = st.text(min_size=1, max_size=8).filter(lambda name: name.isprintable())
NASTY = st.sampled_from(["a:b", "a", "b", "a%3Ab", "a b", "ü", "%", "..", "a#2", "'", "$(x)", "-"])
FIELDS = st.lists(NAMES | NASTY, max_size=7, unique=True).map(tuple)
# Few of them: each has a slow step, once.
SEEDS = st.sampled_from([0, 7, 10**39 - 1])
SEVEN = 7
ROUNDS = st.integers(0, 3)


@st.composite
def contests(draw: st.DrawFn) -> RoundRobin:
    return RoundRobin(draw(FIELDS), draw(st.sampled_from([*VARIANTS.values()])), draw(SEEDS), 2)


def known(games: Iterable[Pairing]) -> dict[str, tuple[object, ...]]:
    """All about each game but the numbers that its bots have in this run."""
    return {g.id: (g.round, g.first, g.seed, g.names, g.bot_seeds) for g in games}


@given(contests())
@examples(100)
def test_a_pair_is_two_games_with_the_first_mover_swapped(contest: RoundRobin) -> None:
    """The two games of a pair come one after the other, in the same seats and with the same
    seeds; the bot whose name sorts first sits in seat 0 and moves first in the first."""
    games = list(contest)
    for one, other in zip(games[::2], games[1::2], strict=True):
        assert (one.first, other.first) == (0, 1)
        assert replace(other, id=one.id, first=0) == one
        assert one.names == tuple(sorted(one.names))
        assert tuple(contest.names[number] for number in one.seats) == one.names
        assert one.bot_seeds == other.bot_seeds
        assert one.bot_seeds[0] != one.bot_seeds[1]
    assert len({game.seed for game in games}) == len(games) / 2
    assert all(0 <= seed < SEED_LIMIT for game in games for seed in (game.seed, *game.bot_seeds))


@given(contests())
@examples(100)
def test_an_id_is_one_games_own_and_safe_anywhere(contest: RoundRobin) -> None:
    """However odd the names are: no two games share an id, a shell takes it for one plain word,
    and as a file's name it stays in its folder."""
    ids = [game.id for game in contest]
    assert len(set(ids)) == len(ids)
    for id_ in ids:
        assert shlex.quote(id_) == id_
        assert "/" not in id_
        assert id_.count(":") == 4


@given(st.lists(NAMES | NASTY, max_size=20, unique=True))
@examples(100)
def test_names_that_differ_are_written_otherwise(names: list[str]) -> None:
    """Escaping never makes two names the same, and leaves plain names as they are."""
    assert len({escape(name) for name in names}) == len(names)
    assert escape("hunter-c_2.0+x") == "hunter-c_2.0+x"


@given(contests(), st.randoms(use_true_random=False), NAMES)
@examples(100)
def test_the_folders_order_and_other_bots_change_nothing(
    contest: RoundRobin, luck, more: str
) -> None:
    """In whatever order the bots are listed, and whoever is there besides: the same games have
    the same ids, seats, first movers and seeds."""
    games = known(contest)
    shuffled = luck.sample(contest.names, len(contest.names))
    assert known(replace(contest, names=tuple(shuffled))) == games
    if more not in contest.names:
        larger = known(replace(contest, names=(*contest.names, more)))
        assert games.items() <= larger.items()
        assert all(more in larger[id_][3] for id_ in larger.keys() - games.keys())


@given(contests(), st.integers(1, 3))
@examples(50)
def test_a_shorter_contest_is_the_beginning_of_a_longer(contest: RoundRobin, rounds: int) -> None:
    """The first rounds are the same however many follow: --rounds can be raised."""
    shorter, longer = sorted([contest.rounds, rounds])
    games = list(replace(contest, rounds=shorter))
    assert list(replace(contest, rounds=longer))[: len(games)] == games


def test_another_contest_has_other_games() -> None:
    """Another seed, or other rules, and no game is the same, by its id or by its seed."""
    rules = [BRAINJAR, contest(7), replace(BRAINJAR, fleet=(2, 3)), VARIANTS["xbs"]]
    contests = [RoundRobin(("a", "b", "c"), one, seed, 2) for one in rules for seed in (7, 77)]
    for one, other in combinations(contests, 2):
        assert not {game.id for game in one} & {game.id for game in other}
        assert not {game.seed for game in one} & {game.seed for game in other}


@given(FIELDS)
@examples(100)
def test_nobody_gets_far_ahead_in_games(names: tuple[str, ...]) -> None:
    """At no time has one bot played more than two pairs more than another."""
    played = dict.fromkeys(names, 0)
    for game in RoundRobin(names, BRAINJAR, SEVEN, 3):
        for name in game.names:
            played[name] += 1
        assert max(played.values()) - min(played.values()) <= 4


@given(FIELDS.filter(bool), SEEDS, ROUNDS)
@examples(100)
def test_a_gauntlet_is_one_bots_share_of_the_contest(
    names: tuple[str, ...], seed: int, rounds: int
) -> None:
    """A gauntlet's games are those of the round robin in which its bot plays, so whatever one
    has played the other has no more to play."""
    gauntlet = RoundRobin(names, BRAINJAR, seed, rounds, bot=names[-1])
    whole = list(RoundRobin(names, BRAINJAR, seed, rounds))
    games = list(gauntlet)
    assert len(games) == len(gauntlet)
    assert {game.id: game for game in games} == {
        game.id: game for game in whole if names[-1] in game.names
    }
    assert all(one.round <= other.round for one, other in pairwise(games))


def test_what_has_been_played_is_left_out_as_it_becomes_known() -> None:
    """Games are looked up when they come up, not before: what another judge has added
    meanwhile is not played either."""
    whole = list(RoundRobin(("a", "b", "c"), BRAINJAR, SEVEN, 1))
    played = [whole[0], whole[3]]
    missing = without(whole, played.__contains__)
    assert next(missing) == whole[1]
    played.append(whole[2])
    assert list(missing) == whole[4:]


@pytest.mark.parametrize(
    ("rules", "id_"),
    [
        *((rules, name) for name, rules in VARIANTS.items()),
        *((contest(side), f"contest-{side}") for side in CONTEST_DRAWS if side < 10),
    ],
)
def test_a_variant_is_known_by_its_name(rules, id_: str) -> None:
    """Rules that are a variant unchanged have its name in their ids and nothing else."""
    assert rules_id(rules) == id_


def test_other_rules_of_a_variants_name_are_other_rules() -> None:
    """Changed rules have a digest, so their games are never taken for the variant's."""
    changed = [replace(BRAINJAR, fleet=fleet) for fleet in ((2, 3), (2, 3, 4))]
    changed.append(replace(BRAINJAR, name="my rules"))
    ids = {rules_id(rules) for rules in changed}
    assert len(ids) == 3
    assert all(shlex.quote(id_) == id_ for id_ in ids)
    assert "brainjar" not in ids


def test_ids_and_seeds_stay_what_they_are() -> None:
    """Ledgers know games by their ids and seeds, so these may never come to mean another game."""
    first, second = RoundRobin(("random", "böse: 1"), BRAINJAR, SEVEN, 1)
    assert first.id == "b%C3%B6se%3A%201:random:brainjar:imgpgbifgokg:1.1"
    assert second.id == "b%C3%B6se%3A%201:random:brainjar:imgpgbifgokg:1.2"
    assert first.seats == second.seats == (1, 0)
    assert first.seed == 2462621014152853
    assert first.bot_seeds == (6990913864037774, 861455382150593)
