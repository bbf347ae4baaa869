"""The journal: a file of JSON lines that only ever grows at its end.

A line counts once its line feed is on the disk. What a crash leaves without one was never
reported to anyone; it is set aside, not repaired. This file knows lines and offsets, and
nothing of what the entries mean. Whoever writes holds a lock; who reads does not, and may meet
the piece of a line that is just being written, so a reader stops where it meets one.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge import writing
from judge.documents import json_files
from judge.errors import LedgerError

BLOCK = 64 * 2**10
LONGEST_LINE = 64 * 2**20  # bytes: no game record comes near


@dataclass(frozen=True, slots=True)
class Line:
    """A whole line: where it starts and ends in the file, and its bytes without the line feed."""

    start: int
    end: int
    data: bytes


class Journal:
    """One journal file, which may not be there yet. All methods raise `LedgerError`, with the
    file as it was, where the file cannot be read or written."""

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

    def lines(self, start: int = 0, end: int | None = None) -> Iterator[Line]:
        """The whole lines between two offsets at which lines begin; to the last one by default."""
        if start >= (self.size() if end is None else end):
            return
        with self._reading(), self.path.open("rb") as file:
            file.seek(start)
            while data := file.readline(LONGEST_LINE + 1):
                if not data.endswith(b"\n"):
                    if len(data) > LONGEST_LINE:
                        raise self._too_long(start)
                    return  # torn, or still being written: what comes after belongs to it
                yield Line(start, start + len(data), data[:-1])
                start += len(data)
                if start == end:
                    return

    def backwards(self) -> Iterator[Line]:
        """The whole lines from the last to the first, reading hardly more than is asked for."""
        start = self.size()
        if not start:
            return
        rest = b""  # the end of a line whose start is not read yet, up to its line feed
        with self._reading(), self.path.open("rb") as file:
            while start:
                step = min(max(BLOCK, len(rest)), start)  # so that a long line is read in few steps
                start -= step
                file.seek(start)
                if len(rest) > LONGEST_LINE:
                    raise self._too_long(start)
                block = file.read(step) + rest
                if not rest:
                    block = block[: block.rfind(b"\n") + 1]  # without what is torn
                end = len(block)
                while (feed := block.rfind(b"\n", 0, max(end - 1, 0))) >= 0:
                    yield Line(start + feed + 1, start + end, block[feed + 1 : end - 1])
                    end = feed + 1
                rest = block[:end]
            if rest:
                yield Line(0, len(rest), rest[:-1])

    def _too_long(self, at: int) -> LedgerError:
        return LedgerError(
            f"{self.path} is no journal: it has a line of more than {LONGEST_LINE:,} bytes, around "
            f"byte {at:,}; bring back a copy of the file"
        )

    def is_torn(self) -> bool:
        """Whether the file ends in the middle of a line."""
        last = next(self.backwards(), None)
        return self.size() > (0 if last is None else last.end)

    def number(self, line: Line) -> int:
        """Which line of the file this is, from 1; reads the file up to it."""
        with self._reading(), self.path.open("rb") as file:
            left, count = line.start, 1
            while left and (block := file.read(min(BLOCK, left))):
                count += block.count(b"\n")
                left -= len(block)
        return count

    def parse(self, line: Line) -> dict[str, Any]:
        """The entry on a line; raises `LedgerError` that names the line if there is none."""
        try:
            return parse(line.data)
        except ValueError as error:
            raise self.damaged(line, str(error)) from None

    def damaged(self, line: Line, why: str, mend: str | None = None) -> LedgerError:
        """The error that names a line, with what mends it.

        An order is never to be removed: those that take back later ones count it. What is wrong
        with it may be that a line before it is gone.
        """
        mend = mend or (
            "bring back a copy of the file; `judge ledger verify` names every line that is wrong"
            if b'"kind":' in line.data
            else "mend or remove that line, or bring back a copy of the file"
        )
        return LedgerError(
            f"{self.path}, line {self.number(line)} is damaged: {why}. Nothing was changed; {mend}"
        )

    def append(self, *entries: Mapping[str, Any]) -> None:
        """Write entries to the end, all of them at once, and return when they are on the disk."""
        self._extend(self.path, b"".join(map(as_line, entries)))
        if not self._folder_synced:
            # Even if the file was there: who made it may have died before it came to this.
            sync_folder(self.path.parent)
            self._folder_synced = True

    def sync(self) -> None:
        """Put on the disk what others have written, who may have died before it was there."""
        if self.path.exists():
            with _writing(self.path), opened(self.path, os.O_RDONLY) as fd:
                os.fsync(fd)

    def set_torn_aside(self, whole: int) -> Path:
        """Move what follows the whole lines, which end at ``whole``, to a file of its own.

        The copy is on the disk before the journal is cut, so a crash between loses nothing; the
        cut itself may wait for the next entry, for until then the piece is set aside again.
        """
        aside = self.path.with_name(self.path.name + ".torn")
        with self._reading(), self.path.open("rb") as journal:
            journal.seek(whole)
            torn = journal.read()
        self._extend(aside, torn + b"\n")
        sync_folder(self.path.parent)
        with _writing(self.path), opened(self.path, os.O_WRONLY) as fd:
            os.ftruncate(fd, whole)
        return aside

    @staticmethod
    def _extend(path: Path, data: bytes) -> None:
        """Add bytes to the end of a file and wait for the disk; all of them or none."""
        with _writing(path), opened(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT) as fd:
            start = os.fstat(fd).st_size
            try:
                writing.write(fd, data, durable=True)
            except BaseException:  # an interrupt, too: nobody will be told of this entry
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


def as_line(entry: Mapping[str, Any]) -> bytes:
    """An entry as it is written."""
    # All ASCII: a bot may print half a character, which is text to JSON but not to UTF-8.
    return f"{json.dumps(entry, allow_nan=False, separators=(',', ':'))}\n".encode()


def parse(data: bytes) -> dict[str, Any]:
    """The entry on a line; raises ValueError with the reason if there is none."""
    entry = json_files.parse(data)
    if isinstance(entry, dict):
        return entry
    raise ValueError("it is no JSON object")


@contextlib.contextmanager
def opened(path: Path, flags: int) -> Iterator[int]:
    """The descriptor of an ordinary file, which is no link, for as long as it is needed."""
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
