"""Numbering the games and orders of a journal anew, from which somebody has removed lines.

A game's number is its place among the games, and orders name games by it; an order's is its place
among the orders, and those that take one back name it by that. So the journal is written anew, with
other numbers; as it was it is kept in a file beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judge import writing
from judge.contest.journal.game_lines import (
    GAME,
    ORDER,
    REMOVE,
    GameLines,
    Numbered,
    numbered,
    twice,
)
from judge.contest.journal.journal import Journal, Line, as_line
from judge.contest.journal.order_entries import games_of, numbers
from judge.contest.journal.orders import UNDO
from judge.contest.ledger.files import kept_beside
from judge.errors import LedgerError


@dataclass(frozen=True, slots=True)
class Renumbered:
    """``changed`` games have another number now, ``gone`` games and ``orders_gone`` orders are
    missing, as far as the numbers tell, and ``before`` is the journal as it was. ``notices`` has a
    sentence on each order that is no longer what it was."""

    changed: int
    gone: int
    before: Path
    orders_gone: int = 0
    notices: tuple[str, ...] = ()


@dataclass(slots=True)
class _Places:
    """The places of the entries of a kind by the number that is written on each, which ``several``
    may have; ``changed`` of them have another number than that."""

    places: dict[int, int] = field(default_factory=dict)
    several: set[int] = field(default_factory=set)
    last: int = 0  # number that is known of
    count: int = 0
    changed: int = 0

    def enter(self, entry: Numbered) -> None:
        self.count += 1
        written = self.count if entry.written is None else entry.written
        self.changed += written != self.count
        if type(written) is int:
            if written in self.places:
                self.several.add(written)
            self.places[written] = self.count
            self.last = max(self.last, written)

    @property
    def gone(self) -> int:
        return max(self.last - self.count, 0)


def renumber(journal: Journal) -> Renumbered | None:
    """Give each game and each order the number of its place, and have orders name games, and each
    other, by these; None if all have it already. The caller holds the lock.

    Raises `LedgerError`, with nothing changed, for a line that stands there twice or is no entry,
    and for an order of which it cannot be told what it means.
    """
    known = {GAME: _Places(), ORDER: _Places(), UNDO: _Places()}
    seen = GameLines()
    for number, (line, _, found) in enumerate(_entries(journal), 1):
        if found is not None:
            if first := seen.earlier(line.data, number):
                raise journal.damaged(line, twice(first, found.what), REMOVE)
            known[found.what].enter(found)
    games, orders = known[GAME], known[ORDER]
    notices = list[str]()
    lines = list[bytes]()
    is_as_before = True
    undos = 0
    for line, entry, found in _entries(journal):
        new = dict(entry)
        if found is not None and entry.get("number") is not None:
            new["number"] = found.place
        if found is not None and found.what == UNDO:
            meant = _meant(journal, line, [entry.get("order")], orders, ORDER)
            if not meant:
                orders.last = max(orders.last, entry["order"])
                notices.append(
                    f"Order {entry['order']} is gone, and so the entry that took it back is left out."
                )
                is_as_before = False
                continue
            undos += 1
            new["order"] = meant[0]
            if entry.get("number") is not None:
                new["number"] = undos
        elif found is not None and isinstance(voided := entry.get("games"), list):
            new["games"] = _meant(journal, line, voided, games, GAME)
            if gone := [game for game in voided if game not in games.places]:
                games.last = max(games.last, *gone)
                notices.append(_voids(found.place, gone, new["games"]))
        lines.append(line.data + b"\n" if new == entry else as_line(new))
        is_as_before = is_as_before and new == entry
    if is_as_before:
        return None
    before = kept_beside(journal.path)
    try:
        writing.replace(journal.path.parent, journal.path.name, b"".join(lines), durable=True)
    except OSError as error:
        raise LedgerError(
            f"{journal.path} cannot be numbered anew: {error.strerror}; it is as it was"
        ) from error
    return Renumbered(games.changed, games.gone, before, orders.gone, tuple(notices))


def _entries(journal: Journal) -> Iterator[tuple[Line, dict[str, Any], Numbered | None]]:
    """Every line with its entry, and that as one of a kind that has numbers."""
    counts = {GAME: 0, ORDER: 0, UNDO: 0}
    for line in journal.lines():
        entry = journal.parse(line)
        found = numbered(entry, counts[GAME], counts[ORDER], counts[UNDO])
        if found is not None:
            counts[found.what] += 1
        yield line, entry, found


def _meant(
    journal: Journal, line: Line, named: Sequence[Any], known: _Places, what: str
) -> list[int]:
    """The games or orders that an order names, by their new numbers, without those that are gone."""
    does = "voids" if what == GAME else "takes back"
    if not all(type(number) is int for number in named):
        raise journal.damaged(line, f"it {does} {what}s without numbers")
    if doubtful := sorted(known.several.intersection(named)):
        raise journal.damaged(
            line,
            f"it {does} {what} {doubtful[0]}, and several {what}s have that number",
            "bring back a copy of the file",
        )
    return [known.places[number] for number in named if number in known.places]


def _voids(order: int, gone: Sequence[int], left: Sequence[int]) -> str:
    """A sentence on an order that voided games of which some are gone."""
    are = "is" if len(gone) == 1 else "are"
    now = "voids no game now" if not left else f"voids {numbers(left)} now"
    return f"Order {order} {now}: {games_of(gone)}, which it voided, {are} gone."
