"""Reads and writes cells as the players of each network game write them."""

from __future__ import annotations

import re
from string import ascii_letters, ascii_lowercase

from judge.documents.rules import Cell, Orientation, Rules, Ship
from judge.join.address import Game
from judge.show.board import Rulers
from judge.wire.xbs.notation import CELLS

_LETTERED = re.compile(r"([A-Za-z])\s*([0-9]{1,2})")
_NUMBERED = re.compile(r"([0-9]{1,3})\s*,\s*([0-9]{1,3})")
_WAYS = {
    **dict.fromkeys(("h", "e", "east", "horizontal"), Orientation.HORIZONTAL),
    **dict.fromkeys(("v", "s", "south", "vertical"), Orientation.VERTICAL),
}


def rulers(game: Game, rules: Rules) -> Rulers:
    return Rulers.of_bsp(rules) if game.rows_have_letters else Rulers.named(CELLS, rules)


def named(cell: Cell, game: Game, rules: Rules) -> str:
    return rulers(game, rules).cell(cell)


def cell(text: str, game: Game, rules: Rules) -> Cell | None:
    """The cell that a text names; `Cell(-1, -1)` if the cell is off the board; None if the text is
    not a cell's name."""
    if found := _LETTERED.fullmatch(text):
        letter, number = ascii_lowercase.index(found[1].lower()), int(found[2]) - 1
        written = Cell(number, letter) if game.rows_have_letters else Cell(letter, number)
    elif (found := _NUMBERED.fullmatch(text)) and not game.rows_have_letters:
        written = Cell(int(found[1]) - 1, int(found[2]) - 1)
    else:
        return None
    return written if rules.on_grid(written) else Cell(-1, -1)


def ship(text: str, length: int, game: Game, rules: Rules) -> Ship | None:
    """The ship of this length that a text describes: ``e5h`` lies from e5 to the right, ``e5v``
    from e5 down. The ship may lie off the board. None for any other text."""
    text = text.strip()
    where = text.rstrip(ascii_letters)
    way = _WAYS.get(text[len(where) :].lower())
    first = cell(where.rstrip(), game, rules) if way else None
    return Ship(length, first.column, first.row, way) if first and way else None
