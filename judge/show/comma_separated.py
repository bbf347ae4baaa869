"""Rows as CSV, in which a spreadsheet takes no cell for a formula."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable

from judge.show.text import clean


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
