"""The games of a ledger, read from its journal. This file writes nothing and takes no lock."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from judge.contest.games import GameId
from judge.contest.ledger.entries import games_in, record_in, record_of
from judge.contest.ledger.files import require_ledger
from judge.contest.ledger.fold import Fold
from judge.contest.ledger.ledger import read
from judge.documents.game import GameRecord
from judge.documents.history import ExportedGame
from judge.documents.ledger import Game
from judge.errors import UsageError


def game(path: Path, which: str | None = None) -> GameRecord:
    """The game that ``which`` names: by its number, or by its id if ``which`` is not a number; None
    names the last game. If several games have the id, the last of these games is returned. Raises
    `UsageError` if there is no such ledger or game. Raises `LedgerError` if the journal is missing,
    a line was edited, or the record of the game is not valid."""
    path, journal = require_ledger(path)
    fold = Fold(journal)
    last = fold.tally.recorded
    if which is None or which.isdecimal():
        number = last if which is None else int(which[:12])
        if 1 <= number <= last:
            return fold.record(number)
    else:
        for game in fold.games_from_the_end():
            if game.result.id == which:
                return record_in(journal, game)
    raise UsageError(f"{path}: there is no game {which or 'in it yet'}")


def counting_games(path: Path) -> Iterator[tuple[int, Game]]:
    """Every game of a ledger that no order takes out of the count, with its number. Raises at once:
    `UsageError` if there is no such ledger, `LedgerError` if the journal is missing or edited."""
    _, journal = require_ledger(path)
    orders = read(path).orders
    games = enumerate(games_in(journal), 1)
    return (one for one in games if orders.out(one[0], one[1].result.names) is None)


def past_games(path: Path, contest_key: str) -> Iterator[GameRecord]:
    """The records of a contest's games that no order takes out of the count. The ``contest_key``
    names the contest. Raises errors as `game` does."""
    for _, one in counting_games(path):
        known = GameId.read(one.result.id)
        if known is not None and known.contest_key == contest_key:
            yield record_of(one)


def exported(path: Path) -> Iterator[ExportedGame]:
    """Every rated game that no order takes out of the count, in the order of the journal, as a
    document for other tools. Raises as `counting_games`, and `RecordError` at a game whose record
    is damaged."""
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


def games_of_match(path: Path, record: GameRecord) -> list[GameRecord]:
    """The records of the match that this record is of, in the order of its games. If a game was
    played again, the later record is taken. Raises errors as `game` does."""
    assert record.match is not None, "it is of a match"
    _, journal = require_ledger(path)
    names = tuple(seat.name for seat in record.seats)
    digests = tuple(seat.digest for seat in record.seats)
    found: dict[int, GameRecord] = {}
    for one in games_in(journal):
        if (one.result.names, one.result.digests) != (names, digests):
            continue
        match = (other := record_of(one)).match
        if match and (match.id, match.games) == (record.match.id, record.match.games):
            found[match.game] = other
    return [found[number] for number in sorted(found)]
