"""Reads the games that a user names, and judges them again.

The files are game records, pages, ledgers, fights that `judge fight --json` printed, and other
systems' logs. A game whose shots, results or outcome break its rules is refused as a whole, with a
sentence that says where.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judge.cli.ledgers.ledger_option import the_ledger
from judge.cli.ledgers.which_ledger import JOURNAL, meant
from judge.cli.output import note
from judge.contest.ledger.files import located
from judge.contest.ledger_games import game as game_of
from judge.contest.results import result_of
from judge.documents import json_files
from judge.documents.codec import convert
from judge.documents.game import GameRecord, Termination
from judge.documents.ledger import Counts
from judge.errors import RecordError, UsageError
from judge.game.replay import replay
from judge.logs.contest.games import LoggedGames
from judge.logs.contest.model import ContestLog, MatchLog
from judge.logs.formats import format_of, read, remark, untold
from judge.show.match import Standing
from judge.show.text import many

LONGEST = 64 * 2**20
_ANY = "a game record, a page, a log or a ledger"
PAGE = ".html"
_BEGIN_BYTES = 256  # bytes at the beginning of a file, which show a log or a fight
_FIGHT = re.compile(r'"kind":\s*"fight"')  # as `judge fight --json` or a JSON tool prints it


class GameSource:
    """The games of one file. `game` judges a game again before it is returned. If ``is_match`` is
    true, ``records`` are the games of one match in a ledger."""

    def __init__(
        self, path: Path, records: Sequence[GameRecord], *, is_match: bool = False
    ) -> None:
        self.path = path
        self._records = records
        self._log = records.log if isinstance(records, LoggedGames) else None
        self._is_match = is_match

    def __len__(self) -> int:
        return len(self._records)

    def game(self, number: int) -> GameRecord:
        """Return a game by its place among these games, from 1. Raises `UsageError` if no game has
        that place. Raises `RecordError` if the game breaks its rules."""
        if not 1 <= number <= len(self):
            raise UsageError(
                f"{self.path} holds {many(len(self), 'game')}, so there is no game {number} in it"
            )
        try:
            record = self._records[number - 1]
            for _ in replay(record):
                pass
        except RecordError as error:
            raise RecordError(f"{self.path}: {error}") from None
        return record

    @property
    def contest(self) -> ContestLog | None:
        """The contest whose log these games come from, or None."""
        return self._log if isinstance(self._log, ContestLog) else None

    def of_match(self) -> Sequence[GameRecord]:
        """Return in order the games of the match of the last game here, as far as the file holds
        them. Return no games unless it is the match of a log, or one of two players in a ledger."""
        if self._log:
            return self._records if isinstance(self._log, MatchLog) else ()
        if self._is_match:
            return self._records
        record = self._records[-1]
        if record.match is None or len(record.seats) > 2 or not _is_ledger(self.path):
            return ()
        from judge.contest.ledger_games import games_of_match

        return games_of_match(self.path, record)

    def match(self) -> GameSource:
        """Return a source of the games of the match that a ledger's game belongs to, or this source
        if there is no such match."""
        if self._log or not (records := self.of_match()):
            return self
        return GameSource(self.path, records, is_match=True)

    @property
    def is_ledger(self) -> bool:
        """Whether the games come from a ledger."""
        return not self._log and _is_ledger(self.path)

    def standing(self, number: int) -> Standing | None:
        """Return how the match of a game stands after the game. Returns None if the file is not
        known to hold the whole match."""
        if not isinstance(self._records, LoggedGames):
            return self._standing_in_ledger(self._records[number - 1])
        scores, log = self._records.scores(number), self._records.log
        if scores is None or not isinstance(log, MatchLog):
            return None
        counts = [Counts(won=score.won, lost=score.lost, tied=score.tied) for score in scores]
        return Standing(counts, log.seconds)

    def _standing_in_ledger(self, record: GameRecord) -> Standing | None:
        """Return how the match of a ledger's game stands after the game, or None unless the ledger
        holds all games of such a match."""
        games = self.of_match()
        if record.match is None or len(games) < record.match.games:
            return None  # the match is not over, or some of its games are missing
        counts = [Counts() for _ in record.seats]
        for result in map(result_of, games[: record.match.game]):
            for seat, own in enumerate(counts):
                own.add(result, seat)
        return Standing(counts)


def the_games(given: str | None, ledger: Path | None) -> GameSource:
    """Read the games that ``given`` means. A record file or a page means its one game. A log means
    all its games. A ledger, or the output of ``judge fight --json``, means its last game. ``#N``
    after a file's name means one game. N is the number or the id of a game. ``#N`` alone is a game
    of ``ledger``, and None is the last one there. If ``ledger`` is None, the only ledger in the
    current folder is meant. Notes name the facts that a log leaves out.

    Raises `UsageError` if there is no such game. Raises `RecordError` or `LedgerError` if the file
    is damaged, of another version, not a record, or against the rules.
    """
    path, id_ = _parts(given, ledger)
    try:
        records = _found(path, id_)
    except RecordError as error:
        raise RecordError(f"{path}: {error}") from None
    games = GameSource(path, records)
    if not records and games.contest is None:
        raise UsageError(f"{path} holds no game")
    return games


def _parts(given: str | None, ledger: Path | None) -> tuple[Path, str | None]:
    """Return the file to read and the id of the game that is named, or None if only a file is
    named. No id contains a #, but a file's name may."""
    if given is None:
        return the_ledger(ledger), None
    if Path(given).exists() or "#" not in given:
        return Path(given), None
    place, _, id_ = given.rpartition("#")
    return Path(place) if place else the_ledger(ledger), id_


def _found(path: Path, id_: str | None) -> Sequence[GameRecord]:
    if path.name.endswith(JOURNAL):  # the journal stands for its ledger
        path = path.with_name(f"{path.name.removesuffix(JOURNAL)}.json")
    if _is_ledger(path):
        return (game_of(path, id_),)
    text = _text(path)
    if format_ := format_of(text):
        records = read(format_, text, path.stem)
        is_whole = len(records) != 1 or records[0].outcome.termination is not Termination.ABORTED
        end = "" if is_whole else "; it breaks off before the game is over"
        note(f"{path} is a {format_} log: it does not tell {untold(format_)}{end}")
        if said := remark(format_, text, records):
            note(f"{path}: {said}")
        if id_ is None:
            return records
        if len(records) != 1:
            return (GameSource(path, records).game(_number(path, id_)),)
        record = records[0]
    else:
        document = _document(text)
        if isinstance(document, dict) and document.get("kind") == "fight":
            return (_of_a_fight(path, document, id_),)
        record = _record(document)
    if id_ not in (None, record.id, str(record.number)):
        raise UsageError(f"{path} holds game {record.id}; there is no game {id_} in it")
    return (record,)


def _number(path: Path, id_: str) -> int:
    if not id_.isdecimal() or len(id_) > 9:
        raise UsageError(f"{path}: there is no game {id_} in it; its games have numbers")
    return int(id_)


def _is_ledger(path: Path) -> bool:
    """Whether a journal lies beside the file, as beside every ledger. False for a path that no
    ledger can have."""
    try:
        return located(path)[1].path.exists()
    except UsageError:
        return False


def holds_games(path: Path) -> bool:
    """Whether a file is a page, by its name, or a log, by its first bytes. Raises `UsageError` if
    it cannot be read, or if its name ends in .log and it is not a known log."""
    if path.suffix == PAGE:
        return True
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            begin = file.read(_BEGIN_BYTES)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    is_log = format_of(begin.decode(errors="replace")) is not None
    if not is_log and path.suffix == ".log":
        why = "is not a log that the judge knows" if begin else "is empty, so no game is in it"
        raise UsageError(f"{path} {why}")
    return is_log


def _text(path: Path) -> str:
    data = _read(path)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise RecordError(
            f"it is no game record: it is not text, from byte {error.start}"
        ) from None


def _document(text: str) -> Any:
    """Return the JSON document in a text, which may be a page."""
    if text.lstrip()[:1] == "<":
        text = _in_page(text)
    try:
        is_fight = _FIGHT.search(text, 0, _BEGIN_BYTES) is not None
        return json_files.parse(
            text, json_files.MOST_OF_GAMES if is_fight else json_files.MOST_VALUES
        )
    except ValueError as error:
        raise RecordError(f"it is damaged, or no game record: {error}") from None


def _read(path: Path) -> bytes:
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise UsageError(f"{path} is a folder; name {_ANY} in it")
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(f"{path} is not a file")
        if status.st_size > LONGEST:
            raise RecordError(
                f"it is longer than {LONGEST:,} bytes, which is the most that is read"
            )
        data = path.read_bytes()
    except FileNotFoundError:
        if path.name.endswith(".json"):
            said = f"{path}: there is no such game record, and no such ledger.{meant(path)}"
            raise UsageError(said) from None
        of_a_ledger = f" ('#{path}' is the game of a ledger)" if str(path).isdecimal() else ""
        raise UsageError(f"{path}: there is no such file{of_a_ledger}; name {_ANY}") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    if not data.strip():
        raise RecordError("it is empty")
    return data


# The tag before a page's record. The record is a JSON text in which every "<" is escaped.
_RECORD = '<script type="application/json" id="record">'


def _in_page(text: str) -> str:
    _, found, rest = text.partition(_RECORD)
    if not found:
        raise RecordError("it is a page, but none of a game: it holds no record")
    if _RECORD in rest:
        raise RecordError("it is a page, but holds more than one record")
    return rest.partition("<")[0]


def _of_a_fight(path: Path, document: dict[str, Any], id_: str | None) -> GameRecord:
    """Return the game with an id, or else the last one, of the output of ``judge fight --json``."""
    records = document.get("records")
    if not isinstance(records, list) or not records:
        raise RecordError("it is a fight without any game")
    if id_ is None:
        return _record(records[-1])
    for record in records:
        if isinstance(record, dict) and id_ in (record.get("id"), str(record.get("number"))):
            return _record(record)
    raise UsageError(f"{path}: there is no game {id_} in it")


def _record(document: Any) -> GameRecord:
    if isinstance(document, dict) and document.get("kind") == "ledger":
        raise RecordError("it is a ledger, but its journal is not beside it: bring that back")
    return convert(GameRecord, document, "it")
