"""All placements of a ship, all fleets of a board, and fleets drawn at random."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from random import Random

from judge.documents.rules import Cell, Fleet, Orientation, Rules, Ship
from judge.errors import UsageError


@lru_cache(maxsize=256)
def placements(columns: int, rows: int, length: int) -> tuple[Ship, ...]:
    """All placements of a ship of this length on an empty board: first the horizontal ones, then
    the vertical ones, both column by column. A ship of length 1 is horizontal only."""
    return tuple(
        Ship(length, column, row, orientation)
        for orientation in (Orientation if length > 1 else (Orientation.HORIZONTAL,))
        for column in range(columns - (length - 1) * (orientation is Orientation.HORIZONTAL))
        for row in range(rows - (length - 1) * (orientation is Orientation.VERTICAL))
    )


def every_fleet(rules: Rules) -> Iterator[Fleet]:
    """Yield every legal fleet of rules whose ship lengths are fixed or drawn already. A fleet in
    which two ships of equal length swap places is another fleet."""
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


MOST_TRIES = 200_000  # ships that `_search` tries, which takes about a second


def random_fleet(rules: Rules, rng: Random) -> Fleet:
    """Draw a legal fleet. All legal fleets are equally likely, unless the board is very full.

    All ships are drawn independently, and a fleet with an overlap is thrown away whole: this keeps
    the distribution uniform. After 1,000 draws with overlaps a random search takes over, whose
    fleets are not uniformly distributed.

    Raises `UsageError` if the search finds no fleet.
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
    """The first fleet without an overlap, with one ship of each of the ``options``, or None if no
    fleet fits or ``budget`` is used up."""
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
