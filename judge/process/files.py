"""What a bot's files hold: how many bytes, and a digest by which a changed bot is known.

Symbolic links are never followed from here: one counts by the text of its target, so that
nothing outside of a bot is read. Only names, executable bits and contents count; neither times
and owners do, nor the order in which a file system lists them.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from judge.errors import UsageError

# What tools leave in a folder of their own accord; a bot is no other bot for it.
IGNORED = frozenset({"__pycache__", ".git", ".hg", ".svn", ".bzr", ".jj"})

MOST_FILES = 10_000  # in one bot's folder, folders included
HEAD_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Contents:
    """``digest`` is ``sha256:`` and 64 hexadecimal digits, ``size`` in bytes."""

    digest: str
    size: int


@dataclass(frozen=True, slots=True)
class _Entry:
    """A file, or what else is no folder, by its name relative to the bot's folder."""

    name: str
    path: Path
    status: os.stat_result

    @property
    def size(self) -> int:
        return self.status.st_size if stat.S_ISREG(self.status.st_mode) else 0


def contents(
    files: Sequence[Path], folder: Path, *, shown: str, most_bytes: int, words: Iterable[str] = ()
) -> Contents:
    """Measure and digest a bot that is made of ``files`` (of whole folders, with all in them).

    ``words`` is what else makes it this bot: the fixed arguments of a command line. Raises
    `UsageError`, naming the bot as ``shown``, if it has more bytes or files than it may, or
    one that cannot be read. A bot that is too large is not read to find out.
    """
    with reading(shown):
        entries = sorted(_entries(files, folder, shown), key=lambda entry: os.fsencode(entry.name))
    size = sum(entry.size for entry in entries)
    if size > most_bytes:
        largest = max(entries, key=lambda entry: entry.size)
        raise UsageError(
            f"{shown} has {size:,} bytes of files (the largest is {quoted(largest.name)}), "
            f"over the limit of {most_bytes:,}; take out what it does not need, "
            f"or allow more: --bot-size {-(-size // 2**20)}M"
        )
    return Contents(_digest(entries, words, shown), size)


def head(path: Path, shown: str) -> bytes:
    """The first bytes of a regular file; raises `UsageError` if it cannot be read."""
    with reading(shown), path.open("rb") as file:
        return file.read(HEAD_BYTES)


@contextlib.contextmanager
def reading(shown: str) -> Iterator[None]:
    """Turn what the file system refuses into a `UsageError` about what is ``shown``."""
    try:
        yield
    except PermissionError as error:
        where = quoted(error.filename) if error.filename else "it"
        raise UsageError(
            f"{shown} cannot be read: permission denied for {where}; chmod -R u+rX would give it"
        ) from None
    except OSError as error:
        raise UsageError(f"{shown} cannot be read: {error.strerror}") from None


def names_in(folder: Path, shown: str) -> list[str]:
    """What a folder holds, sorted; raises `UsageError` if it cannot be listed."""
    with reading(shown):
        return sorted(path.name for path in folder.iterdir())


def is_file(path: Path) -> bool:
    """Whether there is a regular file, or a link to one; of what may not be looked at: no."""
    return os.access(path, os.F_OK) and path.is_file()


def is_folder(path: Path) -> bool:
    """Whether there is a folder, or a link to one; of what may not be looked at: no."""
    return os.access(path, os.F_OK) and path.is_dir()


def is_executable(path: Path) -> bool:
    """Whether there is a regular file that this user may execute."""
    return os.access(path, os.X_OK) and path.is_file()


def quoted(text: str | os.PathLike[str], most: int = 120) -> str:
    """A name as messages show it: in quotes, unprintable characters escaped, not too long."""
    whole = os.fspath(text)
    if len(whole) > most:
        whole = f"{whole[: most // 2]}…{whole[-most // 2 :]}"
    return repr(whole)


def _entries(files: Sequence[Path], folder: Path, shown: str) -> Iterator[_Entry]:
    for path in files:
        status = path.lstat()
        if stat.S_ISDIR(status.st_mode):
            yield from _walk(path, shown)
        else:
            yield _Entry(os.path.relpath(path, folder), path, status)


def _walk(root: Path, shown: str) -> Iterator[_Entry]:
    folders = [("", root)]
    count = 0
    while folders:
        prefix, folder = folders.pop()
        with os.scandir(folder) as listing:
            for entry in listing:
                if entry.name in IGNORED:
                    continue
                count += 1
                if count > MOST_FILES:
                    raise UsageError(
                        f"{shown} holds more than {MOST_FILES:,} files and folders; "
                        "give the bot a folder of its own, with no more in it than it needs"
                    )
                name = prefix + entry.name
                if entry.is_dir(follow_symlinks=False):
                    folders.append((f"{name}/", Path(entry.path)))
                else:
                    status = entry.stat(follow_symlinks=False)
                    yield _Entry(name, Path(entry.path), status)


def _digest(entries: Iterable[_Entry], words: Iterable[str], shown: str) -> str:
    """Each part of the digest starts with its kind and ends by itself, so no two bots that
    differ are written alike: a word ends with a zero byte, an entry after a name, a zero byte
    and 32 bytes more.
    """
    import hashlib

    whole = hashlib.sha256()
    for word in words:
        whole.update(b"w" + os.fsencode(word) + b"\0")
    for entry in entries:
        mode = entry.status.st_mode
        if stat.S_ISREG(mode):
            kind = b"x" if mode & stat.S_IXUSR else b"f"
            with reading(shown), entry.path.open("rb") as file:
                inner = hashlib.file_digest(file, "sha256")
        else:
            # A pipe or a socket is known by its name: opening it would wait for ever.
            kind = b"l" if stat.S_ISLNK(mode) else b"o"
            with reading(shown):
                target = os.fsencode(entry.path.readlink()) if kind == b"l" else b""
            inner = hashlib.sha256(target)
        whole.update(kind + os.fsencode(entry.name) + b"\0" + inner.digest())
    return f"sha256:{whole.hexdigest()}"
