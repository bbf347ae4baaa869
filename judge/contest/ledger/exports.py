"""The games of a ledger that count, a line each, for other tools. It reads and never writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from judge.contest.ledger.entries import record_of
from judge.contest.ledger.files import require_ledger
from judge.contest.ledger.games import games_in
from judge.contest.ledger.journal import Journal
from judge.contest.ledger.ledger import read
from judge.contest.ledger.orders import Orders
from judge.documents.history import ExportedGame


def exported(path: Path) -> Iterator[ExportedGame]:
    """Every rated game that no order has taken out of the count, in order. Raises `UsageError` at
    once if there is no such ledger."""
    path, journal = require_ledger(path)
    return _counting(journal, read(path).orders)


def _counting(journal: Journal, orders: Orders) -> Iterator[ExportedGame]:
    for number, entry in games_in(journal):
        game = entry.result
        if not game.rated or orders.out(number, game.names):
            continue
        yield ExportedGame(
            number=number,
            id=game.id,
            bots=game.names,
            first=game.names[record_of(entry).first],
            winner=None if game.winner is None else game.names[game.winner],
            termination=game.termination,
            forfeits=tuple(game.names[seat] for seat in sorted(game.forfeits)),
            shots=game.shots,
            match=None if game.match is None else game.match.id,
            digests=game.digests,
        )
