"""The values that formats of a contest share: meetings of two bots, their results, and stages.

A *unit* is what counts: a game, or a match if the rules have matches. Points are counted in halves,
so that a tie is a whole number. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from judge.documents.ledger import Plan, Unit


class Meeting(NamedTuple):
    """The ``number``-th unit that two bots play against each other in a contest, from 1. ``one`` is
    the bot whose name sorts first."""

    one: str
    other: str
    number: int


class UnitResult(NamedTuple):
    """The result of a unit, or a sum of results. Each field has a number for each of two bots.
    ``points`` are half points: 2 and 0 after a win, 1 and 1 after a tie, 0 and 0 if the unit is
    void. ``games`` are the half points of the unit's games. ``won`` are the numbers of games that
    each bot has won."""

    points: tuple[int, int]
    games: tuple[int, int]
    won: tuple[int, int]

    @property
    def swapped(self) -> UnitResult:
        """The same result with the bots in the other order."""
        return UnitResult(self.points[::-1], self.games[::-1], self.won[::-1])

    def __add__(self, other: object) -> UnitResult:
        if not isinstance(other, UnitResult):
            return NotImplemented
        added = (
            (one + more, another + yet_more)
            for (one, another), (more, yet_more) in zip(self, other, strict=True)
        )
        return UnitResult(*added)

    @property
    def winner(self) -> int | None:
        """The index, 0 or 1, of the bot with more points, or with more ``games`` if points are
        equal; None if points and games are equal."""
        one, other = zip(self.points, self.games, strict=True)
        return None if one == other else int(one < other)


NOTHING = UnitResult((0, 0), (0, 0), (0, 0))
WON = UnitResult((2, 0), (2, 0), (1, 0))
LOST = WON.swapped
TIED = UnitResult((1, 1), (1, 1), (0, 0))


def unit_result(unit: Unit, match: int) -> UnitResult | None:
    """The result of a unit of ``match`` games; None if the unit is not over. A bot that forfeits a
    game of a match loses the match at once. If both have forfeited, the match is tied. A match with
    only void games is void."""
    if unit.games < match and not unit.forfeits:
        return None
    games = 2 * unit.won + unit.tied, 2 * unit.lost + unit.tied
    won = unit.won, unit.lost
    if match == 1 or not any(games):
        return UnitResult(games, games, won)
    if unit.forfeits in (1, 2):
        points = (0, 2) if unit.forfeits == 1 else (2, 0)
    elif unit.forfeits or games[0] == games[1]:
        points = TIED.points
    else:
        points = (2, 0) if games[0] > games[1] else (0, 2)
    return UnitResult(points, games, won)


UnitResults = Callable[[Meeting], UnitResult | None]
"""The result of a meeting; None before the meeting is over."""


class Pair(NamedTuple):
    """Two bots in the order in which they are shown, and their meetings in a stage."""

    one: str
    other: str
    meetings: tuple[Meeting, ...]

    @property
    def bots(self) -> tuple[str, str]:
        return self.one, self.other

    def result(self, results: UnitResults) -> UnitResult | None:
        """The sum of the results of the pair's meetings, from the side of ``one``; None until all
        are over."""
        total = NOTHING
        for meeting in self.meetings:
            if (result := results(meeting)) is None:
                return None
            total += result if meeting.one == self.one else result.swapped
        return total

    def winner(self, results: UnitResults) -> str | None:
        """The bot of the pair that has won; None if the two are tied, or a meeting is not over."""
        result = self.result(results)
        return None if result is None or result.winner is None else self.bots[result.winner]

    def begun(self, results: UnitResults) -> UnitResult | None:
        """The sum of the results of the meetings that are over; None if no meeting is over."""
        over = tuple(meeting for meeting in self.meetings if results(meeting) is not None)
        return Pair(self.one, self.other, over).result(results) if over else None

    def so_far(self, results: UnitResults) -> UnitResult:
        return self.begun(results) or NOTHING


def couple(one: str, other: str) -> tuple[str, str]:
    """Two names in sorted order, as a meeting has them."""
    return (one, other) if one < other else (other, one)


def pair_of(one: str, other: str, numbers: Iterable[int]) -> Pair:
    """The pair of two bots with their meetings of these numbers."""
    return Pair(one, other, tuple(Meeting(*couple(one, other), number) for number in numbers))


@dataclass(frozen=True, slots=True)
class Stage:
    """Meetings that may be under way together, in the order in which they begin. All meetings of a
    stage end before the next stage is known. ``byes`` are the bots that sit out this stage."""

    round: int
    name: str
    meetings: Collection[Meeting]
    pairs: tuple[Pair, ...] = ()
    byes: tuple[str, ...] = ()


def of_pairs(round_: int, name: str, pairs: Iterable[Pair], byes: Iterable[str] = ()) -> Stage:
    """A stage in which these pairs meet: first the first meeting of each pair, then the second of
    each, and so on."""
    pairs = tuple(pairs)
    in_turn = zip(*(pair.meetings for pair in pairs), strict=True)
    return Stage(round_, name, tuple(chain.from_iterable(in_turn)), pairs, tuple(byes))


def byes_of(stages: Iterable[Stage]) -> Counter[str]:
    """The number of byes of each bot in these stages."""
    return Counter(chain.from_iterable(stage.byes for stage in stages))


@dataclass(frozen=True, slots=True)
class PlaceInFormat:
    """The place of a bot in a contest's table. ``points`` are in points: a tie adds 0.5, where
    `UnitResult` has 1. ``tie_break`` orders bots of equal points. ``out`` is the round in which the
    bot went out, or None. `tie_break` and `lives` are None if the format does not have them."""

    name: str
    rank: int
    points: float
    tie_break: float | None = None
    lives: int | None = None
    out: int | None = None
    byes: int = 0


def ranked(places: Iterable[tuple[tuple[float, ...], PlaceInFormat]]) -> list[PlaceInFormat]:
    """The places with their ranks, ordered by their keys, the largest first, then by name. Places
    with equal keys share a rank."""
    ordered = sorted(places, key=lambda one: (tuple(-part for part in one[0]), one[1].name))
    done: list[PlaceInFormat] = []
    for at, (key, place) in enumerate(ordered):
        is_shared = at > 0 and ordered[at - 1][0] == key
        done.append(replace(place, rank=done[-1].rank if is_shared else at + 1))
    return done


def first_of(places: Iterable[PlaceInFormat]) -> list[str]:
    """The bots of rank 1."""
    return [place.name for place in places if place.rank == 1]


def winner_of(places: Iterable[PlaceInFormat]) -> str | None:
    """The bot of rank 1; None if several share that rank."""
    first = first_of(places)
    return first[0] if len(first) == 1 else None


def shown_score(plan: Plan, result: UnitResult) -> tuple[int, int]:
    """The score of two bots that met, in half points. If the bots meet for a single match, it is
    the score of its games, unless a forfeit gave the match another result."""
    (one, other), (won, lost) = result.points, result.games
    is_plain = (one > other, one < other) == (won > lost, won < lost)
    is_match = plan.match > 1 and plan.units == 1
    return result.games if is_match and is_plain else result.points


NOTHING_YET = "·"


def halves(halves: int | None) -> str:
    """The text of half points: 3, 2½, ½; a dot for None, if nothing has been played."""
    if halves is None:
        return NOTHING_YET
    whole, half = divmod(halves, 2)
    return f"{whole or ''}½" if half else str(whole)


def whole_score(points: float) -> str:
    """The text of whole points, written as by `halves`."""
    return halves(round(2 * points))
