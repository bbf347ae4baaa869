"""The table of all formats of a contest, and how far a contest has come by its format. Pure.

The same results give the same stages, so an interrupted contest goes on from its ledger.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from judge.contest.formats.format import Format
from judge.contest.formats.gauntlet import Gauntlet
from judge.contest.formats.knockout import Knockout
from judge.contest.formats.lives import Lives
from judge.contest.formats.rounds import Rounds
from judge.contest.formats.swiss import Swiss
from judge.contest.formats.tournament import Tournament
from judge.contest.formats.units import Meeting, PlaceInFormat, Stage, UnitResults, winner_of
from judge.documents.ledger import Plan

MOST_UNITS = 1_000_000  # units of a contest with a fixed field; each is an object in memory

FORMATS: dict[str, Format] = {}
USUAL = Rounds.name


def register(format_: type[Format]) -> type[Format]:
    """Add a format to those that the judge knows. Formats are registered before the commands are
    loaded. Raises ValueError if the name is taken."""
    if format_.name in FORMATS:
        raise ValueError(f"there is a format {format_.name} already")
    FORMATS[format_.name] = format_()
    return format_


for _format in (Rounds, Gauntlet, Tournament, Swiss, Knockout, Lives):
    register(_format)


def format_of(plan: Plan) -> Format:
    return FORMATS[plan.format].of(plan)


def are_one_contest(one: str, other: str) -> bool:
    """Whether a ledger may hold games of both formats: they are the same, or neither ranks the
    bots."""
    return one == other or not (FORMATS[one].has_places or FORMATS[other].has_places)


def too_long(plan: Plan) -> str | None:
    """The reason why a contest by this plan would have too many meetings for memory, or None. A
    contest without a fixed field never has too many."""
    row = format_of(plan)
    if not row.is_closed or (most := row.most(plan)) <= MOST_UNITS:
        return None
    return (
        f"a contest of the format {plan.format} has {MOST_UNITS:,} meetings at most, and this one "
        f"could have {most:,}"
    )


class Progress:
    """The stages that a contest has reached by these results. If not ``is_over``, the last stage
    has a meeting without a result."""

    def __init__(self, plan: Plan, results: UnitResults) -> None:
        self.plan = plan
        self.stages: list[Stage] = []
        self.is_over = True
        self._results = results
        for stage in format_of(plan).stages(plan, results):
            self.stages.append(stage)
            if any(results(meeting) is None for meeting in stage.meetings):
                self.is_over = False
                break

    @property
    def missing(self) -> Iterator[Meeting]:
        """The meetings without a result in the last stage, each looked up when it is taken."""
        if self.is_over:
            return iter(())
        return (meeting for meeting in self.stages[-1].meetings if self._results(meeting) is None)

    @cached_property
    def places(self) -> list[PlaceInFormat]:
        """The places of the bots; empty if the format does not rank them."""
        row = format_of(self.plan)
        return row.places(self.plan, self.stages, self._results) if row.has_places else []

    @property
    def winner(self) -> str | None:
        """The winner; None before the contest is over, or if several bots share the first place."""
        return winner_of(self.places) if self.is_over else None
