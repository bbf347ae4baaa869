"""The orders of a journal's organiser (void, reset, retire, disqualify), and which of them are in
force.

Orders are numbered from 1 as they stand in the journal. An undo entry takes an order back. A void
takes earlier games out of the count. A disqualification takes out all games of its bot, earlier and
later. A reset acts from its place in the journal on. Pure.
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
    """All orders of a journal. A fold of the journal is given all orders before it counts the first
    line; ``passed`` is the number of orders whose lines it has counted since.

    ``voided``, ``disqualified`` and ``retired`` have the games or bots of the orders in force,
    passed or not. Each game or bot has the numbers of the orders about it, in order.
    """

    given: list[GivenOrder] = field(default_factory=list)
    passed: int = 0
    voided: dict[int, list[int]] = field(default_factory=dict)
    disqualified: dict[str, list[int]] = field(default_factory=dict)
    retired: dict[str, list[int]] = field(default_factory=dict)

    def give(self, order: Order) -> None:
        """Add the next order of the journal."""
        self.given.append(GivenOrder(order, undone=False))
        if about := self._about(order):
            named, keys = about
            for key in keys:
                named.setdefault(key, []).append(len(self.given))

    def look_ahead(self, entry: AnyEntry) -> None:
        """Take in an entry before the fold counts it: add the order, or take back the order that an
        undo names. Other entries change nothing. Raises ValueError with the reason if an undo names
        an order that is not before it."""
        if isinstance(entry, ORDERS):
            self.give(entry)
        elif isinstance(entry, Undo):
            if entry.order > len(self.given):
                raise ValueError(f"it takes back order {entry.order}, which is not before it")
            self.take_back(entry.order)

    def take_back(self, number: int) -> None:
        """Mark the order of this number as undone."""
        order, undone = self.given[number - 1].order, self.given[number - 1].undone
        self.given[number - 1] = GivenOrder(order, undone=True)
        if not undone and (about := self._about(order)):
            named, keys = about
            for key in keys:
                named[key].remove(number)
                if not named[key]:
                    del named[key]

    def unpassed(self) -> Orders:
        """These orders with ``passed`` 0, for a fold from the journal's start."""
        return replace(self, passed=0)

    def without(self, number: int) -> Orders:
        """A copy of these orders in which the order of this number is taken back."""
        other = deepcopy(self)
        other.take_back(number)
        return other

    @property
    def out_of_table(self) -> frozenset[str]:
        """The bots that are retired or disqualified."""
        return frozenset(self.retired) | frozenset(self.disqualified)

    def out(self, number: int, names: Iterable[str]) -> type[Order] | None:
        """The kind of order that takes the game of this number, between these bots, out of the
        count; None if no order does."""
        if number in self.voided:
            return Void
        if self.disqualified and any(name in self.disqualified for name in names):
            return Disqualify
        return None

    def why_out(self, number: int, names: Iterable[str]) -> str | None:
        """The reason why an order takes the game of this number, between these bots, out of the
        count; None if no order does."""
        if orders := self.voided.get(number):
            return self.reason(orders[0])
        for name in names if self.disqualified else ():
            if orders := self.disqualified.get(name):
                return f"{name} is disqualified: {self.reason(orders[0])}"
        return None

    def reason(self, number: int) -> str:
        """The reason that the order of this number gives; "" if it gives none."""
        order = self.given[number - 1].order
        return order.reason if isinstance(order, (Void, Disqualify)) else ""

    def _about(self, order: Order) -> tuple[dict[Any, list[int]], Iterable[Any]] | None:
        """The field of this class that has the orders of this kind, and the games or bots of this
        order. None for a reset, which is in no field."""
        match order:
            case Void(games=games):
                return self.voided, dict.fromkeys(games)
            case Disqualify(bot=bot):
                return self.disqualified, [bot]
            case Retire(bot=bot):
                return self.retired, [bot]
        return None
