"""The table of a gauntlet for a terminal and for a page: a row an opponent. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from judge.documents.standings import GauntletOpponent, GauntletTable
from judge.show.contest import aligned
from judge.show.text import Style, clean, many, paint, wrap


@dataclass(frozen=True, slots=True)
class GauntletPage:
    """Rows are an opponent each, below ``headings``; the first of a row is its name."""

    bot: str
    said: str
    headings: list[str]
    rows: list[list[str]]


def gauntlet_page(gauntlet: GauntletTable | None, unit: str) -> GauntletPage | None:
    """``unit`` is what counts, a game or a match; None where there is no gauntlet."""
    if gauntlet is None:
        return None
    is_tied = any(one.tied for one in gauntlet.opponents)
    headings = ["Opponent", many(2, unit).removeprefix("2 ").capitalize(), "Won", "Lost"]
    return GauntletPage(
        gauntlet.bot,
        _total(gauntlet, unit),
        [*headings, *(["Tied"] if is_tied else []), "Win rate", "95%"],
        [_row(one, is_tied=is_tied) for one in gauntlet.opponents],
    )


def gauntlet_lines(
    gauntlet: GauntletTable, unit: str, width: int | None, colour: bool
) -> list[str]:
    """The table in no more than ``width`` cells, as far as names can be cut."""
    page = gauntlet_page(gauntlet, unit)
    assert page is not None, "there is a gauntlet"
    said = f"The gauntlet of {clean(page.bot)}. {page.said}"
    head = [paint(line, Style.BOLD, colour) for line in wrap(said, width=width or 80)]
    grid = [[heading.lower() for heading in page.headings]]
    grid += [[clean(row[0]), *row[1:]] for row in page.rows]
    return [*head, *aligned(grid, width, colour, names=0)]


def _total(gauntlet: GauntletTable, unit: str) -> str:
    won = sum(one.won for one in gauntlet.opponents)
    lost = sum(one.lost for one in gauntlet.opponents)
    tied = sum(one.tied for one in gauntlet.opponents)
    said = f"{many(won + lost + tied, unit)}: {won:,} won, {lost:,} lost"
    return said + (f", {tied:,} tied." if tied else ".")


def _row(one: GauntletOpponent, *, is_tied: bool) -> list[str]:
    rate, interval = one.win_rate, one.win_rate_95
    return [
        one.name,
        f"{one.won + one.lost + one.tied:,}",
        f"{one.won:,}",
        f"{one.lost:,}",
        *([f"{one.tied:,}"] if is_tied else []),
        "–" if rate is None else f"{rate:.0%}",
        "–" if interval is None else "–".join(f"{end:.0%}" for end in interval),
    ]
