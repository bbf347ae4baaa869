"""The orders of a journal's organiser (void, reset, retire, disqualify), and which of them are in
force.

Orders are numbered from 1 as they stand in the journal. An undo entry takes an order back. A void
takes earlier games out of the count. A disqualification takes out all games of its bot, earlier and
later. A reset acts from its place in the journal on. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from judge.documents.ledger import AnyEntry, Disqualify, GivenOrder, Order, Retire, Undo, Void


@dataclass(slots=True)
class Orders:
    """The orders ``given`` in a journal. A fold of the journal is given all orders before it counts
    the first line.

    ``voided``, ``disqualified`` and ``retired`` have the games or bots of the orders in force, each
    with the number of the first order about it.
    """

    given: list[GivenOrder] = field(default_factory=list)
    voided: dict[int, int] = field(init=False, default_factory=dict)
    disqualified: dict[str, int] = field(init=False, default_factory=dict)
    retired: dict[str, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Orders from a cache are known by those that are given alone."""
        self.voided, self.disqualified, self.retired = {}, {}, {}
        for number, one in enumerate(self.given, 1):
            match None if one.undone else one.order:
                case Void(games=games):
                    for game in games:
                        self.voided.setdefault(game, number)
                case Disqualify(bot=bot):
                    self.disqualified.setdefault(bot, number)
                case Retire(bot=bot):
                    self.retired.setdefault(bot, number)

    @classmethod
    def of(cls, entries: Iterable[AnyEntry]) -> Orders:
        """The orders among all entries of a journal. An order that an undo names is undone."""
        entries = [*entries]
        orders = [entry for entry in entries if isinstance(entry, Order)]
        undone = {entry.order for entry in entries if isinstance(entry, Undo)}
        return cls([GivenOrder(order, at in undone) for at, order in enumerate(orders, 1)])

    def without(self, number: int) -> Orders:
        """A copy of these orders in which the order of this number is taken back."""
        given = self.given.copy()
        given[number - 1] = GivenOrder(given[number - 1].order, undone=True)
        return Orders(given)

    @property
    def out_of_table(self) -> frozenset[str]:
        """The bots that are retired or disqualified."""
        return frozenset(self.retired) | frozenset(self.disqualified)

    def out(self, number: int, names: Iterable[str]) -> int | None:
        """The number of the order that takes the game of this number, between these bots, out of
        the count; None if no order does."""
        bans = filter(None, map(self.disqualified.get, names))
        return self.voided.get(number) or next(bans, None)

    def why_out(self, number: int, names: Iterable[str]) -> str | None:
        """The reason why an order takes the game of this number, between these bots, out of the
        count; None if no order does."""
        if (order := self.out(number, names)) is None:
            return None
        given = self.given[order - 1].order
        ban = f"{given.bot} is disqualified: " if isinstance(given, Disqualify) else ""
        return ban + self.reason(order)

    def reason(self, number: int) -> str:
        """The reason that the order of this number gives; "" if it gives none."""
        order = self.given[number - 1].order
        return order.reason if isinstance(order, (Void, Disqualify)) else ""
