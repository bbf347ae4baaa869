"""Reads a bot's files: their size in bytes, a digest, and their contents.

`parts` reads all files and follows no link, so the digested files are the files that run. Only
names, executable bits, contents and the texts of links count for the digest. A hard link is a file
like any other: package managers make hard links, and a user who can make one could also copy the
file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from judge.errors import UsageError
from judge.process.bots.files import opened, quoted, reading
from judge.process.bots.stamps import FileStamp, stamp_of
from judge.process.bots.tree import Tree, TreeEntry


@dataclass(frozen=True, slots=True)
class Contents:
    """The measures of a bot's files. ``digest`` is ``sha256:`` and 64 hexadecimal digits, ``size``
    is in bytes, and ``stamps`` are taken of each file before it is read."""

    digest: str
    size: int
    stamps: tuple[FileStamp, ...]


@dataclass(frozen=True, slots=True)
class ContentPart:
    """A file of a bot, or a link, by its name relative to the bot's folder.

    ``data`` is the content of the file, or the text of the link. ``path`` and ``stamp`` are as in
    `judge.process.bots.stamps.FileStamp`.
    """

    name: str
    data: bytes
    is_link: bool = False
    is_executable: bool = False
    path: str = ""
    stamp: tuple[int, ...] = ()


def contents(
    files: Sequence[Path], folder: Path, *, shown: str, most_bytes: int, words: Iterable[str] = ()
) -> Contents:
    """Measure and digest a bot that is made of ``files``. Raises as `parts`, which reads them.

    ``words`` are the fixed words of a command line, which the digest covers too.
    """
    import hashlib

    # Each piece starts with its kind, and its end is clear, so two different bots never give the
    # same bytes: a word ends with a zero byte, and a part with a zero byte after its name and 32
    # more bytes.
    whole = hashlib.sha256()
    size = 0
    stamps = []
    for word in words:
        whole.update(b"w" + os.fsencode(word) + b"\0")
    for part in parts(files, folder, shown=shown, most_bytes=most_bytes):
        kind = b"l" if part.is_link else b"x" if part.is_executable else b"f"
        inner = hashlib.sha256(part.data)
        whole.update(kind + os.fsencode(part.name) + b"\0" + inner.digest())
        size += len(part.data)
        stamps.append(FileStamp(part.path, part.stamp, inner.digest()))
    return Contents(f"sha256:{whole.hexdigest()}", size, tuple(stamps))


def parts(
    files: Sequence[Path], folder: Path, *, shown: str, most_bytes: int
) -> Iterator[ContentPart]:
    """Yield the files and links of a bot, sorted by name: single ``files``, and all in those that
    are folders.

    Raises `UsageError`, naming the bot as ``shown``, if the bot has too many bytes or files,
    something else than files and inner links, or a file that cannot be read or changes meanwhile.
    The size is checked before any file is read.
    """
    with reading(shown):
        found = sorted(_found(files, folder, shown), key=lambda one: os.fsencode(one.entry.name))
    size = sum(one.entry.size for one in found)
    if size > most_bytes:
        largest = max((one.entry for one in found), key=lambda entry: entry.size)
        raise UsageError(
            f"{shown} has {size:,} bytes of files (the largest is {quoted(largest.name)}), "
            f"over the limit of {most_bytes:,}; take out what it does not need, "
            f"or allow more: --bot-size {-(-size // 2**20)}M"
        )
    for one in found:
        entry, path = one.entry, f"{one.root}/{one.inner}"
        if entry.target is not None:
            data, is_executable = os.fsencode(entry.target), False
        else:
            data, is_executable = one.read(shown), bool(entry.mode & stat.S_IXUSR)
        yield ContentPart(
            entry.name, data, entry.target is not None, is_executable, path, entry.stamp
        )


@dataclass(frozen=True, slots=True)
class _Found:
    """A file by its name ``inner`` below ``root``. ``entry`` is its state, with its name in the
    bot."""

    root: Path
    inner: str
    entry: TreeEntry

    def read(self, shown: str) -> bytes:
        """The content of the file. Raises `UsageError` if it cannot be read or has another kind or
        size."""
        with reading(shown), os.fdopen(opened(self.root, self.inner), "rb") as file:
            is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            data = file.read(self.entry.size + 1) if is_file else b""
        if not is_file or len(data) != self.entry.size:
            raise UsageError(f"{shown} changes while it is read: {quoted(self.entry.name)}")
        return data


def _found(files: Sequence[Path], folder: Path, shown: str) -> Iterator[_Found]:
    for path in files:
        status = path.lstat()
        if stat.S_ISDIR(status.st_mode):
            for name, entry in Tree.of(path, shown).entries.items():
                yield _Found(path, name, entry)
        elif stat.S_ISREG(status.st_mode):
            name = os.path.relpath(path, folder)
            entry = TreeEntry(name, status.st_mode, status.st_size, stamp=stamp_of(status))
            yield _Found(path.parent, path.name, entry)
        else:
            raise UsageError(f"{shown} is made of {quoted(path)}, which is not a file any more")
