"""The journal: a file of JSON lines that only ever grows at its end, each with a hash.

A line's hash is a digest of the hash before it and of its own text, so any change of any line is seen.
A line counts once its line feed is on the disk. The piece of a line that a crash leaves was never
reported to anyone; it is set aside, not repaired. This file knows lines, and nothing of what they mean.
A writer holds a lock. A reader does not, and may meet the piece of a line that is just being written,
so it stops where it meets one.
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

LONGEST_LINE = 64 * 2**20  # bytes, far more than any game record has
START = ""  # the hash before the first line
_HASH_BYTES = 16
_TAIL = len(',"hash":""}') + 2 * _HASH_BYTES


class Line(NamedTuple):
    """A whole line: its number, from 1, where it starts and ends in the file, the JSON on it without the
    hash, and the hash."""

    number: int
    start: int
    end: int
    data: bytes
    hash: str


class JournalPosition(NamedTuple):
    """How far a journal has been read: to the end of line ``number``, at the offset ``end``, whose hash
    is ``hash``."""

    number: int = 0
    end: int = 0
    hash: str = START


BEGIN = JournalPosition()


class Journal:
    """One journal file, which may not be there yet. All methods raise `LedgerError`, with the
    file as it was, if the file cannot be read or written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._folder_synced = False

    def size(self) -> int:
        """How long the file is, in bytes; 0 if it is not there."""
        with self._reading():
            try:
                return self.path.stat().st_size
            except FileNotFoundError:
                return 0

    def lines(self, after: JournalPosition = BEGIN, end: int | None = None) -> Iterator[Line]:
        """The whole lines after a place, up to the offset ``end``, each held to the hash before it.
        Raises `LedgerError` that names the first line that was edited."""
        position = after
        if position.end >= (self.size() if end is None else end):
            return
        with self._reading(), self.path.open("rb") as file:
            file.seek(position.end)
            while data := file.readline(LONGEST_LINE + 1):
                number = position.number + 1
                if not data.endswith(b"\n"):
                    if len(data) > LONGEST_LINE or _is_chained(data[:-1], position.hash):
                        raise self.edited(number)
                    return  # torn, or still being written: the rest belongs to this line
                if not _is_chained(data[:-1], position.hash):
                    raise self.edited(number)
                position = JournalPosition(number, position.end + len(data), hash_of(data[:-1]))
                yield Line(
                    number, position.end - len(data), position.end, _body(data), position.hash
                )
                if position.end == end:
                    return

    def line(self, start: int) -> Line:
        """The line that begins at an offset; its number is not known. Raises `LedgerError` that
        names a line that was edited, if this one does not follow from the one before it."""
        with self._reading(), self.path.open("rb") as file:
            file.seek(max(0, start - _TAIL - 1))
            before = file.readline() if start else b""
            data = file.readline(LONGEST_LINE + 1)
        if not _is_chained(data[:-1], hash_of(before[:-1])):
            for _ in self.lines():
                pass
        return Line(0, start, start + len(data), _body(data), hash_of(data[:-1]))

    def has(self, position: JournalPosition) -> bool:
        """Whether a line with that hash ends there."""
        if position.end < _TAIL:
            return position == BEGIN
        with self._reading(), self.path.open("rb") as file:
            file.seek(position.end - _TAIL - 1)
            return file.read(_TAIL + 1) == _tail(position.hash) + b"\n"

    def edited(self, number: int, why: str = "") -> LedgerError:
        """The error that names a line that was edited, with what helps."""
        ledger = word(str(self.path.with_name(self.path.name.replace(".games.jsonl", ".json"))))
        way_on = f"go on after line {number - 1}" if number > 1 else "begin anew"
        return LedgerError(
            f"{self.path} was edited at line {number}{why}: restore a copy of it, or `judge ledger "
            f"restart {ledger} --from {number}` to {way_on}"
        )

    def append(self, before: str, entries: Iterable[bytes]) -> str:
        """Write entries, each a JSON object, after the line of the hash ``before``, all of them at
        once, and return the last one's hash when they are on the disk."""
        lines = []
        for entry in entries:
            body = entry[:-1]
            before = _hashed(before, body)
            lines.append(body + _tail(before) + b"\n")
        self._extend(self.path, b"".join(lines))
        if not self._folder_synced:
            # Even if the file existed: its maker may have died before this step.
            sync_folder(self.path.parent)
            self._folder_synced = True
        return before

    def sync(self) -> None:
        """Put on the disk what others have written, who may have died before it was there."""
        if self.path.exists():
            with _writing(self.path), opened(self.path, os.O_RDONLY) as fd:
                os.fsync(fd)

    def cut(self, end: int, aside: Path) -> None:
        """Move all that follows an offset to the end of another file.

        The copy is on the disk before the journal is cut, so a crash between loses nothing.
        """
        with self._reading(), self.path.open("rb") as journal:
            journal.seek(end)
            rest = journal.read()
        self._extend(aside, rest.removesuffix(b"\n") + b"\n")
        sync_folder(self.path.parent)
        with _writing(self.path), opened(self.path, os.O_WRONLY) as fd:
            os.ftruncate(fd, end)

    @staticmethod
    def _extend(path: Path, data: bytes) -> None:
        """Add bytes to the end of a file and wait for the disk; all of them or none."""
        with _writing(path), opened(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT) as fd:
            start = os.fstat(fd).st_size
            try:
                writing.write(fd, data, durable=True)
            except BaseException:  # an interrupt, too: this entry was not reported
                os.ftruncate(fd, start)
                if not start:  # an empty journal would be taken for a ledger
                    path.unlink(missing_ok=True)
                raise

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise LedgerError(f"{self.path} cannot be read: {error.strerror}") from error


def _body(line: bytes) -> bytes:
    """The JSON on a line, without its hash."""
    return line[: -_TAIL - 1] + b"}"


def hash_of(line: bytes) -> str:
    """The hash that a line ends with."""
    return line[-2 - 2 * _HASH_BYTES : -2].decode("latin-1")


def _is_chained(line: bytes, before: str) -> bool:
    """Whether a line ends with the hash that it has to have after the one ``before``."""
    return line[-_TAIL:] == _tail(_hashed(before, line[:-_TAIL]))


def _hashed(before: str, body: bytes) -> str:
    digest = hashlib.blake2b(before.encode(), digest_size=_HASH_BYTES)
    digest.update(body)
    return digest.hexdigest()


def _tail(hash_: str) -> bytes:
    return f',"hash":"{hash_}"}}'.encode()


@contextlib.contextmanager
def opened(path: Path, flags: int) -> Iterator[int]:
    """The descriptor of an ordinary file, which is not a link, for as long as it is needed."""
    fd = writing.opened(path, flags)
    try:
        yield fd
    finally:
        os.close(fd)


def sync_folder(folder: Path) -> None:
    """Put a folder's own entries on the disk: names of files made, replaced or removed in it."""
    with _writing(folder):
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise LedgerError(
            f"{path} cannot be written: {error.strerror}; what was in it before still is"
        ) from error
