"""How records and tables show themselves in a notebook.

`GameRecord` and `Standings` belong to rooms that show nothing, so they get `_repr_html_` here.
"""

from __future__ import annotations

import csv
from html import escape

from judge.contest.standings.standings import Standings
from judge.documents.game import GameRecord

_FRAME = '<iframe srcdoc="{}" style="width: 100%; height: 560px; border: 0"></iframe>'


def game(record: GameRecord) -> str:
    """An HTML frame with the page of a game, whose boards can be stepped through."""
    from judge.show.pages.page import page

    return _FRAME.format(escape(page(record)))


def table(found: Standings) -> str:
    """An HTML table of the standings, with the rows of their CSV."""
    from judge.show.standings import as_csv

    head, *rows = csv.reader(as_csv(found).splitlines())
    cells = [_row("th", head), *(_row("td", row) for row in rows)]
    return f"<table>{''.join(cells)}</table>"


def _row(tag: str, cells: list[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


GameRecord._repr_html_ = game  # type: ignore[attr-defined]
Standings._repr_html_ = table  # type: ignore[attr-defined]
