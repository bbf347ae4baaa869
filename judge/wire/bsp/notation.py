"""The parts of BSP lines: players, cells and fleets."""

from __future__ import annotations

from judge.documents.rules import Cell, Fleet

PLAYERS = "AB"
LONGEST = 1024  # bytes of a line that is read to its end
CELL = "([A-J])(10|[1-9])"  # as a pattern: its row and its column
SHIP_NAMES = {5: "carrier", 4: "battleship", 3: "cruiser", 2: "destroyer", 1: "submarine"}
_ROWS = "ABCDEFGHIJ"


def fleet_text(fleet: Fleet) -> str:
    """A fleet as the server tells it to its owner: the longest ships first, each with its cells."""
    ships = sorted(fleet, key=lambda ship: -ship.length)
    return "".join(
        f"{SHIP_NAMES[ship.length]}:{' '.join(map(cell_text, ship.cells))};" for ship in ships
    )


def cell_text(cell: Cell) -> str:
    return f"{_ROWS[cell.row]}{cell.column + 1}"


def cell_of(row: str, column: str) -> Cell:
    """The cell that a row's letter and a column's number name."""
    return Cell(int(column) - 1, _ROWS.index(row))
