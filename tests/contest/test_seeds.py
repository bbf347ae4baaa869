"""Seeds: what a bot can find out from its BOT_SEED, and that it is nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert

from changes import replace
from judge.contest.schedule import Fight, First, Pairing, Solo, rules_id
from judge.contest.seeds import (
    GUESSABLE,
    MOST_DIGITS,
    SEED_LIMIT,
    contest_name,
    derive,
    hashed,
    parsed,
    spelled,
)
from judge.contest.shooting.boards import drawn_fleet
from judge.documents.game import RunSeed
from judge.game.fleets import random_fleet
from judge.game.variants import BRAINJAR
from round_robin import RoundRobin
from strategies import examples

SEED = 7
NAMES = st.text(max_size=4) | st.sampled_from(["a:b", "a", "b", '"', "a,b", "1", "[]", "\ud800"])
PURPOSES = st.lists(st.tuples(NAMES) | st.tuples(NAMES, NAMES | st.integers(0, 99)), unique=True)
SEARCHED = 1000  # seeds that the attack looks through; those of these tests are among them


@given(PURPOSES)
@examples(200)
def test_no_two_purposes_share_a_seed(purposes: list[tuple[str | int, ...]]) -> None:
    """However the words of two purposes run together: their seeds differ, and are the same again
    when they are derived again."""
    found = [derive(SEED, *purpose) for purpose in purposes]
    assert len(set(found)) == len(found)
    assert found == [derive(SEED, *purpose) for purpose in purposes]
    assert all(0 <= seed < SEED_LIMIT for seed in found)


def test_a_number_is_no_text() -> None:
    """A bot called 1 is not bot 1."""
    assert derive(SEED, "bot", 1) != derive(SEED, "bot", "1")


def test_no_two_seats_of_any_games_share_a_seed() -> None:
    """Nor do games, or a seat and a game: neither in one run nor among runs of one seed."""
    runs: list[Iterable[Pairing]] = [
        Fight(400, SEED, First.ALTERNATE),
        RoundRobin(("a", "b", "a:b", "c"), BRAINJAR, SEED, 30),
        Solo(1, 200, SEED),
        Solo(1, 200, SEED, purpose="against"),
    ]
    of_pairs = {
        (game.round, game.seats): (game.seed, *game.bot_seeds) for run in runs[:2] for game in run
    }
    alone = [(game.bot_seeds, game.seed) for run in runs[2:] for game in run]
    boards = {seed for _, seed in alone}
    assert len(boards) == 200  # the bot that places has the boards of those that shoot
    seeds = [seed for seeds in of_pairs.values() for seed in seeds]
    seeds += [seed for seeds, _ in alone for seed in seeds]
    assert len(set(seeds) | boards) == len(seeds) + len(boards)


def test_seeds_fill_their_range() -> None:
    """Every bit is as often 0 as 1, and no two bits go together."""
    found = [derive(SEED, "bot", number) for number in range(2000)]
    for bit in range(53):
        assert 850 < sum(seed >> bit & 1 for seed in found) < 1150
    for one, other in combinations(range(53), 2):
        assert 800 < sum((seed >> one ^ seed >> other) & 1 for seed in found) < 1200


def test_seeds_stay_what_they_are() -> None:
    """Ledgers name seeds, so a seed may never come to mean something else."""
    key = hashlib.scrypt(
        b"7", salt=b"battleships-judge, seeds 2", n=2**15, r=8, p=1, maxmem=2**27, dklen=32
    )
    text = json.dumps(["game", 0]).encode()
    digest = hashlib.blake2b(text, digest_size=8, key=key).digest()
    assert derive(7, "game", 0) == int.from_bytes(digest, "big") % 2**53 == 3054720574133767
    assert derive(7, "bot", 0, 1) == 7039054881488291
    assert contest_name(7) == "imgpgbifgokg"
    # as sha256sum has it: the first 8 bytes, big-endian, modulo 2³¹
    assert hashed(7, "game", 0) == 1649194553
    assert hashed(7, "bot", 1) == 2088967811


def test_a_contests_name_is_a_word() -> None:
    """Twelve letters, another for every seed."""
    names = [contest_name(seed) for seed in range(5)]
    assert len(set(names)) == 5
    assert all(len(name) == 12 and name.isalpha() and name.islower() for name in names)


# What can be typed: the number, or None.
TEXTS = {
    "0": 0,
    "7": 7,
    "007": 7,
    "0" * 100 + "7": 7,
    str(2**128 - 1): 2**128 - 1,
    "9" * MOST_DIGITS: 10**39 - 1,
    "9" * (MOST_DIGITS + 1): None,
    "9" * 5000: None,
    "-1": None,
    "+1": None,
    "1_000": None,
    "1.0": None,
    "1e3": None,
    "0x10": None,
    "٣": None,
    "３": None,
    "7\n": None,
    " 7": None,
    "": None,
    "seven": None,
    "0000000000000000000000000a": 10,
    "1" * 25 + "z": sum(32**at for at in range(1, 26)) + 31,
    "7" * 26: int("7" * 26),
    "1" * 25 + "u": None,
    "1" * 25 + "Z": sum(32**at for at in range(1, 26)) + 31,
    "a" * 25: None,
    "a" * 27: None,
}


@pytest.mark.parametrize(("text", "number"), TEXTS.items(), ids=[text[:12] for text in TEXTS])
def test_what_a_seed_can_be(text: str, number: int | None) -> None:
    """Decimal digits of ASCII, up to those of 128 bits and a little more, or 26 characters of base
    32; the rest is refused in a sentence that shows it."""
    if number is not None:
        assert parsed(text) == number
        assert parsed(str(number)) == number
    else:
        with pytest.raises(ValueError, match="is not a seed: a whole number of at most 39 digits"):
            parsed(text)


@given(st.integers(0, 10**MOST_DIGITS - 1))
@examples(100)
def test_a_seed_is_read_as_it_is_written(number: int) -> None:
    """In a contest's entry, and on the command line. A seed that people type stays a number; one
    that is drawn has 26 characters, one of them a letter; and documents may hold both."""
    text = spelled(number)
    assert parsed(text) == parsed(str(number)) == number
    assert convert(text, RunSeed) == text
    if number < GUESSABLE:
        assert text == str(number)
    elif not text.isdecimal():
        assert len(text) == 26


def test_a_seed_without_a_letter_is_spelled_as_a_number() -> None:
    """Digits alone are a number."""
    seed = sum(1 << 5 * at for at in range(26))  # 26 ones in base 32
    assert spelled(seed) == str(seed)
    assert spelled(seed + 9) == "1" * 25 + "a"


# The attack: a bot that has the source of the judge and the names of the game, and its BOT_SEED.


def guessed(own: int, me: str, other: str, known_as: Iterable[str]) -> Iterator[int]:
    """The numbers that a bot could take for its opponent's BOT_SEED, without the slow step."""
    yield from (own, own + 1, own - 1, own ^ 1, SEED_LIMIT - own, own >> 1, own * 2)
    yield from _below(own, me, other)  # its own seed, taken for the game's or the contest's
    for seed in range(SEARCHED):
        games = [seed, hashed(seed, "game", 0), hashed(seed, "first")]
        games += [hashed(seed, "pair", name) for name in known_as]
        for game in games:
            if own in (hashed(game, "bot", me), hashed(game, "bot", 0), hashed(game, "bot")):
                yield from _below(game, me, other)
        for key in (str(seed).encode(), seed.to_bytes(8, "big"), seed.to_bytes(32, "big")):
            for name in known_as:
                if _keyed(key, "bot", name, me) == own:
                    yield _keyed(key, "bot", name, other)
            if _keyed(key, "bot", 0, 0) == own:
                yield _keyed(key, "bot", 0, 1)


def _below(seed: int, me: str, other: str) -> Iterator[int]:
    for purpose in ((), ("bot",), ("bot", me), ("bot", other), ("bot", 0), ("bot", 1), ("first",)):
        yield hashed(seed, *purpose)
        yield _keyed(str(seed).encode(), *purpose)
    luck = Random(seed)
    yield from (luck.getrandbits(53), luck.getrandbits(31), luck.randrange(SEED_LIMIT))


def _keyed(key: bytes, *purpose: str | int) -> int:
    text = json.dumps(purpose).encode()
    return (
        int.from_bytes(hashlib.blake2b(text, digest_size=8, key=key).digest(), "big") % SEED_LIMIT
    )


def attacked(games: Iterable[Pairing], names: tuple[str, str], known_as: list[str]) -> int:
    """In how many games the bot of seat 0 has its opponent's seed among its guesses."""
    return sum(
        game.bot_seeds[1] in set(guessed(game.bot_seeds[0], *names, known_as)) for game in games
    )


@pytest.mark.whole
@pytest.mark.parametrize("seed", [0, SEARCHED - 1])
def test_a_bot_cannot_find_its_opponents_seed_in_a_contest(seed: int) -> None:
    """Not even of a contest with a short seed that was typed: the same search finds it in every game
    whose seeds are hashes without a key."""
    names = ("eve", "fay")
    games = list(RoundRobin(names, BRAINJAR, seed, 2))
    # It knows everything but the seed, and so all that the pair can be called.
    known_as = [f"{':'.join(names)}:{rules_id(BRAINJAR)}:{contest_name(seed)}:{n}" for n in "12"]
    assert attacked(games, names, known_as) == 0
    weak = []
    for game in games:
        pair = hashed(seed, "pair", game.id.rpartition(".")[0])
        weak.append(replace(game, bot_seeds=tuple(hashed(pair, "bot", name) for name in names)))
    assert attacked(weak, names, known_as) == len(games)


def test_a_bot_cannot_find_its_opponents_seed_in_a_fight() -> None:
    """Nor where no names are known."""
    games = list(Fight(2, 1, First.ALTERNATE))
    assert attacked(games, ("eve", "fay"), []) == 0


def test_no_seat_is_a_step_from_another() -> None:
    """Over the games of a contest, no difference between two seats comes twice, nor that between a
    bot's seeds in two games."""
    games = list(RoundRobin(("eve", "fay"), BRAINJAR, SEED, 300))[::2]
    seats = [game.bot_seeds for game in games]
    assert len({one - other for one, other in seats}) == 300
    assert len({one ^ other for one, other in seats}) == 300
    for seat in range(2):
        steps = [b[seat] - a[seat] for a, b in pairwise(seats)]
        assert len(set(steps)) == len(steps)


def test_a_bots_seed_does_not_tell_the_fleet_that_it_is_to_find() -> None:
    """In `judge test` the judge draws the fleet: no generator begun with the bot's seed, as it is
    or hashed, draws the same."""
    for board in Solo(1, 20, 1):
        own, fleet = board.bot_seeds[0], drawn_fleet(BRAINJAR, board)
        begun: list[int | str] = [own, str(own), f"{own}:fleet", hashed(own, "fleet")]
        begun += [hashed(hashed(seed, "board", board.round), "fleet") for seed in range(9)]
        assert all(random_fleet(BRAINJAR, Random(seed)) != fleet for seed in begun)
