"""The table of a gauntlet, in which one bot plays all others: a row for each opponent. Pure."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

from judge.documents.standings import GauntletOpponent, GauntletTable
from judge.show.columns import Column, terminal_table
from judge.show.text import Style, clean, many, paint, plural, wrap


class GauntletPage(NamedTuple):
    """The table of a gauntlet for a page. Each row has an opponent, its name first. ``said`` is a
    line with the sums of the results."""

    bot: str
    said: str
    headings: list[str]
    rows: list[list[str]]


def gauntlet_page(gauntlet: GauntletTable | None, unit: str) -> GauntletPage | None:
    """The table for a page, or None without a gauntlet. ``unit`` is what counts: a game or a
    match."""
    if gauntlet is None:
        return None
    columns = _columns(gauntlet, unit)
    rows = [[column.page_text(opponent) for column in columns] for opponent in gauntlet.opponents]
    headings = [column.page_heading for column in columns]
    return GauntletPage(gauntlet.bot, _total(gauntlet, unit), headings, rows)


def gauntlet_lines(
    gauntlet: GauntletTable, unit: str, width: int | None, colour: bool
) -> list[str]:
    """The table for a terminal. Names are cut so that the rows fit ``width``."""
    said = f"The gauntlet of {clean(gauntlet.bot)}. {_total(gauntlet, unit)}"
    head = [paint(line, Style.BOLD, colour) for line in wrap(said, width=width or 80)]
    lines, _ = terminal_table(_columns(gauntlet, unit), gauntlet.opponents, width, colour)
    return [*head, *lines]


def _columns(gauntlet: GauntletTable, unit: str) -> list[Column[GauntletOpponent]]:
    def count(heading: str, of: Callable[[GauntletOpponent], int]) -> Column[GauntletOpponent]:
        return Column(heading, lambda one: f"{of(one):,}")

    columns = [
        Column(
            "opponent", lambda one: clean(one.name), text_on_page=lambda one: one.name, is_name=True
        ),
        count(plural(unit, 2), lambda one: one.won + one.lost + one.tied),
        count("won", attrgetter("won")),
        count("lost", attrgetter("lost")),
        count("tied", attrgetter("tied")),
        Column("win rate", _rate),
        Column("95%", _interval),
    ]
    is_tied = any(opponent.tied for opponent in gauntlet.opponents)
    return [column for column in columns if column.heading != "tied" or is_tied]


def _rate(one: GauntletOpponent) -> str | None:
    return None if one.win_rate is None else f"{one.win_rate:.0%}"


def _interval(one: GauntletOpponent) -> str | None:
    if one.win_rate_95 is None:
        return None
    return "–".join(f"{end:.0%}" for end in one.win_rate_95)


def _total(gauntlet: GauntletTable, unit: str) -> str:
    won = sum(opponent.won for opponent in gauntlet.opponents)
    lost = sum(opponent.lost for opponent in gauntlet.opponents)
    tied = sum(opponent.tied for opponent in gauntlet.opponents)
    said = f"{many(won + lost + tied, unit)}: {won:,} won, {lost:,} lost"
    return said + (f", {tied:,} tied." if tied else ".")
