"""An organiser's orders (void, reset, retire, disqualify, undo): which of a journal are in force.

An order is known by its number among those of the journal, from 1, and may be taken back. Games
that are void, or of a bot that is disqualified, do not count wherever the order stands; a reset
acts at its place. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

from judge.documents.ledger import (
    AnyEntry,
    Disqualify,
    GivenOrder,
    Order,
    Reset,
    Retire,
    Undo,
    Void,
)

ORDERS = (Void, Reset, Retire, Disqualify)


@dataclass(slots=True)
class Orders:
    """All orders that are known; the first of them have been ``passed`` in the journal: a journal
    is folded with the knowledge of those that come later.

    ``voided``, ``disqualified`` and ``retired`` have the games and bots that orders in force are about,
    whether passed or not, each with the numbers of these orders, the first one first.
    """

    given: list[GivenOrder] = field(default_factory=list)
    passed: int = 0
    voided: dict[int, list[int]] = field(default_factory=dict)
    disqualified: dict[str, list[int]] = field(default_factory=dict)
    retired: dict[str, list[int]] = field(default_factory=dict)

    def give(self, order: Order) -> None:
        """Take in an order that was not known, and is the next one in the journal."""
        self.given.append(GivenOrder(order, undone=False))
        if about := self._about(order):
            named, keys = about
            for key in keys:
                named.setdefault(key, []).append(len(self.given))

    def look_ahead(self, entry: AnyEntry) -> None:
        """Take in an order, or that one is taken back, before it is passed. Raises ValueError with the
        reason for an entry that takes back no order."""
        if isinstance(entry, ORDERS):
            self.give(entry)
        elif isinstance(entry, Undo):
            if entry.order > len(self.given):
                raise ValueError(f"it takes back order {entry.order}, which is not before it")
            self.take_back(entry.order)

    def take_back(self, number: int) -> None:
        """Take back the order of a number."""
        order, undone = self.given[number - 1].order, self.given[number - 1].undone
        self.given[number - 1] = GivenOrder(order, undone=True)
        if not undone and (about := self._about(order)):
            named, keys = about
            for key in keys:
                named[key].remove(number)
                if not named[key]:
                    del named[key]

    def unpassed(self) -> Orders:
        """The same orders before any has been passed: those of a journal that is read anew."""
        return replace(self, passed=0)

    def without(self, number: int) -> Orders:
        """The orders as if the one of that number were taken back."""
        other = deepcopy(self)
        other.take_back(number)
        return other

    @property
    def out_of_table(self) -> frozenset[str]:
        """The bots that are retired or disqualified."""
        return frozenset(self.retired) | frozenset(self.disqualified)

    def out(self, number: int, names: Iterable[str]) -> type[Order] | None:
        """The order that takes the game of that number, of these bots, out of the count; None if it may
        count."""
        if number in self.voided:
            return Void
        if self.disqualified and any(name in self.disqualified for name in names):
            return Disqualify
        return None

    def why_out(self, number: int, names: Iterable[str]) -> str | None:
        """Why the game of that number, of these bots, does not count, in the words of the order."""
        if orders := self.voided.get(number):
            return self.reason(orders[0])
        for name in names if self.disqualified else ():
            if orders := self.disqualified.get(name):
                return f"{name} is disqualified: {self.reason(orders[0])}"
        return None

    def reason(self, number: int) -> str:
        """The reason that an order gives."""
        order = self.given[number - 1].order
        return order.reason if isinstance(order, (Void, Disqualify)) else ""

    def _about(self, order: Order) -> tuple[dict[Any, list[int]], Iterable[Any]] | None:
        """The line of an order while it is in force, and the games or bots that it is about; None
        for a reset, which acts at its place."""
        match order:
            case Void(games=games):
                return self.voided, dict.fromkeys(games)
            case Disqualify(bot=bot):
                return self.disqualified, [bot]
            case Retire(bot=bot):
                return self.retired, [bot]
        return None
