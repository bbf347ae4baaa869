"""Which line of a journal each game and each order stands on, and whether it is in its place.

The judge never writes the same line of a game or an order twice: the number on it is another. Who
copies lines by hand, or by a tool that copies a piece twice, may; the game would count twice, and
an undo would take back another order than was meant.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from judge.contest.journal.orders import UNDO, is_order

GAME, ORDER = "game", "order"
_WITH_ARTICLE = {GAME: "a game", ORDER: "an order", UNDO: "an undo"}
REMOVE = "remove that line"
NOT_LISTED = "what follows from it is not listed"


class Numbered(NamedTuple):
    """An entry of a kind that is numbered: ``what`` it is, the number that is ``written`` on it,
    None if there is none, and its ``place`` among those of its kind, from 1."""

    what: str
    written: object
    place: int

    @property
    def is_in_place(self) -> bool:
        return self.written in (None, self.place)

    def complaint(self, later: int | None = None) -> str:
        """Why it is not in its place, as a clause; ``later`` is the line further on with the entry
        that belongs there, if there is one."""
        said = (
            f"it is numbered {str(self.written)[:20]}, and it is {self.what} {self.place} of the "
            "journal"
        )
        if later is not None:
            return (
                f"{said}: lines are not in order, for {self.what} {self.place} is in line {later}"
            )
        if type(self.written) is int and self.written > self.place:
            return f"{said}: the line of {_WITH_ARTICLE[self.what]} before it is gone"
        return said


def numbered(
    entry: Mapping[str, Any], recorded: int, orders: int, taken_back: int
) -> Numbered | None:
    """An entry after so many games and orders, of which so many were taken back; None if it is of
    a kind that has no numbers."""
    if "kind" not in entry:
        return Numbered(GAME, entry.get("number"), recorded + 1)
    if not is_order(entry):
        return None
    if entry["kind"] == UNDO:
        return Numbered(UNDO, entry.get("number"), taken_back + 1)
    return Numbered(ORDER, entry.get("number"), orders + 1)


class GameLines:
    """The lines of games and orders seen so far, each by a digest of what stands on it."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}

    def earlier(self, data: bytes, number: int) -> int | None:
        """The number of the line before this one on which the same stands, if there is one; this
        line is seen then, and has this ``number`` in the file."""
        digest = hashlib.blake2b(data.strip(), digest_size=16).digest()
        first = self._numbers.setdefault(digest, number)
        return None if first == number else first


def twice(first: int, what: str = GAME) -> str:
    """A line repeats line ``first``: the complaint, as a clause."""
    return (
        f"it is line {first} once more, and its {GAME if what == GAME else ORDER} would count twice"
    )
