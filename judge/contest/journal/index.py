"""The side index of a journal, ``X.games.index``: where each game is, and which game it is.

After a header come rows of one length: the key of a game (`judge.contest.ledger.identity`; zeros if it
has none) and the offset of its line. Row n is game n. All of it is derived from the journal: nobody
waits for the disk, and it is computed anew where anything about it is wrong.

Whoever writes it holds the ledger's lock. It says where to look and nothing more: whoever finds a
game by it reads that game's line.
"""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Sequence
from pathlib import Path

from judge import writing
from judge.contest.journal.journal import Journal, Line, opened, parse
from judge.contest.ledger.fold import game_in, identified
from judge.contest.ledger.identity import KEY_BYTES, key_of
from judge.errors import LedgerError

HEADER = b"judge games 1\n\0\0"
ROW = struct.Struct(f">{KEY_BYTES}sQ")
NO_KEY = bytes(KEY_BYTES)
BLOCK = 2**11 * ROW.size
LONG = 2**26  # bytes of a journal that take some seconds


class Index:
    """The index of a journal, in memory and beside it, for one who writes.

    ``notices`` gets a sentence where it had to be made anew and that took long.
    """

    def __init__(self, journal: Journal, notices: list[str]) -> None:
        self.path = path_of(journal)
        self._journal = journal
        self._notices = notices
        self._rows = bytearray()
        self._numbers: dict[bytes, list[int]] = {}
        self._end = 0  # of the journal, as far as it is indexed
        self._is_loaded = False

    def __len__(self) -> int:
        return len(self._rows) // ROW.size

    def numbers(self, key: bytes) -> Sequence[int]:
        """The numbers of the games with this key, in order; mostly one or none."""
        return self._numbers.get(key, ())

    def key(self, number: int) -> bytes | None:
        """The key of a game that there is; None if it has none."""
        key: bytes = ROW.unpack_from(self._rows, (number - 1) * ROW.size)[0]
        return None if key == NO_KEY else key

    def line(self, number: int) -> Line:
        """The line of a game that there is."""
        _, offset = ROW.unpack_from(self._rows, (number - 1) * ROW.size)
        return next(self._journal.lines(offset))

    def catch_up(self, end: int, games: int) -> None:
        """Take in the journal up to ``end``, where it holds so many games. The file stays as it is
        if there are more or fewer, so that whoever reads finds out as well.

        Raises `LedgerError` if a line there is no entry.
        """
        if not self._is_loaded:
            self._load(end)
        known = len(self)
        self._take_in(end)
        if len(self) != games:
            known = 0
            self._make_anew(end)
        if len(self) == games > known:
            self._write(known)

    def enter(self, key: bytes | None, line_end: int) -> None:
        """Take in the game on the line after the last that is indexed; it ends there."""
        self._enter(key or NO_KEY, self._end)
        self._end = line_end
        self._write(len(self) - 1)

    def make_anew(self, end: int) -> None:
        """Compute every row from the journal."""
        self._make_anew(end)
        self._write(0)

    def _make_anew(self, end: int) -> None:
        self._rows, self._numbers, self._end = bytearray(), {}, 0
        self._take_in(end)

    def _load(self, end: int) -> None:
        """Take the rows of the file, if they fit the journal."""
        rows = stored(self.path, end)
        self._is_loaded = True
        if (line_end := fitting(self._journal, rows, end)) is None:
            return
        for key, offset in ROW.iter_unpack(rows):
            self._enter(key, offset)
        self._end = line_end

    def _take_in(self, end: int) -> None:
        if end - self._end > LONG:
            self._notices.append(
                f"{self.path} was missing or did not fit its journal, and is computed anew"
            )
        for line in self._journal.lines(self._end, end):
            entry = self._journal.parse(line)
            if "kind" not in entry:
                self._enter(key_of(entry) or NO_KEY, line.start)
            self._end = line.end

    def _enter(self, key: bytes, offset: int) -> None:
        self._rows += ROW.pack(key, offset)
        if key != NO_KEY:
            self._numbers.setdefault(key, []).append(len(self))

    def _write(self, known: int) -> None:
        """Write all rows but those that were ``known``, which the file has.

        Rows depend on the journal alone: another judge writes the same ones to the same places.
        """
        start = known * ROW.size
        # Where it cannot be written, this run has its rows in memory, and the next makes them anew.
        with contextlib.suppress(OSError):
            if not known or not self._write_on(start):
                data = HEADER + self._rows
                writing.replace(self.path.parent, self.path.name, data)

    def _write_on(self, start: int) -> bool:
        """Write the rows from there on into the file, unless it is not there or too short."""
        try:
            with opened(self.path, os.O_WRONLY) as fd:
                at = len(HEADER) + start
                if os.fstat(fd).st_size < at:
                    return False
                os.lseek(fd, at, os.SEEK_SET)
                writing.write(fd, bytes(self._rows[start:]))
                return True
        except OSError:  # no file, a link, or what cannot be written
            return False


def path_of(journal: Journal) -> Path:
    """Where the index of a journal lies: ``X.games.index`` beside ``X.games.jsonl``."""
    return journal.path.with_suffix(".index")


def count_of(journal: Journal) -> int:
    """How many games a journal holds, for one who reads; raises `LedgerError` if it cannot be told.

    As the index has it, if its last row is right; that may be a game behind.
    """
    size = journal.size()
    rows = stored(path_of(journal), size)
    if fitting(journal, rows, size) is not None:
        return len(rows) // ROW.size
    return sum(identified(journal, line)[0] is not None for line in journal.lines())


def fits(journal: Journal, games: int, end: int) -> bool:
    """Whether the last of so many games up to ``end`` stands where the index says, for one who
    reads; True, too, if the index does not say. If it is not there, somebody has edited the
    journal."""
    row = stored_row(path_of(journal), games) if games else None
    if row is None:
        return True
    line_end = fitting(journal, row, end)
    if line_end is None:
        return False
    return all(game_in(journal, line) is None for line in journal.lines(line_end, end))


def line_of(journal: Journal, number: int) -> Line | None:
    """The line of the game with this number, for one who reads; None if there are not so many.

    The index says where it is if the line there has the number. Otherwise the journal is read up to
    it; raises `LedgerError` if a line on the way is no entry.
    """
    if number < 1:
        return None
    row = stored_row(path_of(journal), number)
    if row and (line := line_at(journal, ROW.unpack(row)[1])) and _number(line) == number:
        return line
    games = 0
    for line in journal.lines():
        games += identified(journal, line)[0] is not None
        if games == number:
            return line
    return None


def stored(path: Path, end: int) -> bytes:
    """The whole rows of an index file; none if they are not there, the file is no index, or they
    are not those of lines that come one after the other and begin before ``end``. No more is read
    of a file than is in order."""
    rows, before = bytearray(), -1
    try:
        with opened(path, os.O_RDONLY) as fd, open(fd, "rb", closefd=False) as file:
            if file.read(len(HEADER)) != HEADER:
                return b""
            while block := file.read(BLOCK):
                for _, offset in ROW.iter_unpack(block[: len(block) - len(block) % ROW.size]):
                    if not before < offset < end:
                        return b""
                    before = offset
                rows += block
    except OSError:
        return b""
    return bytes(rows[: len(rows) - len(rows) % ROW.size])


def stored_row(path: Path, number: int) -> bytes | None:
    """The row of the game with this number, if the file has it."""
    with contextlib.suppress(OSError), opened(path, os.O_RDONLY) as fd:
        if os.pread(fd, len(HEADER), 0) == HEADER:
            row = os.pread(fd, ROW.size, len(HEADER) + (number - 1) * ROW.size)
            return row if len(row) == ROW.size else None
    return None


def fitting(journal: Journal, rows: bytes, end: int) -> int | None:
    """Where the line of the last of these rows ends, if they fit the journal up to ``end``: if
    there is one, and the last is the game that its row says."""
    if not rows:
        return None
    key, offset = ROW.unpack(rows[-ROW.size :])
    line = line_at(journal, offset)
    return line.end if line and line.end <= end and is_game(line, key) else None


def line_at(journal: Journal, offset: int) -> Line | None:
    """The line of the journal that begins there, if one does."""
    try:
        if offset:
            before = next(journal.lines(offset - 1), None)
            if before is None or before.data:  # else a line feed ends the line before
                return None
        return next(journal.lines(offset), None)
    except LedgerError:
        return None


def is_game(line: Line, key: bytes) -> bool:
    """Whether there is a game on the line, and the one with this key."""
    try:
        entry = parse(line.data)
    except ValueError:
        return False
    return "kind" not in entry and (key_of(entry) or NO_KEY) == key


def _number(line: Line) -> int | None:
    """The number that the game on the line was given, if there is one."""
    try:
        number = parse(line.data).get("number")
    except ValueError:
        return None
    return number if isinstance(number, int) else None
