"""The table of a gauntlet, in which one bot plays all others: a row for each opponent. Pure."""

from __future__ import annotations

from typing import NamedTuple

from judge.documents.history import OpponentCounts
from judge.documents.standings import GauntletTable
from judge.show.columns import Column
from judge.show.opponents import opponent_columns, opponent_lines
from judge.show.text import WIDTH, Style, clean, many, painted


class GauntletPage(NamedTuple):
    """The table of a gauntlet for a page. ``said`` is a line with the sums of the results."""

    bot: str
    said: str
    columns: list[Column[OpponentCounts]]
    opponents: list[OpponentCounts]


def gauntlet_page(gauntlet: GauntletTable | None, unit: str) -> GauntletPage | None:
    """The table for a page, or None without a gauntlet. ``unit`` is what counts: a game or a
    match."""
    if gauntlet is None:
        return None
    opponents = _opponents(gauntlet)
    columns = opponent_columns(opponents, unit)
    return GauntletPage(gauntlet.bot, _total(gauntlet, unit), columns, opponents)


def gauntlet_lines(
    gauntlet: GauntletTable, unit: str, width: int | None, colour: bool
) -> list[str]:
    """The table for a terminal. Names are cut so that the rows fit ``width``."""
    said = f"The gauntlet of {clean(gauntlet.bot)}. {_total(gauntlet, unit)}"
    head = painted(said, Style.BOLD, colour, width or WIDTH)
    return [*head, *opponent_lines(_opponents(gauntlet), unit, width, colour)]


def _opponents(gauntlet: GauntletTable) -> list[OpponentCounts]:
    return [
        OpponentCounts(one.name, one.won, one.lost, one.tied, void=0, forfeited=0)
        for one in gauntlet.opponents
    ]


def _total(gauntlet: GauntletTable, unit: str) -> str:
    won = sum(opponent.won for opponent in gauntlet.opponents)
    lost = sum(opponent.lost for opponent in gauntlet.opponents)
    tied = sum(opponent.tied for opponent in gauntlet.opponents)
    said = f"{many(won + lost + tied, unit)}: {won:,} won, {lost:,} lost"
    return said + (f", {tied:,} tied." if tied else ".")
