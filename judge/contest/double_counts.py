"""Games that would count twice if an order were taken back: they were played again since."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from judge.contest.fold import identified
from judge.contest.index import Index
from judge.contest.journal import Journal
from judge.contest.orders import OrderKind, Orders
from judge.contest.tally import Tally


def played_again(journal: Journal, index: Index, tally: Tally, number: int) -> dict[int, int]:
    """The games that the order of this number takes out of the count, and as which game each was
    played again that would count beside it. The index is as far as the journal."""
    given = tally.orders.given
    order = given[number - 1]
    undone = Orders([*given[: number - 1], replace(order, undone=True), *given[number:]])
    games: Iterable[int] = order.games
    if order.kind is OrderKind.DISQUALIFY:
        games = range(1, tally.recorded + 1)
    again: dict[int, int] = {}
    for game in games:
        _, bots = identified(journal, index.line(game))
        if tally.counts(game, bots) or undone.out(game, bots) is not None:
            continue
        key = index.key(game)
        for other in () if key is None else index.numbers(key):
            is_other = other > game or tally.counts(other, bots)
            if is_other and other != game and undone.out(other, bots) is None:
                again[game] = other
    return again
