"""The table of a gauntlet: the units of one bot against each of the others. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judge.contest.ledger.tally_table import Table
from judge.contest.standings.summary import mean
from judge.documents.ledger import Plan
from judge.documents.standings import GauntletOpponent, GauntletTable
from judge.stats.intervals import wilson


def gauntlet_table(
    plan: Plan | None, table: Table, current: Mapping[str, int], order: Sequence[str]
) -> GauntletTable | None:
    """The table of a contest by this plan, with the opponents in this order and all bots in the
    ``current`` version; None if it is no gauntlet, or its bot is not among them."""
    bot = None if plan is None else plan.bot
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
                win_rate=mean(score, played),
                win_rate_95=wilson(score, played) if played else None,
            )
        )
    return GauntletTable(bot=bot, version=current[bot], opponents=tuple(opponents))
