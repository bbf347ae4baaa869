"""Columns that are declared once for a terminal, Markdown, CSV and a page, and tables made of them.
Rows as CSV, in which a spreadsheet takes no cell for a formula.

Pure. A table too wide for its terminal leaves out the columns that are wanted least. `left_out`
names these columns.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from judge.show.text import WIDTH, Style, cells, clean, left, paint, painted, right, wrap

Row = TypeVar("Row")

SHORTEST_NAME = 8  # cells
ANY = 10**6  # cells, where nothing says how many there are
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of a table whose rows are of one type."""

    heading: str
    """The heading in a terminal; ``|`` begins the second line of a heading. Empty if a terminal
    does not have the column."""
    text: Callable[[Row], str | None]
    """The text of a row in this column; None if the row has no value."""
    on_page: str | None = None
    """The heading on a page and in Markdown. None stands for the terminal's heading; empty if a
    page and Markdown leave out the column."""
    text_on_page: Callable[[Row], str | None] | None = None
    """The text of a row on a page and in Markdown; None stands for ``text``."""
    fields: Mapping[str, Callable[[Row], Any]] = field(default_factory=dict)
    """The CSV columns with the same data: the name of each, with a function from a row to the
    value."""
    meaning: str = ""
    """The meaning of the column, in sentences for a page."""
    sort: Literal["up", "down"] = "down"
    """The direction in which a page first sorts by the column."""
    spare: int = 0
    """A terminal that is too narrow leaves out the column with the lowest number first. A column
    with 0 is never left out."""
    is_name: bool = False
    """Whether the column has names, which are strangers' text and are escaped in Markdown. A
    terminal's table puts the first such column at the left and cuts its names to fit."""

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
        """The key of the column on a page: the name of its first CSV column; empty without one."""
        return next(iter(self.fields), "")

    def page_text(self, row: Row) -> str:
        text = (self.text_on_page or self.text)(row)
        return "–" if text is None else text


def on_page(columns: Iterable[Column[Row]]) -> list[Column[Row]]:
    """The columns that have a heading on a page."""
    return [column for column in columns if column.page_heading]


def terminal_table(
    columns: Sequence[Column[Row]],
    rows: Sequence[Row],
    width: int | None,
    colour: bool,
    below: Callable[[Row], str] = lambda _: "",
) -> tuple[list[str], list[str]]:
    """The lines of a table, and the headings of the columns that it leaves out to fit ``width``.
    Names are cut to fit. Without a ``width`` nothing is left out or cut. The text that ``below``
    gives for a row stands under the row's name."""
    shown = [column for column in columns if column.heading]
    grid = [[column.heading.rpartition("|")[0] for column in shown]]
    grid.append([column.heading.rpartition("|")[2] for column in shown])
    grid += [[_or(column.text(row), "-") for column in shown] for row in rows]
    grid = grid if any(grid[0]) else grid[1:]
    names = next(place for place, column in enumerate(shown) if column.is_name)
    widths = [max(map(cells, column)) + 1 for column in zip(*grid, strict=True)]
    widths[0] -= 1  # no gap before the first column
    widths[names] = min(widths[names], SHORTEST_NAME + bool(names))
    least = sorted((column.spare, place) for place, column in enumerate(shown) if column.spare)
    fits = fitting_columns(widths, [place for _, place in least], width)
    lines = aligned(
        [[row[place] for place in fits] for row in grid],
        width,
        colour,
        names=fits.index(names),
        headings=len(grid) - len(rows),
        below=[*map(below, rows)],
    )
    missing = [column.words for place, column in enumerate(shown) if place not in fits]
    return [*lines], missing


def told_table(
    columns: Sequence[Column[Row]],
    rows: Sequence[Row],
    width: int | None,
    colour: bool,
    below: Callable[[Row], str] = lambda _: "",
) -> list[str]:
    """The lines of `terminal_table`, and those that name the columns without room."""
    lines, missing = terminal_table(columns, rows, width, colour, below)
    return [*lines, *left_out(missing, width or WIDTH, colour)]


def aligned(
    grid: Sequence[Sequence[str]],
    width: int | None,
    colour: bool,
    *,
    names: int,
    headings: int,
    below: Sequence[str],
) -> Iterator[str]:
    """The rows as lines. Cells stand at the right of their columns, but names, the cells of the
    column ``names``, at the left. Names are cut to fit ``width``, to `SHORTEST_NAME` cells at
    least. The first ``headings`` rows are headings; the texts ``below`` stand under the other rows'
    names."""
    widths = [max(map(cells, column)) for column in zip(*grid, strict=True)]
    rest, gaps = sum(widths) - widths[names], len(widths) - 1
    gap = 2 if width is None or rest + widths[names] + 2 * gaps <= width else 1
    if width is not None:
        widths[names] = min(widths[names], max(SHORTEST_NAME, width - rest - gap * gaps))
    indent = " " * (sum(widths[:names]) + gap * names)
    for number, row in enumerate(grid, -headings):
        placed = [right(text, wide) for text, wide in zip(row, widths, strict=True)]
        placed[names] = left(row[names], widths[names])
        line = (" " * gap).join(placed).rstrip()
        yield paint(line, Style.DIM, colour) if number < 0 else line
        for text in wrap(below[number], indent, width or ANY) if number >= 0 else ():
            yield paint(text, Style.DIM, colour)


def markdown_table(columns: Iterable[Column[Row]], rows: Iterable[Row]) -> str:
    """A table in Markdown with the columns of a page. Punctuation in names is escaped."""
    shown = on_page(columns)
    lines = [
        [column.page_heading for column in shown],
        [":--" if column.is_name else "--:" for column in shown],
    ]
    for row in rows:
        texts = ((column, column.page_text(row)) for column in shown)
        lines.append([escaped(text) if column.is_name else text for column, text in texts])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def csv_table(columns: Iterable[Column[Row]], rows: Iterable[Row]) -> str:
    """A table as CSV: a line with the names of columns, and a line for each row."""
    fields = {name: value for column in columns for name, value in column.fields.items()}
    return comma_separated([fields, *([value(row) for value in fields.values()] for row in rows)])


def fitting_columns(
    widths: Sequence[int], least_wanted: Sequence[int], width: int | None
) -> list[int]:
    """The indexes of the columns to show in ``width`` cells. ``least_wanted`` has the indexes of
    the columns that may be left out, the first to go first; all others stay. ``widths`` has the
    cells of each column with its gap. Without a ``width`` all columns stay."""
    places = set(range(len(widths)))
    for place in least_wanted:
        if width is None or sum(widths[place] for place in places) <= width:
            break
        places.discard(place)
    return sorted(places)


def left_out(names: Collection[str], width: int, colour: bool) -> list[str]:
    """The lines that name the columns without room in a table; empty if the table has all
    columns."""
    if not names:
        return []
    said = f"No room here for {', '.join(names)}: a wider terminal, or a file, has them all."
    return painted(said, Style.DIM, colour, width)


def escaped(text: str) -> str:
    """A stranger's text with the punctuation of Markdown escaped."""
    return _PUNCTUATION.sub(r"\\\1", clean(text))


def _or(text: str | None, nothing: str) -> str:
    return nothing if text is None else text


# CSV


def comma_separated(rows: Iterable[Iterable[object]]) -> str:
    """A line of CSV for each row. None becomes an empty cell.

    Texts are cleaned. A text that could be a formula, or that begins with a ``'``, gets a ``'``
    before it. Some spreadsheets also divide a cell at a ``;`` or a ``|``. A text behind such a sign
    gets a ``'``, too, if it could be a formula.
    """
    lines = _Lines()
    csv.writer(lines, lineterminator="\n").writerows([_as_text(one) for one in row] for row in rows)
    return "".join(lines)


# The first characters of a formula in one spreadsheet or another. Some spreadsheets take the wide
# forms, and some ignore white space before a formula.
_FORMULA = tuple("=+-@'＝＋－＠")


# A tab has become spaces. A divided cell may begin with quotes.
_IN_A_CELL = re.compile(r"""([;|]\s*+"?+\s*+)(['=+\-@＝＋－＠])""")


def _as_text(value: object) -> object:
    """A value as a cell. Only a text is made safe, since numbers are the judge's own."""
    if not isinstance(value, str):
        return value
    text = clean(value)
    text = _IN_A_CELL.sub(r"\1'\2", text)
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text


class _Lines(list[str]):
    """A list that a csv writer can write its lines to."""

    def write(self, line: str) -> None:
        self.append(line)
