"""The format of rounds: every bot plays every other, and the percentage rule ranks them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from judge.contest.formats.every_pair import Meetings, circle, every_couple, of_all
from judge.contest.formats.format import Format, OptionSpec
from judge.contest.formats.units import Stage, UnitResults
from judge.documents.ledger import Plan


class Rounds(Format):
    """The default format, and the only one for games of more than two seats and for a time
    budget."""

    name = "rounds"
    options: ClassVar[Mapping[str, OptionSpec]] = {
        "rounds": OptionSpec("How many pairs of games every two bots are to have played in all", 1)
    }
    has_places = False
    brief = "in rounds"
    brief_played = "in {played}"

    def of(self, plan: Plan) -> Format:
        return _GroupRounds() if plan.seats > 2 else self

    def stages(self, plan: Plan, results: UnitResults) -> Iterator[Stage]:
        yield Stage(1, "all", Meetings(every_couple(plan, circle), plan.units))

    def most(self, plan: Plan) -> int:
        return of_all(plan)


class _GroupRounds(Rounds):
    """Rounds of balanced groups: in a round every bot sits in each seat once."""

    brief = "in {pairs}, {seats} at a table"

    def most(self, plan: Plan) -> int:
        return plan.units // 2 * len(plan.bots)
