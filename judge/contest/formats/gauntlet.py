"""The gauntlet: one bot against every other, in the games that the two have in rounds. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from judge.contest.formats.every_pair import Meetings
from judge.contest.formats.format import Format, OptionSpec
from judge.contest.formats.rounds import Rounds
from judge.contest.formats.units import Stage, UnitResults
from judge.documents.ledger import Plan


class Gauntlet(Format):
    """One bot's part of a contest in rounds."""

    name = "gauntlet"
    options: ClassVar[Mapping[str, OptionSpec]] = {
        **Rounds.options,
        "bot": OptionSpec("Whose gauntlet it is"),
    }
    has_places = False
    brief = "gauntlet of {bot}"

    def stages(self, plan: Plan, results: UnitResults) -> Iterator[Stage]:
        assert plan.bot is not None, "a gauntlet is a bot's"
        pairs = (sorted((plan.bot, other)) for other in sorted(plan.bots) if other != plan.bot)
        yield Stage(1, "all", Meetings(tuple((one, other) for one, other in pairs), plan.units))

    def most(self, plan: Plan) -> int:
        return plan.units * (len(plan.bots) - 1)
