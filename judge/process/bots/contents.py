"""The contents of a bot's files: their size in bytes, a digest by which a changed bot is known, and
a copy.

All three come from one reading, `parts`, which follows no link: so what is digested is what runs.
Only names, executable bits, contents and the texts of links count; neither times and owners do,
nor the order in which a file system lists them. A file with other names elsewhere (a hard link) is
a file like any: package managers make such, and nobody can who could not have copied it.
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
    """``digest`` is ``sha256:`` and 64 hexadecimal digits, ``size`` in bytes; ``stamps`` are how
    each file looked before it was read."""

    digest: str
    size: int
    stamps: tuple[FileStamp, ...]


@dataclass(frozen=True, slots=True)
class ContentPart:
    """A file of a bot, by its name relative to the bot's folder, or a relative link in it.

    ``data`` is what the file holds, or the text of the link. ``path`` and ``stamp`` are as in
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
    """Measure and digest a bot that is made of ``files``, as `parts` reads it.

    ``words`` is what else makes it this bot: the fixed arguments of a command line.
    """
    import hashlib

    # Each piece starts with its kind and ends by itself, so no two bots that differ are written
    # alike: a word ends with a zero byte, a part after a name, a zero byte and 32 bytes more.
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
    """All that a bot is made of, sorted by name: its ``files``, or its one whole folder.

    Raises `UsageError`, naming the bot as ``shown``, if it has more bytes or files than it may,
    anything but files and links within its folder, or one that cannot be read or changes
    meanwhile. A bot that is too large is not read to find out.
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
    """A file by its name below ``root``, and as it was seen there, named as the bot knows it."""

    root: Path
    inner: str
    entry: TreeEntry

    def read(self, shown: str) -> bytes:
        """The content of a file; raises `UsageError` if that is not what was seen."""
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
