"""Whether the files of a bot are still those that were digested.

Before a game and after it each file is looked at once, which costs two calls of the kernel a file.
Only a file that looks different is read. Files that have been added are no change: a bot may write
beside its own files where nothing keeps it from that.
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
    """A file, or a link, as it was digested: its ``stamp``, taken before it was read, and the
    SHA-256 of what it held."""

    path: str
    stamp: tuple[int, ...]
    digest: bytes


def stamp_of(status: os.stat_result) -> tuple[int, ...]:
    """The parts of a file's status that change when its contents change."""
    return (
        status.st_mode,
        status.st_dev,
        status.st_ino,
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )


class ChangeGuard:
    """The files of bots, looked at again and again. Thread-safe."""

    def __init__(self) -> None:
        # By path and digest, of files that hold the same as ever and look different.
        self._stamps: dict[tuple[str, bytes], tuple[int, ...]] = {}

    def require(self, name: str, stamps: Iterable[FileStamp]) -> None:
        """Raise `BotChanged` unless the bot of that name has the files that were digested."""
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
    """The bits of a mode that a digest knows."""
    is_file = stat.S_ISREG(mode)
    return stat.S_IFMT(mode), is_file and bool(mode & stat.S_IXUSR)


def _digest(status: os.stat_result, look: FileStamp) -> bytes:
    """The digest of a file, or of a link, as it is now, read no further than one byte over its
    size."""
    if stat.S_ISLNK(status.st_mode):
        target = os.readlink(look.path)  # noqa: PTH115 - a Path is not written as the link is
        return hashlib.sha256(os.fsencode(target)).digest()
    with os.fdopen(os.open(look.path, _READ), "rb") as file:
        return hashlib.sha256(file.read(status.st_size + 1)).digest()
