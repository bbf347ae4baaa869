"""Rows as CSV: how cells are quoted, and none that a spreadsheet takes for a formula."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable

from judge.show.text import clean


def comma_separated(rows: Iterable[Iterable[object]]) -> str:
    """Lines for a spreadsheet, a row each; None is nothing.

    A text is clean, and one that a spreadsheet could take for a formula has a ``'`` before it, as
    has one that begins with a ``'``: without that one character it is the clean text again. The
    text after a ``;`` or a ``|`` is looked at as well, for some spreadsheets part cells there; if
    it could be a formula, the ``'`` stands behind that sign.
    """
    lines = _Lines()
    csv.writer(lines, lineterminator="\n").writerows([_as_text(one) for one in row] for row in rows)
    return "".join(lines)


# With which a cell is a formula to one spreadsheet or another; some take the wide forms as well,
# and some leave white space before it out.
_FORMULA = tuple("=+-@'＝＋－＠")


# A tab has become spaces. The quotes are those that a cell of its own would begin with.
_IN_A_CELL = re.compile(r"""([;|]\s*+"?+\s*+)(['=+\-@＝＋－＠])""")


def _as_text(value: object) -> object:
    """A cell; numbers are the judge's own."""
    if not isinstance(value, str):
        return value
    text = clean(value)
    text = _IN_A_CELL.sub(r"\1'\2", text)
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text


class _Lines(list[str]):
    """The file of a csv writer."""

    def write(self, line: str) -> None:
        self.append(line)
