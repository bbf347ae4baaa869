"""The games of a ledger that count, as documents for other tools. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from judge.contest.ledger.entries import record_of
from judge.contest.ledger.games import counting_games
from judge.documents.history import ExportedGame
from judge.documents.ledger import Game


def exported(path: Path) -> Iterator[ExportedGame]:
    """Every rated game that no order has taken out of the count, in the order of the journal.
    Raises as `counting_games`, and `RecordError` at a game whose record is damaged."""
    return (_exported(number, game) for number, game in counting_games(path) if game.result.rated)


def _exported(number: int, entry: Game) -> ExportedGame:
    game = entry.result
    return ExportedGame(
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
