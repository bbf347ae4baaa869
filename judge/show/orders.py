"""Clauses on an organiser's orders, such as an order that voids a game."""

from __future__ import annotations

from judge.contest.ledger.order_entries import games_of, numbers
from judge.documents.ledger import Disqualify, Order, Reset, Retire, Void
from judge.show.text import clean, many


def effect(order: Order) -> str:
    """The effect of an order, as a clause."""
    match order:
        case Void(games=(_,) as games):
            return f"{games_of(games)} does not count any more"
        case Void(games=games):
            return f"{many(len(games), 'game')} do not count any more: {numbers(games)}"
        case Reset(bot=bot):
            return f"{clean(bot)} has 10 points again"
        case Retire(bot=bot):
            return f"{clean(bot)} is retired: its games count, and it is in no table"
        case Disqualify(bot=bot):
            return f"{clean(bot)} is disqualified: no game of it counts"


def taken_back(number: int, order: Order) -> str:
    """The clause on an order that is taken back."""
    whose = games_of(order.games) if isinstance(order, Void) else clean(order.bot)
    return f"order {number}, {type(order).__name__.lower()} {whose}, is taken back"
