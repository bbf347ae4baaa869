"""Checks that a bot's files are still the digested ones.

Before and after a game the status of each file is compared with its stamp. Only a file with another
status is read again. Added files are no change: without isolation a bot may write beside its own
files.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from typing import NamedTuple

from judge.errors import BotChanged

_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY | os.O_NOFOLLOW | os.O_NONBLOCK


class FileStamp(NamedTuple):
    """A file or a link as it was digested: the ``stamp`` was taken before the file was read, and
    ``digest`` is the SHA-256 of its content."""

    path: str
    stamp: tuple[int, ...]
    digest: bytes


def stamp_of(status: os.stat_result) -> tuple[int, ...]:
    """The parts of a file's status that are compared. If they are the same as before, the file
    counts as unchanged."""
    return (
        status.st_mode,
        status.st_dev,
        status.st_ino,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


class ChangeGuard:
    """Checks the files of bots again and again. Thread-safe."""

    def __init__(self) -> None:
        # New stamps of unchanged files, by path and digest.
        self._stamps: dict[tuple[str, bytes], tuple[int, ...]] = {}

    def require(self, name: str, stamps: Iterable[FileStamp]) -> None:
        """Raise `BotChanged` if a file of the bot called ``name`` cannot be read, or is not the
        digested one any more."""
        for look in stamps:
            try:
                status = os.lstat(look.path)
                stamp = stamp_of(status)
                known = self._stamps.get((look.path, look.digest), look.stamp)
                if stamp == known:
                    continue
                is_same = (
                    _kind(stamp[0]) == _kind(known[0]) and _digest(status, look) == look.digest
                )
            except OSError as error:
                raise BotChanged(
                    name, f"{look.path!r} cannot be read any more ({error.strerror})"
                ) from None
            if not is_same:
                raise BotChanged(name, f"{look.path!r} is another file than when the judge began")
            self._stamps[look.path, look.digest] = stamp


def _kind(mode: int) -> tuple[int, bool]:
    """The parts of a file's mode that count in a digest: its kind, and whether its owner may
    execute it."""
    is_file = stat.S_ISREG(mode)
    return stat.S_IFMT(mode), is_file and bool(mode & stat.S_IXUSR)


def _digest(status: os.stat_result, look: FileStamp) -> bytes:
    """The SHA-256 of a file's present content, or of a link's text. At most one byte more than the
    file's size is read."""
    if stat.S_ISLNK(status.st_mode):
        target = os.readlink(look.path)  # noqa: PTH115 - a Path is not written as the link is
        return hashlib.sha256(os.fsencode(target)).digest()
    with os.fdopen(os.open(look.path, _READ), "rb") as file:
        return hashlib.sha256(file.read(status.st_size + 1)).digest()
