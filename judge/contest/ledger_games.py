"""Finds games of a ledger in its journal: one game, those of a contest or a match, or those of a
kind. Nothing is written, and no lock is taken."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from judge.contest.games import GameId
from judge.contest.ledger.entries import entry_on, games_in, record_in, record_of
from judge.contest.ledger.files import located, require_ledger
from judge.contest.ledger.fold import Fold
from judge.contest.ledger.ledger import read
from judge.documents.game import GameRecord, moment
from judge.documents.history import ExportedGame
from judge.documents.ledger import Begun, Game
from judge.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


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


def games_begun(path: Path) -> list[GameRecord]:
    """The games that have begun and were not added since, in the order in which they began. Raises
    `UsageError` if the path cannot be a ledger's, and `LedgerError` for a damaged entry."""
    _, journal = located(path)
    found: dict[str, Begun] = {}
    for line in journal.lines():
        match entry_on(journal, line):
            case Game(result=result):
                found.pop(result.id, None)
            case Begun() as entry:
                found[entry.id] = entry
    return [record_in(journal, entry) for entry in found.values()]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Conditions on a game; a field that is None asks nothing. ``bot`` plays in the game. ``bot``,
    or any bot if ``bot`` is None, forfeited it by ``cause``. The game's number is ``number`` or
    higher. It began at ``since`` or later."""

    bot: str | None = None
    cause: str | None = None
    number: int | None = None
    since: datetime | None = None


def games_that_count(path: Path, wanted: Wanted) -> Iterator[int]:
    """The numbers of the games of a ledger that fit these conditions and that no order takes out of
    the count. Raises errors as `counting_games` and `record_of` do."""
    for number, entry in counting_games(path):
        game = entry.result
        started = moment(record_of(entry).started) if wanted.since else None
        causes = [
            termination
            for seat, termination in game.forfeits.items()
            if wanted.bot in (None, game.names[seat])
        ]
        if (
            (wanted.bot is None or wanted.bot in game.names)
            and (wanted.cause is None or wanted.cause in causes)
            and (wanted.number is None or number >= wanted.number)
            and (wanted.since is None or (started and started >= wanted.since))
        ):
            yield number


def ids_of(path: Path, games: Collection[int]) -> list[str]:
    """The ids of the games of these numbers. Raises errors as `counting_games` does."""
    _, journal = require_ledger(path)
    return [entry.result.id for number, entry in enumerate(games_in(journal), 1) if number in games]


def since(text: str) -> Wanted:
    """The condition of a typed ``--since``: a game's number, as ``#210`` or ``210``, or a time.
    Raises `UsageError` for other texts."""
    digits = text.removeprefix("#")
    if digits.isdecimal() and len(digits) < 10:
        return Wanted(number=int(digits))
    try:
        return Wanted(
            since=datetime.fromisoformat(text).astimezone(UTC)
        )  # local time, unless the text names a zone
    except (ValueError, OverflowError):
        raise UsageError(
            f"--since {text}: say a game's number, as in '#210', or a time, as in 2026-01-31T18:00"
        ) from None
