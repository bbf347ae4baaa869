"""The gauntlet: one bot plays every other bot. The games are those of the format of rounds.
Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from judge.contest.formats.every_pair import Meetings
from judge.contest.formats.format import Format, OptionSpec
from judge.contest.formats.rounds import Rounds
from judge.contest.formats.units import Stage, UnitResults
from judge.contest.ledger.tally_table import TallyTable
from judge.documents.ledger import Plan
from judge.documents.standings import GauntletOpponent, GauntletTable
from judge.stats.intervals import wilson


class Gauntlet(Format):
    """The format in which one bot plays every other bot."""

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

    def gauntlet(
        self, plan: Plan, table: TallyTable, current: Mapping[str, int], order: Sequence[str]
    ) -> GauntletTable | None:
        bot = plan.bot
        if bot is None or bot not in current:
            return None
        opponents = []
        for name in order:
            if name == bot:
                continue
            won, lost, tied = table.met((bot, current[bot]), (name, current[name]))
            played, score = won + lost + tied, won + tied / 2
            opponents.append(
                GauntletOpponent(
                    name=name,
                    version=current[name],
                    won=won,
                    lost=lost,
                    tied=tied,
                    win_rate=score / played if played else None,
                    win_rate_95=wilson(score, played) if played else None,
                )
            )
        return GauntletTable(bot=bot, version=current[bot], opponents=tuple(opponents))
