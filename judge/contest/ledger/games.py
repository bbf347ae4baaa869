"""The games of a ledger, read from its journal. This file writes nothing and takes no lock."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from judge.contest.games import GameId
from judge.contest.ledger.entries import GAME, game_on, record_of, record_on
from judge.contest.ledger.files import require_ledger
from judge.contest.ledger.fold import Fold
from judge.contest.ledger.journal import Journal
from judge.contest.ledger.ledger import read
from judge.documents.game import GameRecord
from judge.documents.ledger import Game
from judge.errors import UsageError
from judge.signals import looking


def last_game(path: Path) -> GameRecord:
    """The last game of a ledger. Raises `UsageError` if there is no such ledger or game. Raises
    `LedgerError` if the journal is missing, a line was edited, or the record is not valid."""
    path, journal = require_ledger(path)
    fold = Fold(journal)
    if not fold.tally.recorded:
        raise UsageError(f"{path}: there is no game in it yet")
    return record_on(journal, fold.line(fold.tally.recorded))


def game(path: Path, which: str) -> GameRecord:
    """The game that ``which`` names: by its number, or by its id if ``which`` is not a number. If
    several games have the id, the last of these games is returned. Raises `UsageError` if there is
    no such ledger or game. Raises `LedgerError` if the journal is missing or a line was edited. If
    the record of the game is not valid, raises `LedgerError` for a number, and `RecordError` for an
    id."""
    path, journal = require_ledger(path)
    fold = Fold(journal)
    if which.isdecimal():
        if len(which) < 12 and 1 <= int(which) <= fold.tally.recorded:
            return record_on(journal, fold.line(int(which)))
        raise UsageError(f"{path}: there is no game #{which}")
    for game in fold.games_from_the_end():
        if game.result.id == which:
            return record_of(game)
    raise UsageError(f"{path}: there is no game {which}")


def games_in(journal: Journal) -> Iterator[tuple[int, Game]]:
    """Every game of a journal, with its number from 1."""
    number = 0
    for line in looking(journal.lines()):
        if line.data.startswith(GAME):
            number += 1
            yield number, game_on(journal, line)


def counting_games(path: Path) -> Iterator[tuple[int, Game]]:
    """Every game of a ledger that no order takes out of the count, with its number. Raises at once:
    `UsageError` if there is no such ledger, `LedgerError` if the journal is missing or edited."""
    _, journal = require_ledger(path)
    tally = read(path)
    return (one for one in games_in(journal) if tally.counts(one[0], one[1].result.names))


def past_games(path: Path, contest_key: str) -> Iterator[GameRecord]:
    """The records of a contest's games that no order takes out of the count. The ``contest_key``
    names the contest. Raises errors as `game` does."""
    for _, one in counting_games(path):
        known = GameId.read(one.result.id)
        if known is not None and known.contest_key == contest_key:
            yield record_of(one)


def games_of_match(path: Path, record: GameRecord) -> list[GameRecord]:
    """The records of the match that this record is of, in the order of its games. If a game was
    played again, the later record is taken. Raises errors as `game` does."""
    assert record.match is not None, "it is of a match"
    _, journal = require_ledger(path)
    names = tuple(seat.name for seat in record.seats)
    digests = tuple(seat.digest for seat in record.seats)
    found: dict[int, GameRecord] = {}
    for _, one in games_in(journal):
        if (one.result.names, one.result.digests) != (names, digests):
            continue
        other = record_of(one)
        if other.match is not None and (other.match.id, other.match.games) == (
            record.match.id,
            record.match.games,
        ):
            found[other.match.game] = other
    return [found[number] for number in sorted(found)]
