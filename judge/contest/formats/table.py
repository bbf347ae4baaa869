"""The formats of a contest, a row each: who meets whom, how it is scored, when it ends. Pure.

The same results give the same stages, so a contest that was broken off goes on by what its ledger
holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from judge.contest.formats import every_pair, knockout, lives, swiss
from judge.contest.formats.units import Meeting, PlaceInFormat, Stage, UnitResults
from judge.documents.ledger import Plan

Pairing = Callable[[Plan, UnitResults], Iterator[Stage]]
Scoring = Callable[[Plan, Sequence[Stage], UnitResults], list[PlaceInFormat]]

MOST_UNITS = 1_000_000  # of a contest whose stages rest on results: each is made as an object


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A row. ``pairing`` gives stage after stage, and is asked for the next one only when all
    meetings of the last are over. Without a ``scoring`` bots are ranked by the percentage rule.

    ``is_closed`` if the bots are fixed when it begins. ``options`` are those of `judge rank` that
    it knows, with their defaults, None for one that depends on the number of bots. ``most`` is how
    many units it can take at most.
    """

    pairing: Pairing
    scoring: Scoring | None = None
    is_closed: bool = False
    options: dict[str, int | None]
    most: Callable[[Plan], int]


def _of_all(plan: Plan) -> int:
    if plan.table > 2:
        return plan.units // 2 * len(plan.bots)
    return plan.units * math.comb(len(plan.bots), 2)


FORMATS: dict[str, Format] = {
    "rounds": Format(
        pairing=every_pair.everyone,
        options={"rounds": 1},
        most=_of_all,
    ),
    "gauntlet": Format(
        pairing=every_pair.gauntlet,
        options={"rounds": 1},
        most=lambda plan: plan.units * (len(plan.bots) - 1),
    ),
    "tournament": Format(
        pairing=every_pair.tournament,
        scoring=every_pair.by_points,
        options={"games": 2},
        most=_of_all,
    ),
    "swiss": Format(
        pairing=swiss.stages,
        scoring=swiss.places,
        is_closed=True,
        options={"rounds": None, "games": 2},
        most=lambda plan: plan.rounds * plan.units * (len(plan.bots) // 2),
    ),
    "knockout": Format(
        pairing=knockout.stages,
        scoring=knockout.places,
        is_closed=True,
        options={"games": 3},
        most=lambda plan: (plan.units + knockout.DECIDERS) * (len(plan.bots) - 1),
    ),
    "lives": Format(
        pairing=lives.stages,
        scoring=lives.places,
        is_closed=True,
        options={"lives": 3, "games": 1},
        # Every unit costs a life, and the winner keeps one.
        most=lambda plan: max(0, plan.units * (plan.lives * len(plan.bots) - 1)),
    ),
}


def too_long(plan: Plan) -> str | None:
    """Why a contest cannot be held by this plan, if it is one whose meetings are all in memory and
    could be too many."""
    row = FORMATS[plan.format]
    if not row.is_closed or (most := row.most(plan)) <= MOST_UNITS:
        return None
    return (
        f"a contest of the format {plan.format} has {MOST_UNITS:,} meetings at most, and this one "
        f"could have {most:,}"
    )


def swiss_rounds(bots: int) -> int:
    """How many rounds a Swiss contest has unless that is said: as many as leave one without a
    loss, and at least one."""
    return max(1, math.ceil(math.log2(max(1, bots))))


class Progress:
    """How far a contest has come by these results: its stages, the last of which is not over unless
    the contest ``is_over``."""

    def __init__(self, plan: Plan, results: UnitResults) -> None:
        self.plan = plan
        self.stages: list[Stage] = []
        self.is_over = True
        self._results = results
        for stage in FORMATS[plan.format].pairing(plan, results):
            self.stages.append(stage)
            if any(results(meeting) is None for meeting in stage.meetings):
                self.is_over = False
                break

    @property
    def missing(self) -> Iterator[Meeting]:
        """The meetings that are to be played now, looked up one by one as they come up."""
        if self.is_over:
            return iter(())
        return (one for one in self.stages[-1].meetings if self._results(one) is None)

    @cached_property
    def places(self) -> list[PlaceInFormat]:
        """Who stands where, by a format that has a scoring of its own."""
        scoring = FORMATS[self.plan.format].scoring
        return [] if scoring is None else scoring(self.plan, self.stages, self._results)

    @property
    def winner(self) -> str | None:
        """The winner; None before the contest is over, and if several share the first place."""
        first = [place.name for place in self.places if place.rank == 1]
        return first[0] if self.is_over and len(first) == 1 else None
