"""Columns that are declared once for a terminal, Markdown, CSV and a page, and tables made of them.

Pure. A table that does not fit its terminal leaves out the columns that are wanted least, and a
line says which.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from judge.show.comma_separated import comma_separated
from judge.show.text import Style, cells, clean, left, paint, right, wrap

Row = TypeVar("Row")

SHORTEST_NAME = 8  # cells
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of a table whose rows are of one type."""

    heading: str
    """In a terminal, where a bar begins its second line; empty if that does not have the column."""
    text: Callable[[Row], str | None]
    """The text of a row in it; None if it has nothing to say there."""
    on_page: str | None = None
    """The heading on a page and in Markdown, if it is another; empty if these do not have it."""
    text_on_page: Callable[[Row], str | None] | None = None
    """The text of a row in it on a page, if that is another."""
    fields: Mapping[str, Callable[[Row], Any]] = field(default_factory=dict)
    """The columns of CSV that say the same."""
    meaning: str = ""
    """Its meaning, in sentences for a page."""
    sort: Literal["up", "down"] = "down"
    """Which way a page sorts by it first."""
    spare: int = 0
    """In a narrow terminal the column of the lowest number is left out first; 0 stays."""
    is_name: bool = False
    """Whether it is the name of the row, which is cut where there is no room."""

    @property
    def words(self) -> str:
        """The heading in one line."""
        return self.heading.strip().replace("-|", "").replace("|", " ")

    @property
    def page_heading(self) -> str:
        if self.on_page is not None:
            return self.on_page
        return (self.words[:1].upper() + self.words[1:]).replace("'", "’")

    @property
    def key(self) -> str:
        """Which column it is, for a page."""
        return next(iter(self.fields), "")

    def page_text(self, row: Row) -> str:
        text = (self.text_on_page or self.text)(row)
        return "–" if text is None else text


def on_page(columns: Iterable[Column[Row]]) -> list[Column[Row]]:
    """The columns that a page has."""
    return [column for column in columns if column.page_heading]


def terminal_table(
    columns: Sequence[Column[Row]], rows: Sequence[Row], width: int | None, colour: bool
) -> tuple[list[str], list[str]]:
    """A table in lines that fit, as far as names can be cut, and the columns that are left out;
    without a ``width`` all of it."""
    shown = [column for column in columns if column.heading]
    grid = [[column.heading.rpartition("|")[0] for column in shown]]
    grid.append([column.heading.rpartition("|")[2] for column in shown])
    grid += [[_or(column.text(row), "-") for column in shown] for row in rows]
    grid = grid if any(grid[0]) else grid[1:]
    names = next(place for place, column in enumerate(shown) if column.is_name)
    widths = [max(map(cells, column)) + 1 for column in zip(*grid, strict=True)]
    widths[0] -= 1  # no gap before the first
    widths[names] = min(widths[names], SHORTEST_NAME + bool(names))
    least = sorted((column.spare, place) for place, column in enumerate(shown) if column.spare)
    fits = fitting_columns(widths, [place for _, place in least], width)
    lines = aligned(
        [[row[place] for place in fits] for row in grid],
        width,
        colour,
        names=fits.index(names),
        headings=len(grid) - len(rows),
    )
    missing = [column.words for place, column in enumerate(shown) if place not in fits]
    return [*lines], missing


def aligned(
    grid: Sequence[Sequence[str]],
    width: int | None,
    colour: bool,
    *,
    names: int = 1,
    headings: int = 1,
) -> Iterator[str]:
    """The rows with all but the column of ``names`` at the right; names are cut to what is left."""
    widths = [max(map(cells, column)) for column in zip(*grid, strict=True)]
    rest, gaps = sum(widths) - widths[names], len(widths) - 1
    gap = 2 if width is None or rest + widths[names] + 2 * gaps <= width else 1
    if width is not None:
        widths[names] = min(widths[names], max(SHORTEST_NAME, width - rest - gap * gaps))
    for number, row in enumerate(grid):
        placed = [right(text, wide) for text, wide in zip(row, widths, strict=True)]
        placed[names] = left(row[names], widths[names])
        line = (" " * gap).join(placed).rstrip()
        yield paint(line, Style.DIM, colour) if number < headings else line


def markdown_table(columns: Iterable[Column[Row]], rows: Iterable[Row]) -> str:
    """The table of a page in Markdown; what would be a mark there is escaped in names."""
    shown = on_page(columns)
    lines = [
        [column.page_heading for column in shown],
        [":--" if column.is_name else "--:" for column in shown],
    ]
    for row in rows:
        texts = ((column, column.page_text(row)) for column in shown)
        lines.append([_escaped(text) if column.is_name else text for column, text in texts])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def csv_table(columns: Iterable[Column[Row]], rows: Iterable[Row]) -> str:
    """A table for a spreadsheet: a line of names, and a line a row."""
    fields = {name: value for column in columns for name, value in column.fields.items()}
    return comma_separated([fields, *([value(row) for value in fields.values()] for row in rows)])


def fitting_columns(
    widths: Sequence[int], least_wanted: Sequence[int], width: int | None
) -> list[int]:
    """The columns that fit, by their places: of those in ``least_wanted``, the first are left out
    first. ``widths`` are the cells that each takes with its gap; without a ``width`` all fit."""
    places = set(range(len(widths)))
    for place in least_wanted:
        if width is None or sum(widths[place] for place in places) <= width:
            break
        places.discard(place)
    return sorted(places)


def left_out(names: Collection[str], width: int, colour: bool) -> list[str]:
    """The line that says what a table has no room for; none where it has all."""
    if not names:
        return []
    said = f"No room here for {', '.join(names)}: a wider terminal, or a file, has them all."
    return [paint(line, Style.DIM, colour) for line in wrap(said, width=width)]


def _escaped(text: str) -> str:
    """A stranger's text, without a mark in Markdown."""
    return _PUNCTUATION.sub(r"\\\1", clean(text))


def _or(text: str | None, nothing: str) -> str:
    return nothing if text is None else text
