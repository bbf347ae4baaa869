"""The table of checks by whole games: a row for each claim, with the games that could refute it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from judge.check import conformance
from judge.check.conformance import LOCALES, PARTING, SAMENESS, Finding, obeyed
from judge.check.opponents import (
    Shoot,
    at_random,
    breaks_off,
    hits,
    leaves,
    longest_first,
    misses,
    shortest_first,
    sinking,
    twice,
)
from judge.contest.seeds import SEED_LIMIT
from judge.documents.game import Evidence
from judge.documents.rules import Rules
from judge.play.asking import Question, Reply
from judge.wire.interface import Wire

WASTE = "wastes no shots"


@dataclass(frozen=True, slots=True)
class GameSetting:
    """A game: the seat of the player, which moves first from seat 0, and its opponent. It is played
    by the rules of the whole check unless it has its own; or it is a match of several ``games``."""

    seat: int
    shoot: Shoot
    seed: int
    name: str = "opponent"
    lang: str = Question(None, 0).lang
    rules: Rules | None = None
    games: int = 1


@dataclass(frozen=True, slots=True)
class GamesCheck:
    """A claim, and the games that could refute it: of players that speak this wire, under this name;
    without one, the check is not for them. In a check that is ``elsewhere`` a copy of the player
    plays, in another folder."""

    claim: str
    games: Callable[[type[Wire], str, Random], Iterable[GameSetting]]
    verdict: Callable[[str, Sequence[Reply]], Finding] = obeyed
    elsewhere: bool = False

    def settings(self, wire: type[Wire], name: str, seed: int) -> tuple[GameSetting, ...]:
        return tuple(self.games(wire, name, Random(f"{seed}:{self.claim}")))


def seed_of_game(luck: Random) -> int:
    return luck.randrange(SEED_LIMIT)


Games = Iterator[GameSetting]


def _fleets(_: type[Wire], __: str, luck: Random) -> Games:
    for number, seed in enumerate((0, SEED_LIMIT - 1, *(seed_of_game(luck) for _ in range(6)))):
        yield GameSetting(number % 2, leaves, seed)


def _both_seats(_: type[Wire], __: str, luck: Random) -> Games:
    return (GameSetting(number % 2, at_random, seed_of_game(luck)) for number in range(6))


def _fewer_shots(wire: type[Wire], _: str, luck: Random) -> Games:
    for order in (shortest_first, longest_first) if wire.shots_vary else ():
        for seat in (0, 1):
            yield GameSetting(seat, sinking(order), seed_of_game(luck))


def _extremes(_: type[Wire], __: str, luck: Random) -> Games:
    return (
        GameSetting(seat, shoot, seed_of_game(luck)) for shoot in (hits, misses) for seat in (0, 1)
    )


def _names(wire: type[Wire], own: str, luck: Random) -> Games:
    for name in wire.names_to_try(own):
        if wire.unsayable(name):
            continue  # it cannot be the opponent's
        for seat in (0, 1):
            yield GameSetting(seat, at_random, seed_of_game(luck), name)


def _locales(_: type[Wire], __: str, luck: Random) -> Games:
    return (GameSetting(0, at_random, seed_of_game(luck), lang=lang) for lang in LOCALES)


def _anywhere(_: type[Wire], __: str, luck: Random) -> Games:
    return (GameSetting(seat, at_random, seed_of_game(luck)) for seat in (0, 1))


def _sizes(wire: type[Wire], _: str, luck: Random) -> Games:
    for rules in wire.rules_to_try():
        yield GameSetting(rules.columns % 2, at_random, seed_of_game(luck), rules=rules)


def _matches(wire: type[Wire], _: str, luck: Random) -> Games:
    for seat in (0, 1) if wire.plays_matches else ():
        yield GameSetting(seat, at_random, seed_of_game(luck), games=4)


def _repeats(wire: type[Wire], _: str, luck: Random) -> Games:
    for seat in (0, 1) if wire.plays_matches else ():
        yield GameSetting(seat, twice, seed_of_game(luck))


def _in_mid_game(wire: type[Wire], _: str, luck: Random) -> Games:
    for seat in (0, 1) if wire.plays_matches else ():
        yield GameSetting(seat, breaks_off, seed_of_game(luck))


def _left(claim: str, replies: Sequence[Reply]) -> Finding:
    """How it ends by itself once its match is over, which costs it nothing."""
    finding = obeyed(claim, replies)
    if finding.passed is not True:
        return finding
    ways = [way for reply in replies if (way := _way_of_ending(reply.run))]
    told = f"{len(ways)} of {len(replies)} times it {ways[0]}" if ways else "and exits"
    return replace(finding, detail=told, warning=bool(ways))


def _way_of_ending(run: Evidence) -> str:
    """How a program ended that had no reason to go on; empty if it exited as it should."""
    if run.signal == "SIGKILL":
        return "had to be ended; exit when the match is over"
    if run.signal or run.exit:
        how = run.signal or f"status {run.exit}"
        return f"crashed ({how}); exit with status 0 when the match is over"
    return ""


FIRST = GamesCheck("places a legal fleet", _fleets, conformance.fleets_obeyed)
GAMES_CHECKS = (
    GamesCheck("plays to the end from either seat", _both_seats),
    GamesCheck("fires as many shots as are due", _fewer_shots),
    GamesCheck("copes with nothing but hits, or but misses", _extremes),
    GamesCheck("copes with any name of the opponent", _names),
    GamesCheck("plays on boards of every size", _sizes),
    GamesCheck("plays several games in one process", _matches),
    GamesCheck("copes with cells that are shot at again", _repeats),
    GamesCheck("leaves a match that ends in mid-game", _in_mid_game, _left),
    GamesCheck("works in any locale", _locales),
    GamesCheck("works wherever its files lie", _anywhere, elsewhere=True),
)

HELD = "needs no network, and writes where it may"
OVERALL = (PARTING, WASTE, HELD, conformance.IN_TIME, conformance.IN_MEMORY, conformance.QUIET)


def checks_for(wire: type[Wire]) -> tuple[GamesCheck, ...]:
    """The checks of players that speak this wire, but for the first."""
    return tuple(check for check in GAMES_CHECKS if check.settings(wire, wire.name, 0))


def claims_for(wire: type[Wire]) -> tuple[str, ...]:
    return (FIRST.claim, SAMENESS, *(check.claim for check in checks_for(wire)), *OVERALL)
