"""The journal: a file of JSON lines. New lines are added at its end. Each line ends with a hash.

A line's hash is a digest of the hash before it and of the line's text, so a change of any line is
seen. A line counts once its line feed is on the disk. A crash may leave a piece of a line at the
end, whose game was not reported yet; the ledger moves the piece into another file. This module does
not know what a line means. Writers hold a lock and readers do not. So a reader stops at a piece of
a line, since a writer may just be writing the rest.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from judge import writing
from judge.errors import LedgerError
from judge.quoting import word

LONGEST_LINE = 64 * 2**20  # bytes, far more than a game's record takes
START = ""  # the hash before the first line
_HASH_BYTES = 16
_TAIL = len(',"hash":""}') + 2 * _HASH_BYTES


class JournalPosition(NamedTuple):
    """The end of line ``number`` of a journal: its offset ``end`` and the line's ``hash``. By
    default it is the journal's beginning."""

    number: int = 0
    end: int = 0
    hash: str = START


class Line(NamedTuple):
    """A whole line, which ends at its ``position``. ``data`` is the line's JSON without the
    hash."""

    position: JournalPosition
    data: bytes


BEGIN = JournalPosition()


class Journal:
    """A journal file, which may not exist yet. Methods raise `LedgerError` if the file cannot be
    read or written, and leave it unchanged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._folder_synced = False

    def size(self) -> int:
        """The length of the file in bytes; 0 if it does not exist."""
        return writing.size(self.path.parent, self.path.name) or 0

    def lines(self, after: JournalPosition = BEGIN, end: int | None = None) -> Iterator[Line]:
        """The whole lines after a position, up to the offset ``end``. Each line's hash is checked.
        Raises a `LedgerError` that names the first line that was edited."""
        position = after
        missing = contextlib.suppress(FileNotFoundError)
        with failing(self.path, "read"), missing, self.path.open("rb") as file:
            file.seek(position.end)
            while (end is None or position.end < end) and (data := file.readline(LONGEST_LINE + 1)):
                number, body = position.number + 1, data[: -_TAIL - 1]
                is_whole = data.endswith(b"\n")
                is_chained = data[-_TAIL - 1 : -1] == _tail_after(position.hash, body)
                if not is_whole and not is_chained and len(data) <= LONGEST_LINE:
                    return  # the line is torn, or still being written
                if not is_whole or not is_chained:
                    raise self.edited(number)
                position = JournalPosition(number, position.end + len(data), _hash_of(data[:-1]))
                yield Line(position, body + b"}")

    def line_end(self, end: int, number: int = 0) -> JournalPosition:
        """The position of the line that ends at an offset; `BEGIN` if no line ends there. The
        line's ``number`` cannot be found there, so the caller gives it."""
        if end <= _TAIL:
            return BEGIN
        with failing(self.path, "read"), self.path.open("rb") as file:
            file.seek(end - _TAIL - 1)
            data = file.read(_TAIL + 1)
        return JournalPosition(number, end, _hash_of(data[:-1])) if data.endswith(b"\n") else BEGIN

    def edited(self, number: int, why: str = "") -> LedgerError:
        """The error that names an edited line and what to do about it. ``why`` is a clause after
        the line's number."""
        ledger = word(str(self.path.with_name(self.path.name.replace(".games.jsonl", ".json"))))
        way_on = f"go on after line {number - 1}" if number > 1 else "begin anew"
        return LedgerError(
            f"{self.path} was edited at line {number}{why}: restore a copy of it, or `judge ledger "
            f"restart {ledger} --from {number}` to {way_on}"
        )

    def append(self, before: str, entries: Iterable[bytes]) -> str:
        """Write entries, each a JSON object, after the line with the hash ``before``. Return the
        hash of the last entry once all are on the disk. If one cannot be written, none is."""
        lines = []
        for entry in entries:
            line = entry[:-1] + _tail_after(before, entry[:-1])
            before = _hash_of(line)
            lines.append(line + b"\n")
        self._extend(self.path, b"".join(lines))
        if not self._folder_synced:
            # An existing file needs this too: the judge that made it may have died before this
            # step.
            with failing(self.path.parent, "written"):
                writing.sync_folder(self.path.parent)
            self._folder_synced = True
        return before

    def sync(self) -> None:
        """Put the file's content on the disk. Another judge may have written lines and died before
        they were there."""
        with _opened(self.path, os.O_RDONLY) as fd:
            os.fsync(fd)

    def cut(self, end: int, suffix: str) -> Path:
        """Move all bytes after an offset to the end of a file beside the journal, whose name has a
        further ``suffix``. Return that file.

        The copy is on the disk before the journal is cut, so a crash in between loses nothing.
        """
        with failing(self.path, "read"), self.path.open("rb") as journal:
            journal.seek(end)
            rest = journal.read()
        aside = self.path.with_name(self.path.name + suffix)
        self._extend(aside, rest.removesuffix(b"\n") + b"\n")
        with _opened(self.path, os.O_WRONLY) as fd:
            writing.sync_folder(self.path.parent)
            os.ftruncate(fd, end)
        return aside

    @staticmethod
    def _extend(path: Path, data: bytes) -> None:
        """Add all of these bytes or none to the end of a file; wait until they are on the disk."""
        with _opened(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT) as fd:
            start = os.fstat(fd).st_size
            try:
                writing.write(fd, data, durable=True)
            except BaseException:  # an interrupt too, since this entry was not reported
                os.ftruncate(fd, start)
                if not start:  # a new file is removed, since an empty journal would be a ledger
                    path.unlink(missing_ok=True)
                raise


def _hash_of(line: bytes) -> str:
    """The hash at the end of a line without its line feed."""
    return line[-2 - 2 * _HASH_BYTES : -2].decode("latin-1")


def _tail_after(before: str, body: bytes) -> bytes:
    """The end of a line: the hash that follows from the hash ``before`` and the line's body."""
    digest = hashlib.blake2b(before.encode(), digest_size=_HASH_BYTES)
    digest.update(body)
    return f',"hash":"{digest.hexdigest()}"}}'.encode()


@contextlib.contextmanager
def _opened(path: Path, flags: int) -> Iterator[int]:
    """Open an ordinary file, not a link, until the block ends, to write it or to wait until it is on
    the disk. The value is the descriptor."""
    with failing(path, "written", "; what was in it before still is"):
        fd = writing.opened(path, flags)
        try:
            yield fd
        finally:
            os.close(fd)


@contextlib.contextmanager
def failing(path: Path, what: str, then: str = "") -> Iterator[None]:
    """Raise an OSError of the block as a `LedgerError`, whose sentence names the file, ``what`` it
    cannot be, such as "read", and the reason. ``then`` is the sentence's end."""
    try:
        yield
    except OSError as error:
        raise LedgerError(f"{path} cannot be {what}: {error.strerror}{then}") from error
