"""Every place for a ship, and legal fleets drawn at random."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from random import Random

from judge.documents.rules import Cell, Fleet, Orientation, Rules, Ship
from judge.errors import UsageError


@lru_cache(maxsize=256)
def placements(columns: int, rows: int, length: int) -> tuple[Ship, ...]:
    """Every place for a ship of this length on an empty board, one orientation after the other,
    each column by column. A ship of length 1 has one orientation."""
    return tuple(
        Ship(length, column, row, orientation)
        for orientation in (Orientation if length > 1 else (Orientation.HORIZONTAL,))
        for column in range(columns - (length - 1) * (orientation is Orientation.HORIZONTAL))
        for row in range(rows - (length - 1) * (orientation is Orientation.VERTICAL))
    )


def every_fleet(rules: Rules) -> Iterator[Fleet]:
    """Every legal fleet of drawn rules, one by one; ships of equal length are told apart."""
    options = [placements(rules.columns, rules.rows, length) for length in rules.lengths]

    def beside(taken: frozenset[Cell], number: int) -> Iterator[Fleet]:
        if number == len(options):
            yield ()
            return
        for ship in options[number]:
            if taken.isdisjoint(ship.cells):
                for others in beside(taken.union(ship.cells), number + 1):
                    yield (ship, *others)

    return beside(frozenset(), 0)


MOST_TRIES = 200_000  # ships that the search for a fleet lays down: it takes a second


def random_fleet(rules: Rules, rng: Random) -> Fleet:
    """Draw a legal fleet, all of them equally likely.

    Ships are drawn independently and a fleet with an overlap is thrown away whole: only so is the
    joint distribution uniform. On a board so full that almost every draw overlaps, a random search
    takes over that finds a fleet if one exists; then it is no longer uniform.

    Raises `UsageError` if the board cannot hold the fleet.
    """
    options = [placements(rules.columns, rules.rows, length) for length in rules.lengths]
    for _ in range(1000):
        fleet = tuple([rng.choice(ships) for ships in options])
        if len({cell for ship in fleet for cell in ship.cells}) == sum(rules.lengths):
            return fleet
    order = sorted(range(len(options)), key=lambda i: -rules.lengths[i])
    budget = iter(range(MOST_TRIES))
    found = _search([rng.sample(options[i], len(options[i])) for i in order], frozenset(), budget)
    if found is None and next(budget, None) is None:
        raise UsageError(
            f"rules {rules.name!r}: the fleet fills the board so far that no place for all ships was "
            f"found in {MOST_TRIES:,} tries; give it fewer ships or a larger board"
        )
    if found is None:
        raise UsageError(f"rules {rules.name!r}: the board cannot hold the fleet without overlaps")
    placed = dict(zip(order, found, strict=True))
    return tuple(placed[i] for i in range(len(options)))


def _search(
    options: list[list[Ship]], taken: frozenset[Cell], budget: Iterator[int]
) -> Fleet | None:
    """The first fleet without an overlap; None if no fleet fits, or the budget does not allow
    another try."""
    if not options:
        return ()
    for ship in options[0]:
        if next(budget, None) is None:
            return None
        cells = taken.union(ship.cells)
        if len(cells) == len(taken) + ship.length:
            rest = _search(options[1:], cells, budget)
            if rest is not None:
                return (ship, *rest)
    return None
