"""How the players of each network game write cells, and how boards are labelled for them.

At Xterm Boat Sinker a cell is its column's letter and its row's number, ``e5``, or two numbers from
1, ``5,5``, the column first. At BSP it is its row's letter and its column's number, ``C5``.
"""

from __future__ import annotations

import re
from string import ascii_letters, ascii_lowercase, ascii_uppercase

from judge.game.rules import Cell, Orientation, Rules, Ship
from judge.join.address import Game
from judge.show.board import Rulers

_LETTERED = re.compile(r"([A-Za-z])\s*([0-9]{1,2})")
_NUMBERED = re.compile(r"([0-9]{1,3})\s*,\s*([0-9]{1,3})")
_WAYS = {
    **dict.fromkeys(("h", "e", "east", "horizontal"), Orientation.HORIZONTAL),
    **dict.fromkeys(("v", "s", "south", "vertical"), Orientation.VERTICAL),
}


def rulers(game: Game, rules: Rules) -> Rulers:
    numbers = [str(number) for number in range(1, max(rules.columns, rules.rows) + 1)]
    if game.rows_have_letters:
        return Rulers(numbers[: rules.columns], ascii_uppercase[: rules.rows])
    letters = ascii_lowercase if rules.columns <= len(ascii_lowercase) else numbers
    return Rulers(letters[: rules.columns], numbers[: rules.rows])


def named(cell: Cell, game: Game, rules: Rules) -> str:
    labels = rulers(game, rules)
    column, row = labels.columns[cell.column], labels.rows[cell.row]
    if game.rows_have_letters:
        return f"{row}{column}"
    return f"{column}{row}" if column.isalpha() else f"{column},{row}"


def cell(text: str, game: Game, rules: Rules) -> Cell | None:
    """The cell that is written so, which may lie off the board; None if none is."""
    if found := _LETTERED.fullmatch(text):
        letter, number = ascii_lowercase.index(found[1].lower()), int(found[2]) - 1
        written = Cell(number, letter) if game.rows_have_letters else Cell(letter, number)
    elif (found := _NUMBERED.fullmatch(text)) and not game.rows_have_letters:
        written = Cell(int(found[1]) - 1, int(found[2]) - 1)
    else:
        return None
    return written if rules.on_grid(written) else Cell(-1, -1)


def ship(text: str, length: int, game: Game, rules: Rules) -> Ship | None:
    """A ship of this length whose first cell, and whose way from there, are written so: ``e5h`` to
    the right, ``e5v`` down. None if none is."""
    text = text.strip()
    where = text.rstrip(ascii_letters)
    way = _WAYS.get(text[len(where) :].lower())
    first = cell(where.rstrip(), game, rules) if way else None
    return Ship(length, first.column, first.row, way) if first and way else None
