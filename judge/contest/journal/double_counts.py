"""Games that count twice, or would if an order were taken back: they were played again since."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from judge.contest.journal.index import Index
from judge.contest.journal.journal import Journal
from judge.contest.journal.orders import OrderKind, Orders
from judge.contest.ledger.fold import counting_games, identified
from judge.contest.ledger.identity import key_of
from judge.contest.ledger.tally import Tally
from judge.quoting import word

if TYPE_CHECKING:
    from pathlib import Path


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


def require_counted_once(path: Path, journal: Journal, tally: Tally) -> None:
    """Raise `LedgerError` if the same game of a contest counts twice, as where the line of the
    order is gone that made one of them void."""
    firsts: dict[bytes, tuple[int, int] | None] = {}  # None once its key is known
    keys: dict[bytes, int] = {}
    for one in counting_games(journal, tally):
        if one.of_contest is None:
            continue
        number, id_, bots, line = one
        # Most ids are there once. Only of others is the line parsed, which takes longer.
        name = hashlib.blake2b(repr((id_, sorted(bots))).encode(), digest_size=16).digest()
        if name not in firsts:
            firsts[name] = number, line.start
            continue
        if (first := firsts[name]) is not None:
            earlier, start = first
            key = key_of(journal.parse(next(journal.lines(start))))
            keys.setdefault(name + (key or b""), earlier)
            firsts[name] = None
        if key := key_of(journal.parse(line)):
            earlier = keys.setdefault(name + key, number)
            if earlier != number:
                raise journal.damaged(line, both_count(earlier, number), mend_both(path, number))


def both_count(earlier: int, number: int) -> str:
    """The complaint of a game that counts twice, as a clause."""
    return (
        f"game #{number} is game #{earlier} played again, and both count; the line of an order that "
        "made one of them void may be gone"
    )


def mend_both(path: Path, number: int) -> str:
    """What mends that, for the end of a sentence."""
    return (
        "bring back a copy of the file, or have one of them not count: "
        f"`judge ledger void {word(str(path))} {number} --reason …`"
    )
