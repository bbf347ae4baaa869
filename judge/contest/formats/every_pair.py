"""Formats in which every two bots meet: `rounds`, a bot's `gauntlet` among them, `tournament`.

Who meets whom does not depend on results, so there is one stage. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from judge.contest.formats.plan import Plan
from judge.contest.formats.units import (
    NOTHING,
    Meeting,
    Pair,
    PlaceInFormat,
    Stage,
    UnitResult,
    UnitResults,
    ranked,
)


@dataclass(frozen=True, slots=True)
class Meetings(Collection[Meeting]):
    """So many ``units`` of each of these couples, two by two: everyone has met everyone twice
    before anyone meets for the third time. ``couples`` are of names, the first of which sorts
    first. Made one by one, for there may be millions."""

    couples: tuple[tuple[str, str], ...]
    units: int

    def __len__(self) -> int:
        return self.units * len(self.couples)

    def __iter__(self) -> Iterator[Meeting]:
        return chain.from_iterable(
            (Meeting(*couple, number) for number in range(first, min(first + 1, self.units) + 1))
            for first in range(1, self.units + 1, 2)
            for couple in self.couples
        )

    def __contains__(self, meeting: object) -> bool:
        match meeting:
            case Meeting(one, other, number):
                return (one, other) in self.couples and 1 <= number <= self.units
        return False


def circle(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """All couples: one name stays, the others go round it, and who face each other are couples (the
    circle method, known from chess as Berger's tables). So at no time has one bot played much more
    than another: what a game moves by the percentage rule depends on what was played before."""
    circled: list[str | None] = [*names, *([None] if len(names) % 2 else [])]
    for _ in circled[1:]:
        half = len(circled) // 2
        for one, other in zip(circled[:half], reversed(circled[half:]), strict=True):
            if one is not None and other is not None:
                yield (one, other) if one < other else (other, one)
        circled.insert(1, circled.pop())


def everyone(plan: Plan, _: UnitResults) -> Iterator[Stage]:
    """Every bot against every other."""
    yield Stage(1, "all", Meetings(tuple(circle(sorted(plan.bots))), plan.units))


def gauntlet(plan: Plan, _: UnitResults) -> Iterator[Stage]:
    """One bot against every other, in the very games that the two have where all play all."""
    assert plan.bot is not None, "a gauntlet is a bot's"
    pairs = (sorted((plan.bot, other)) for other in sorted(plan.bots) if other != plan.bot)
    yield Stage(1, "all", Meetings(tuple((one, other) for one, other in pairs), plan.units))


def by_points(plan: Plan, stages: Sequence[Stage], results: UnitResults) -> list[PlaceInFormat]:
    """By points: one for a unit that is won, half of one for a tie; then by games won."""
    halves = dict.fromkeys(plan.bots, NOTHING)
    for (one, other), total in crossed(plan, stages, results).items():
        halves[one] += total
        halves[other] += total.turned
    return ranked(
        (
            (total.points[0], total.games[0]),
            PlaceInFormat(
                name,
                0,
                total.points[0] / 2,
                tie_break=None if plan.match == 1 else total.games[0] / 2,
            ),
        )
        for name, total in halves.items()
    )


def crossed(
    plan: Plan, stages: Sequence[Stage], results: UnitResults
) -> dict[tuple[str, str], UnitResult]:
    """What the meetings of every couple that has met come to so far."""
    couples = dict.fromkeys(
        (meeting.one, meeting.other)
        for stage in stages
        for meeting in islice(stage.meetings, _once(stage))
    )
    found = {}
    for one, other in couples:
        meetings = tuple(Meeting(one, other, number) for number in range(1, plan.units + 1))
        if any(results(meeting) is not None for meeting in meetings):
            found[one, other] = Pair(one, other, meetings).so_far(results)
    return found


def _once(stage: Stage) -> int:
    """How many of its meetings have every couple among them."""
    meetings = stage.meetings
    return min(2, meetings.units) * len(meetings.couples) if isinstance(meetings, Meetings) else 0
