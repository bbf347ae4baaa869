"""Fleets of the first game as bits, all of them on a board, and what shots at one are told."""

from functools import cache
from itertools import product

from bundled import load

LINES = load("exact").LINES
EVERYWHERE = 2**64 - 1
Fleet = tuple[int, int, int, int]  # the cells of the ships of 2, 3, 4 and 5, a bit each
Shots = list[tuple[int, int]]  # (cell, result) in order, with 4 for a hit that sinks
Sinkings = dict[int, tuple[int, int]]  # by size: the sinking hit, and all hits up to it


def corner(side: int) -> int:
    """The cells of a smaller board within the grid."""
    return sum(1 << 8 * column + row for column in range(side) for row in range(side))


def union(fleet: Fleet) -> int:
    return fleet[0] | fleet[1] | fleet[2] | fleet[3]


def enumerate_fleets(board: int, missed: int = 0) -> list[Fleet]:
    """All fleets on the board that avoid these cells."""
    choices = [[line for line in LINES[size] if not line & (missed | ~board)] for size in LINES]
    return [
        (two, three, four, five)
        for five, four in product(choices[3], choices[2])
        if not five & four
        for three in choices[1]
        if not three & (five | four)
        for two in choices[0]
        if not two & (five | four | three)
    ]


@cache
def all_fleets(side: int) -> list[Fleet]:
    return enumerate_fleets(corner(side))


def answers(fleet: Fleet, cells: list[int]) -> list[tuple[int, int]]:
    """Result and size sunk (0 for none) of each shot at the fleet."""
    told, hit = [], 0
    for cell in cells:
        hit |= 1 << cell & union(fleet)
        struck = [line for line in fleet if line >> cell & 1]
        sunk = [line.bit_count() for line in struck if not line & ~hit]
        told.append((4, sunk[0]) if sunk else (3, 0) if struck else (1, 0))
    return told


def told_of(fleet: Fleet, cells: list[int], dialect: str) -> tuple[Shots, list[int]]:
    """The shots and the sizes destroyed as foresight is told of them."""
    results = answers(fleet, cells)
    hit = 4 if dialect == "engine" else 3
    shots = [(cell, min(result, hit)) for cell, (result, _) in zip(cells, results, strict=True)]
    return shots, [size for _, size in results if size]


def true_sinkings(fleet: Fleet, cells: list[int]) -> Sinkings:
    found, hit = {}, 0
    for cell, (_, size) in zip(cells, answers(fleet, cells), strict=True):
        hit |= 1 << cell & union(fleet)
        if size:
            found[size] = 1 << cell, hit
    return found
