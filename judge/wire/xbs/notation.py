"""The parts of XBS lines: fields, names, boards, shots, and the line that describes a table.

Functions that read raise `ValueError` with a sentence for text that is not valid.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from string import ascii_lowercase

from msgspec.structs import replace

from judge.documents.rules import Cell, Fleet, Orientation, Rules, Ship
from judge.errors import UsageError
from judge.game.variants import XBS
from judge.wire.interface import CellNames
from judge.wire.messages import Lobby

LONGEST = 4095  # bytes of a line, with its line feed
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVW"  # letters of ships
SHIP_LENGTHS = range(2, 9)
MOST_SIDE = 22  # squares that published programs can show
UNKNOWN, HIT, MISS = ".", "X", "0"

# The refusals of the published table, word for word.
UNREADABLE = "protocol error"
NOT_STARTED = "game hasn't started"
NOT_YOUR_TURN = "it is not your turn!"
NO_TARGET = "invalid target player name"
YOURSELF = "don't shoot at yourself stupid!"
NO_COORDINATES = "illegal coordinates"
SHOT_BEFORE = "that spot has already been shot"
REFUSALS = frozenset({NOT_STARTED, NOT_YOUR_TURN, NO_TARGET, YOURSELF, NO_COORDINATES, SHOT_BEFORE})

CELLS = CellNames(ascii_lowercase, first=1)
"""Players write cells as in ``e5``."""

_BLANKS = " \t\n\v\f\r"  # stripped from both ends of every field
_RESERVED = frozenset({"server", "all", "you", "me", "new"})
_NOT_IN_NAMES = re.compile(r"[<>\[\]{}()|\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_NOT_IN_WORDS = re.compile(r"[|\x00-\x1f\x7f]")
_NUMBER = re.compile(r"\+?[0-9]{1,9}")
_SHIP = re.compile("([A-W])([0-9]{1,2})")
_VERSION = re.compile(r"[0-9.]+")


def fields(line: bytes) -> list[str]:
    """The fields of a line, each stripped of white space. A NUL ends the line."""
    text = line.partition(b"\0")[0].decode("utf-8", "surrogateescape")
    return [field.strip(_BLANKS) for field in text.split("|")]


def encoded(line: str) -> bytes:
    """A line as bytes with a line feed. Bytes that came and were not UTF-8 are sent unchanged."""
    return line.encode("utf-8", "surrogateescape") + b"\n"


def padded(values: Sequence[str], count: int) -> list[str]:
    """The first ``count`` values, filled up with empty ones."""
    return [*values, *[""] * count][:count]


def words(text: str) -> str:
    """Text as one value of a line: ``|`` and control characters become spaces."""
    return _NOT_IN_WORDS.sub(" ", text).strip(_BLANKS)


def message_line(sender: str, text: str, group: str = "") -> str:
    """The line with a sender's words. The text is cut so that the line has at most `LONGEST` bytes.
    ``group`` follows the text."""
    text = words(text)
    while len(encoded(line := f"M|{sender}|{text}{group}")) > LONGEST:
        text = text[: len(text) - max(1, (len(encoded(line)) - LONGEST) // 4)]
    return line


def name_flaw(name: str, columns: int | None = None) -> str:
    """Why the table refuses a player's name, in the table's words; empty if it allows the name. If
    ``columns`` is given, a name has at most that many characters."""
    starts_well = name[:1].isascii() and name[:1].isalpha()
    if len(name) < 2 or not starts_well or name.lower() in _RESERVED:
        return "invalid name"
    if _NOT_IN_NAMES.search(name) or name != name.strip():
        return "invalid name"
    if columns is not None and len(name) > columns:
        return "name too long"
    return ""


# Boards


def board_text(fleet: Fleet, rules: Rules, letters: str) -> str:
    """A board that shows the ships of a fleet. ``letters`` name the ships of the rules, in
    order."""
    squares = [UNKNOWN] * (rules.columns * rules.rows)
    free = list(zip(letters, rules.lengths, strict=True))
    for ship in fleet:
        named = next(one for one in free if one[1] == ship.length)
        free.remove(named)
        for cell in ship.cells:
            squares[square(cell, rules)] = named[0]
    return "".join(squares)


def fleet_of(board: str, rules: Rules, letters: str) -> Fleet:
    """The fleet on a board, with the ships in the order of the rules."""
    if len(board) != rules.columns * rules.rows:
        raise ValueError(
            f"a board of {rules.columns}×{rules.rows} has {rules.columns * rules.rows} squares, "
            f"and not {len(board)}"
        )
    if strange := sorted(set(board) - {UNKNOWN, *letters}):
        raise ValueError(f"{strange[0]!r} is neither a dot nor the letter of a ship")
    return tuple(
        _ship(board, letter, length, rules)
        for letter, length in zip(letters, rules.lengths, strict=True)
    )


def _ship(board: str, letter: str, length: int, rules: Rules) -> Ship:
    lie = [cell_at(i, rules) for i, one in enumerate(board) if one == letter]
    if len(lie) == length:
        down = length > 1 and lie[0].column == lie[1].column
        way = Orientation.VERTICAL if down else Orientation.HORIZONTAL
        ship = Ship(length, *lie[0], way)
        if ship.cells == tuple(lie):
            return ship
    raise ValueError(f"ship {letter} is not {length} squares in one straight line")


def square(cell: Cell, rules: Rules) -> int:
    """The index of a cell in a board's text."""
    return cell.row * rules.columns + cell.column


def cell_at(place: int, rules: Rules) -> Cell:
    row, column = divmod(place, rules.columns)
    return Cell(column, row)


def coordinate(cell: Cell) -> str:
    """A cell as in the line of a hit: ``a1``, or ``27,1`` beyond column z."""
    if cell.column < 26:
        return f"{chr(ord('a') + cell.column)}{cell.row + 1}"
    return f"{cell.column + 1},{cell.row + 1}"


@lru_cache(4096)  # of short values: an error is not kept
def shot_cell(column: str, row: str) -> Cell:
    """The cell of a shot from two values of a line. The cell may lie off the board."""
    if not _NUMBER.fullmatch(column) or not _NUMBER.fullmatch(row):
        raise ValueError("a shot's column and row are numbers from 1")
    return Cell(int(column) - 1, int(row) - 1)


# The table


def game_line(lobby: Lobby, version: str) -> str:
    rules = lobby.rules
    ships = [
        f"{letter}{length}" for letter, length in zip(lobby.letters, rules.lengths, strict=True)
    ]
    values = [
        version,
        words(lobby.title),
        "Y" if lobby.is_started else "N",
        *rules.players,
        lobby.joined,
        rules.points_goal,
        rules.columns,
        rules.rows,
        len(ships),
        *ships,
    ]
    return "|".join(["G", *map(str, values)])


def lobby_of(values: Sequence[str]) -> Lobby:
    """The table that the values of a ``G`` line describe."""
    version, title, started, *rest = padded(values, max(len(values), 10))
    if not _VERSION.match(version) or not title or started not in ("Y", "N"):
        raise ValueError("a table has a version, a title, and Y or N")
    least, most, joined, goal, columns, rows, count = [number(text) for text in rest[:7]]
    ships = [_SHIP.fullmatch(text) for text in rest[7 : 7 + count]]
    named = [(ship[1], int(ship[2])) for ship in ships if ship]
    letters = "".join(letter for letter, _ in named)
    if not 0 < count == len(named) == len(set(letters)):
        raise ValueError("a table has ships of different letters, each with its length")
    if columns * rows > LONGEST:
        raise ValueError("a board has no more squares than a line has bytes")
    fleet = tuple(length for _, length in named)
    points = None if goal == sum(fleet) else goal
    try:
        rules = replace(
            XBS, columns=columns, rows=rows, fleet=fleet, players=(least, most), points=points
        )
    except UsageError as error:
        raise ValueError(str(error)) from None
    return Lobby(title, rules, letters, joined, started == "Y")


def number(text: str) -> int:
    """The number in a value: one to nine digits, perhaps after a plus sign."""
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{text!r} is no number")
    return int(text)
