"""The meetings of the formats in which results do not decide who meets.

The formats are `rounds`, `gauntlet` and `tournament`. A contest by such a format has a single
stage. Pure.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from judge.contest.formats.units import NOTHING, Meeting, Stage, UnitResult, UnitResults
from judge.documents.ledger import Plan

Couple = tuple[str, str]


@dataclass(frozen=True, slots=True)
class EveryCouple(Collection[Couple]):
    """All couples of the sorted ``names``, in the order that ``paired`` gives. The iterator makes
    one couple at a time, since there may be millions."""

    names: tuple[str, ...]
    paired: Callable[[Sequence[str]], Iterable[Couple]]

    def __len__(self) -> int:
        return math.comb(len(self.names), 2)

    def __iter__(self) -> Iterator[Couple]:
        return iter(self.paired(self.names))

    def __contains__(self, couple: object) -> bool:
        match couple:
            case (str(one), str(other)):
                return one < other and self._has(one) and self._has(other)
        return False

    def _has(self, name: str) -> bool:
        place = bisect_left(self.names, name)
        return place < len(self.names) and self.names[place] == name


@dataclass(frozen=True, slots=True)
class Meetings(Collection[Meeting]):
    """The meetings of ``couples``. Each couple plays this number of ``units``, games or matches.
    First each couple plays two units, then each plays the next two, and so on. If ``in_a_row``, a
    couple plays all its units before the next couple meets. A couple is two names in sorted order.
    The iterator makes one meeting at a time, since there may be millions."""

    couples: Collection[Couple]
    units: int
    in_a_row: bool = False

    def __len__(self) -> int:
        return self.units * len(self.couples)

    def __iter__(self) -> Iterator[Meeting]:
        at_once = self.units if self.in_a_row else 2
        return chain.from_iterable(
            (Meeting(*couple, first + more) for more in range(min(at_once, self.units + 1 - first)))
            for first in range(1, self.units + 1, at_once)
            for couple in self.couples
        )

    def __contains__(self, meeting: object) -> bool:
        match meeting:
            case Meeting(one, other, number):
                return (one, other) in self.couples and 1 <= number <= self.units
        return False


def circle(names: Sequence[str]) -> Iterator[Couple]:
    """All couples, round by round, so that at any time all bots have played about equally often. By
    the percentage rule a game's points depend on the games before it."""
    return chain.from_iterable(circle_rounds(names))


def circle_rounds(names: Sequence[str]) -> Iterator[tuple[Couple, ...]]:
    """The couples of each round; a round has each name at most once. The method is the circle
    method, known from chess as Berger's tables: one name stays, the others move round the circle,
    and names that face each other are a couple."""
    circled: list[str | None] = [*names, *([None] if len(names) % 2 else [])]
    for _ in circled[1:]:
        half = len(circled) // 2
        yield tuple(
            (one, other) if one < other else (other, one)
            for one, other in zip(circled[:half], reversed(circled[half:]), strict=True)
            if one is not None and other is not None
        )
        circled.insert(1, circled.pop())


def every_couple(plan: Plan, paired: Callable[[Sequence[str]], Iterable[Couple]]) -> EveryCouple:
    return EveryCouple(tuple(sorted(plan.bots)), paired)


def of_all(plan: Plan) -> int:
    """The number of units in a contest in which every couple meets."""
    return plan.units * math.comb(len(plan.bots), 2)


def crossed(stages: Sequence[Stage], results: UnitResults) -> dict[Couple, UnitResult]:
    """The sum of the results of each couple that has met, from the first bot's side."""
    found: dict[Couple, UnitResult] = {}
    for meeting in chain.from_iterable(stage.meetings for stage in stages):
        if (result := results(meeting)) is not None:
            couple = (meeting.one, meeting.other)
            found[couple] = found.get(couple, NOTHING) + result
    return found


def begun(stages: Sequence[Stage], known: Iterable[Meeting]) -> list[Stage]:
    """Copies of the stages that hold only the ``known`` meetings. A stage may have millions of
    others, not yet begun."""
    ordered = sorted(known)
    return [
        replace(stage, meetings=[one for one in ordered if one in stage.meetings])
        for stage in stages
    ]
