"""An organiser's orders (void, reset, retire, disqualify, undo): which of a journal are in force.

`judge.contest.ledger.tally` applies them to the count.

An order is known by its number among those of the journal, from 1, and may be taken back. Games
that are void, or of a bot that is disqualified, do not count wherever the order stands; a reset
acts at its place. Pure.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

UNDO = "undo"


class OrderKind(StrEnum):
    VOID = "void"
    RESET = "reset"
    RETIRE = "retire"
    DISQUALIFY = "disqualify"


VERSION = 1  # of an entry; orders are numbered from 1, and entries that take one back as well
_KINDS = frozenset({*OrderKind, UNDO})


@dataclass(slots=True)
class Order:
    """One order. ``games`` are the numbers of those that it voids, ``bot`` the one that it is about
    otherwise. ``undone`` if a later entry takes it back."""

    kind: OrderKind
    bot: str | None = None
    games: tuple[int, ...] = ()
    reason: str | None = None
    undone: bool = False

    def to_json(self) -> dict[str, Any]:
        """As the ``ledger`` document has it."""
        document: dict[str, Any] = {"kind": self.kind.value}
        if self.kind is OrderKind.VOID:
            document["games"] = list(self.games)
        else:
            document["bot"] = self.bot
        if self.reason is not None:
            document["reason"] = self.reason
        return {**document, "undone": True} if self.undone else document

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Order:
        return cls(
            OrderKind(document["kind"]),
            document.get("bot"),
            tuple(document.get("games", ())),
            document.get("reason"),
            document.get("undone", False),
        )


@dataclass(slots=True)
class Orders:
    """All orders that are known, the first of which have been ``passed`` in the journal: a journal
    is folded with the knowledge of those that come later.

    ``voided``, ``disqualified`` and ``retired`` have the games and bots that an order in force is
    about, whether passed or not, each with the number of the first such order; ``lives`` has how
    often a bot was reset by those that are passed. ``taken_back`` counts those that are undone.
    """

    given: list[Order] = field(default_factory=list)
    passed: int = 0
    voided: dict[int, int] = field(default_factory=dict, init=False, compare=False, repr=False)
    disqualified: dict[str, int] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    retired: dict[str, int] = field(default_factory=dict, init=False, compare=False, repr=False)
    lives: Counter[str] = field(default_factory=Counter, init=False, compare=False, repr=False)
    taken_back: int = field(default=0, init=False, compare=False, repr=False)
    # By bot, in order; those that are taken back are dropped when they come first.
    _retirements: dict[str, deque[int]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        for number, order in enumerate(self.given, 1):
            self._put_in_force(number, order)
            self.taken_back += order.undone
        for order in self.given[: self.passed]:
            self._live(order)

    def add(self, order: Order) -> None:
        """Take in an order that was not known, and is the next one in the journal."""
        self.given.append(order)
        self._put_in_force(len(self.given), order)

    def pass_next(self) -> Order:
        """Pass the next order that is known, and return it."""
        order = self.given[self.passed]
        self.passed += 1
        self._live(order)
        return order

    def release(self, number: int) -> None:
        """Take back an order by which nothing was counted otherwise: a bot's retirement."""
        order = self.given[number - 1]
        order.undone = True
        self.taken_back += 1
        assert order.bot is not None, "a bot retires"
        retirements = self._retirements.get(order.bot, deque())
        while retirements and self.given[retirements[0] - 1].undone:
            retirements.popleft()
        if retirements:
            self.retired[order.bot] = retirements[0]
        else:
            self.retired.pop(order.bot, None)

    def out(self, number: int, names: Iterable[str]) -> OrderKind | None:
        """Why the game of that number, of these bots, does not count; None if it may."""
        if number in self.voided:
            return OrderKind.VOID
        if self.disqualified and any(name in self.disqualified for name in names):
            return OrderKind.DISQUALIFY
        return None

    def why_out(self, number: int, names: Iterable[str]) -> str | None:
        """Why the game of that number, of these bots, does not count, in the words of the order."""
        if (order := self.voided.get(number)) is not None:
            return self.given[order - 1].reason
        for name in names if self.disqualified else ():
            if (order := self.disqualified.get(name)) is not None:
                return f"{name} is disqualified: {self.given[order - 1].reason}"
        return None

    def _put_in_force(self, number: int, order: Order) -> None:
        if order.undone:
            return
        if order.kind is OrderKind.VOID:
            for game in order.games:
                self.voided.setdefault(game, number)
        elif order.bot is not None and order.kind is not OrderKind.RESET:
            named = self.disqualified
            if order.kind is OrderKind.RETIRE:
                named = self.retired
                self._retirements.setdefault(order.bot, deque()).append(number)
            named.setdefault(order.bot, number)

    def _live(self, order: Order) -> None:
        if order.kind is OrderKind.RESET and order.bot is not None and not order.undone:
            self.lives[order.bot] += 1


def is_order(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is an order or takes one back."""
    kind = entry.get("kind")
    return isinstance(kind, str) and kind in _KINDS


def order_in(entry: Mapping[str, Any], recorded: int) -> Order:
    """The order that an entry gives after so many games. Raises ValueError with the reason if it
    gives none. An entry that takes an order back gives none."""
    _require_number(entry)
    match entry:
        case {"version": 1, "kind": "void", "games": [*games], "reason": str(reason)}:
            if not all(type(game) is int and game > 0 for game in games):
                raise ValueError("it voids games without numbers")
            if (last := max(games, default=0)) > recorded:
                raise ValueError(f"it voids game {last}, and {recorded} games stand before it")
            return Order(OrderKind.VOID, games=tuple(games), reason=reason)
        case {"version": 1, "kind": "reset" | "retire" as kind, "bot": str(bot)}:
            return Order(OrderKind(kind), bot)
        case {"version": 1, "kind": "disqualify", "bot": str(bot), "reason": str(reason)}:
            return Order(OrderKind.DISQUALIFY, bot, reason=reason)
    raise ValueError("it is no entry of a journal")


def undone_by(entry: Mapping[str, Any], orders: int) -> int:
    """The number of the order that an undo entry takes back after so many orders. Raises ValueError
    with the reason if there is no such order."""
    _require_number(entry)
    number = entry.get("order")
    if entry.get("version") != VERSION or type(number) is not int:
        raise ValueError("it is no entry of a journal")
    if not 1 <= number <= orders:
        raise ValueError(f"it takes back order {number}, and {orders} orders stand before it")
    return number


def _require_number(entry: Mapping[str, Any]) -> None:
    """Raise ValueError if an entry has no number."""
    number = entry.get("number")
    if type(number) is not int or number < 1:
        raise ValueError("it is no entry of a journal: it is an order without a number")


class Collector:
    """Reads the orders out of a journal, entry by entry."""

    def __init__(self) -> None:
        self.orders: list[Order] = []
        self.recorded = self.taken_back = 0

    def game(self) -> None:
        self.recorded += 1

    def entry(self, entry: Mapping[str, Any]) -> None:
        """Take in an entry that is no game; raises ValueError, with nothing changed, if it is an
        order that is damaged."""
        if entry.get("kind") == UNDO:
            order = self.orders[undone_by(entry, len(self.orders)) - 1]
            self.taken_back += not order.undone
            order.undone = True
        elif is_order(entry):
            self.orders.append(order_in(entry, self.recorded))
