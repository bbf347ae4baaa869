"""Reads moves and fleets that a person types. A fleet may also come from a file, or be drawn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from string import ascii_uppercase

from msgspec import UNSET
from msgspec.structs import replace

from judge.cli.values.files import bytes_in
from judge.documents.rules import Cell, Fleet, Orientation, Rules, Ship
from judge.errors import BadOutput, IllegalFleet, UsageError
from judge.game.fleets import random_fleet
from judge.show.board import cell_name, is_lettered
from judge.show.text import many
from judge.wire import WIRES
from judge.wire.messages import AskFleet, GameStart, Placed

RANDOM = "random"
LONGEST_FILE = 2**16
_HELP = """\
{first:<14}the left or top cell of that ship, and v down or h to the right
{{"2":…}}       the whole fleet, as a bot would reply it
random        a fleet by luck
help, quit    say this, leave"""
_HELP_OF_SHOTS = """\
{one:<14}shoot at {what}{reply}
{volley:<14}a volley, where several shots are due: as many cells as are due"""

LONGEST_PLACE = 100  # characters; a longer text is neither a cell nor a ship
_SHIP = re.compile(r"(.*?\d)\s*(\D*)")
_CELL = re.compile(r"(\d)\s*(\d)|(\d+)\s*[,;: ]\s*(\d+)", re.ASCII)
_LETTERED = re.compile(r"([A-Za-z])\s*([1-9]\d?)", re.ASCII)
_WAYS = {
    "": None,
    **dict.fromkeys(("h", "horizontal", "-", "→"), Orientation.HORIZONTAL),
    **dict.fromkeys(("v", "vertical", "|", "↓"), Orientation.VERTICAL),
}


def cell(text: str, rules: Rules) -> Cell | None:
    """Return the cell that is written as two digits, or as two numbers with a comma or the like. If
    the rules' players name cells by letters, the cell is a letter and a number. Returns None for
    any other text."""
    lettered = is_lettered(rules)
    written = _LETTERED if lettered else _CELL
    match = written.fullmatch(text.strip()) if len(text) <= LONGEST_PLACE else None
    if match is None:
        return None
    if lettered:
        return Cell(ascii_uppercase.index(match[1].upper()), int(match[2]) - 1)
    column, row, *_ = [int(digits) for digits in match.groups() if digits is not None]
    return Cell(column, row)


def volley(text: str, due: int, rules: Rules) -> tuple[Cell, ...]:
    """Return the ``due`` cells of a move, such as ``34 35 36``. Raises ValueError for another
    number of cells, or for another text."""
    example = [cell_name(Cell(3, row), rules) for row in (4, 5)]
    if due == 1:
        one = cell(text, rules)
        if one is None:
            raise ValueError(
                f"{text!r} is not a cell, such as {example[0]}; help says what else can be typed"
            )
        return (one,)
    found = []
    for word in text.split():
        one = cell(word, rules)
        if one is None:
            raise ValueError(
                f"{word!r} is not a cell; a volley is {due} cells with a blank between, such as "
                f"{' '.join(example)}"
            )
        found.append(one)
    if len(found) != due:
        raise ValueError(f"{many(due, 'shot')} are due, and this is {many(len(found), 'cell')}")
    return tuple(found)


def ship(text: str, length: int, rules: Rules) -> Ship:
    """Return the ship of this length that was typed, such as ``34h`` or ``3,4 v``. Raises
    ValueError if the text is not a cell with a direction; a ship of length 1 needs no direction."""
    match = _SHIP.fullmatch(text.strip()) if len(text) <= LONGEST_PLACE else None
    where = match and cell(match[1], rules)
    way = _WAYS.get(match[2].strip().lower(), "") if match else ""
    if length == 1 and way is None:
        way = Orientation.HORIZONTAL
    if not where or not isinstance(way, Orientation):
        raise ValueError(
            f"{text!r} is not a place for a ship: its left or top cell and h or v, such as "
            f"{cell_name(Cell(0, 0), rules)}v"
        )
    return Ship(length, where.column, where.row, way)


def in_brief(rules: Rules) -> str:
    """Say in a line how ships are placed."""
    first = f"{cell_name(Cell(0, 0), rules)}v"
    return (
        f"Place each ship by its top or left cell and h or v, as {first}; random places them all. "
        "help says more."
    )


def help_(rules: Rules) -> str:
    """Return the help on typing a fleet."""
    return _HELP.format(first=f"{cell_name(Cell(0, 0), rules)}v")


def help_of_shots(rules: Rules, reply: str = "") -> str:
    """Return the help on typing shots. ``reply`` names a further way to type one."""
    named = [cell_name(Cell(3, row), rules) for row in (4, 5, 6)]
    what = "a cell: its letter and its number" if is_lettered(rules) else "column 3, row 4"
    return _HELP_OF_SHOTS.format(one=named[0], what=what, reply=reply, volley=" ".join(named))


def taken(ships: list[Ship], length: int) -> Ship:
    """Remove a ship of this length from ``ships``, and return the ship."""
    return ships.pop(next(place for place, ship in enumerate(ships) if ship.length == length))


def require_room(rules: Rules, ships: Sequence[Ship]) -> None:
    """Raise `IllegalFleet` if these ships, perhaps a part of a fleet, cannot lie where they are."""
    lengths = tuple(ship.length for ship in ships)
    replace(rules, fleet=lengths, draw=UNSET).check_fleet(tuple(ships))


def parsed(text: str, rules: Rules, wire: str) -> Fleet:
    """Return the fleet in a reply of the protocol ``wire``. Raises `BadOutput` if the text cannot
    be read as a fleet. Raises `IllegalFleet` if the rules do not allow the fleet."""
    ear = WIRES[wire](rules, 0, WIRES[wire].dialects[0])
    ear.send(GameStart(0, ("you", "opponent"), rules, None, None, 0))
    ear.send(AskFleet())
    ear.receive_data(text.encode(errors="replace"))
    ear.receive_data(b"")
    placed = ear.next_event()
    assert isinstance(placed, Placed), "what a wire hears to this question"
    rules.check_fleet(placed.fleet)
    return placed.fleet


def from_file(path: Path, rules: Rules, wire: str) -> Fleet:
    """Read the fleet in a file. Raises `UsageError` if the file cannot be read or holds no legal
    fleet."""
    data = bytes_in(path, "fleet", LONGEST_FILE)
    try:
        return parsed(data.decode("utf-8", "surrogateescape"), rules, wire)
    except (BadOutput, IllegalFleet) as error:
        said = str(error).replace("the reply", "the file").replace("replied", "it holds")
        raise UsageError(f"{path} is not a fleet of these rules: {said}") from None


def named(fleet: Fleet, rules: Rules) -> str:
    """Describe a fleet in a line, such as ``2 at 00v, 3 at 34h``."""
    return ", ".join(
        f"{ship.length} at {cell_name(ship.cells[0], rules)}{ship.orientation[0]}" for ship in fleet
    )


def drawn(rules: Rules, seed: int) -> Fleet:
    """Draw a fleet by the seed."""
    return random_fleet(rules, Random(seed))
