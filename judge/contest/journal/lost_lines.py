"""What ``X.json`` knows and its journal has no longer: lines are gone from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from judge.contest.journal.index import fits
from judge.contest.journal.orders import Order
from judge.contest.ledger.fold import mend_lost, orders_in
from judge.contest.ledger.tally import Tally
from judge.errors import LedgerError

if TYPE_CHECKING:
    from pathlib import Path

    from judge.contest.journal.journal import Journal


def require_all(path: Path, journal: Journal, tally: Tally, end: int) -> None:
    """Raise `LedgerError` if lines are gone from before that offset, up to which the ``tally``
    counts the journal, or if one there is not in its place. The index says whether to look."""
    if not fits(journal, tally.recorded, end):
        found = orders_in(journal)  # which names the first line that is not in its place
        if lost := _lost(path, journal, _counts(0, tally.orders.given), _counts(0, found)):
            raise LedgerError(f"{lost}; {mend_lost(path)}")


def lost(path: Path, journal: Journal, held: Tally, found: Tally) -> str | None:
    """A clause on what ``X.json`` as it was ``held`` knew and is not ``found`` in the journal; None
    if that is nothing."""
    known, there = (_counts(one.recorded, one.orders.given) for one in (held, found))
    return _lost(path, journal, known, there)


def _counts(games: int, orders: Sequence[Order]) -> dict[str, int]:
    """How many lines there are of each kind, by what they are called."""
    undone = sum(order.undone for order in orders)
    return {"game": games, "order": len(orders), "undo": undone}


def _lost(path: Path, journal: Journal, known: dict[str, int], there: dict[str, int]) -> str | None:
    fewer = [what for what in known if there[what] < known[what]]
    if not fewer:
        return None
    knew, has = (
        _in_a_row([f"{one[what]:,} {what}{'s' * (one[what] != 1)}" for what in fewer])
        for one in (known, there)
    )
    return f"{path} knew {knew}, and {journal.path} has {has}: lines are gone from it"


def _in_a_row(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
