"""Reads and writes the entries of a journal: games, orders and other notes."""

from __future__ import annotations

import json
from collections.abc import Iterator

import msgspec

from judge.contest.ledger.identity import key_of
from judge.contest.ledger.journal import Journal, Line
from judge.contest.results import result_of
from judge.documents.codec import builtins, convert, decode, parsed, whole
from judge.documents.game import GameRecord
from judge.documents.ledger import AnyEntry, Begun, Entry, Game
from judge.errors import LedgerError, RecordError, Unrecordable, UsageError
from judge.signals import looking

_DECODER = msgspec.json.Decoder(AnyEntry)
_RECORDS = msgspec.json.Decoder(whole(GameRecord))  # so no two threads prepare the type at once
GAME = b'{"kind":"game",'  # the beginning of the line of a game


def entry_on(journal: Journal, line: Line) -> AnyEntry:
    """The entry on a line. Raises a `LedgerError` that names the line if it is not an entry."""
    try:
        return decoded(line.data)
    except ValueError as error:
        raise journal.edited(line.position.number, f", where {error}") from None


def decoded(data: bytes) -> AnyEntry:
    """The entry in the bytes of a line. Raises ValueError, with the reason, for other bytes."""
    try:
        entry: AnyEntry = _DECODER.decode(data)
    except (msgspec.DecodeError, UsageError, RecursionError, UnicodeDecodeError):
        value = parsed(data)
        if isinstance(value, dict) and "record" in value:
            value["record"] = msgspec.Raw(b"null")
        convert(Entry, value, "it")  # raises an error with the reason
        raise
    if not data.startswith(b'{"kind":'):  # readers know a game by this beginning
        raise ValueError("it does not begin with its kind")
    return entry


def encoded(entry: AnyEntry) -> bytes:
    """The bytes of an entry, without the hash. Raises `Unrecordable` if a text holds half a
    surrogate pair. Raises `UsageError` if the bytes cannot be read back as an entry. An entry with
    a record is not read back, since `record_text` has checked the record."""
    kind = type(entry).__name__.lower()
    try:
        data = msgspec.json.encode(entry)
        if not isinstance(entry, Game | Begun):
            decoded(data)
    except UnicodeEncodeError:
        raise Unrecordable(f"the {kind} cannot be recorded: it holds half a character") from None
    except (ValueError, TypeError) as error:
        raise UsageError(f"the {kind} cannot be kept: {error}") from None
    return data


def record_text(record: GameRecord) -> msgspec.Raw:
    """The JSON of a record, as an entry holds it. Half a surrogate pair, which a bot may print,
    becomes a question mark. Raises `Unrecordable` for a record that readers would refuse."""
    document = builtins(record)
    try:
        convert(GameRecord, document, "it")
    except RecordError as error:
        raise Unrecordable(f"game {record.id} cannot be recorded: {error}") from None
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return msgspec.Raw(text.encode(errors="replace"))


def entry_of(record: GameRecord) -> Game:
    """The entry of a game. Raises `Unrecordable` as `record_text` does."""
    key = key_of(record)
    return Game(
        key=None if key is None else key.hex(),
        result=result_of(record),
        record=record_text(record),
    )


def record_of(entry: Game | Begun) -> GameRecord:
    """The record in an entry. Raises `RecordError` if the entry does not hold a valid record."""
    return record_from(bytes(entry.record))


def record_from(text: bytes) -> GameRecord:
    """The record in these bytes. Raises `RecordError` if they are not a valid record."""
    try:
        record: GameRecord = _RECORDS.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return decode(GameRecord, text, "it")  # raises an error with the reason
    return record


def record_in(journal: Journal, entry: Game | Begun) -> GameRecord:
    """The record in the entry of a game. Raises a `LedgerError` that names the game if its record
    is not valid."""
    try:
        return record_of(entry)
    except RecordError as error:
        id_ = entry.result.id if isinstance(entry, Game) else entry.id
        raise LedgerError(f"{journal.path}, game {id_}: {error}") from None


def games_in(journal: Journal, end: int | None = None) -> Iterator[Game]:
    """Every game of a journal, or of its lines up to the offset ``end``."""
    for line in looking(journal.lines(end=end)):
        if line.data.startswith(GAME) and isinstance(entry := entry_on(journal, line), Game):
            yield entry
