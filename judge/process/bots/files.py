"""Reads and looks at files by their paths, and quotes the names of files for messages.

`head`, `names_in` and `reading` turn refusals of the file system into `UsageError`.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from judge.errors import UsageError

HEAD_BYTES = 4096


def head(path: Path, shown: str) -> bytes:
    """The first `HEAD_BYTES` bytes of a regular file; empty for anything else. Raises `UsageError`
    if the file cannot be read."""
    # O_NONBLOCK: a FIFO that has taken the file's place would wait for a writer.
    with reading(shown), os.fdopen(os.open(path, _READ | os.O_NONBLOCK), "rb") as file:
        return file.read(HEAD_BYTES) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else b""


_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOCTTY


def opened(root: Path, name: str, flags: int = 0, *, at: int | None = None, whole: str = "") -> int:
    """A descriptor to read the file ``name`` below the folder ``root``. No part of the name may be
    a link.

    With ``at``, the descriptor of a folder, the name begins there, and ``whole`` is the name from
    ``root`` for an error. Raises `OSError` with the whole path.
    """
    *folders, last = name.split("/")
    here = os.open(root, _READ | os.O_DIRECTORY | os.O_NOFOLLOW) if at is None else os.dup(at)
    try:
        for folder in folders:
            inner = os.open(folder, _READ | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
            os.close(here)
            here = inner
        return os.open(last, _READ | os.O_NOFOLLOW | os.O_NONBLOCK | flags, dir_fd=here)
    except OSError as error:
        error.filename = str(root / (whole or name))
        raise
    finally:
        os.close(here)


@contextlib.contextmanager
def reading(shown: str) -> Iterator[None]:
    """A ``with`` block in which an `OSError` becomes a `UsageError` about ``shown``."""
    try:
        yield
    except PermissionError as error:
        where = quoted(error.filename) if error.filename else "it"
        mend = (
            "chmod -R u+rX would give it"
            if error.filename and _is_ours(error.filename)
            else "take a copy that you may read"
        )
        raise UsageError(f"{shown} cannot be read: permission denied for {where}; {mend}") from None
    except OSError as error:
        raise UsageError(f"{shown} cannot be read: {error.strerror}") from None


def _is_ours(path: str | bytes) -> bool:
    with contextlib.suppress(OSError):
        return os.lstat(path).st_uid == os.geteuid()
    return False


def names_in(folder: Path, shown: str) -> list[str]:
    """The names in a folder, sorted. Raises `UsageError` if the folder cannot be listed."""
    with reading(shown):
        return sorted(path.name for path in folder.iterdir())


def is_file(path: Path) -> bool:
    """Whether a path that may be looked at leads to a regular file, with links followed."""
    return os.access(path, os.F_OK) and path.is_file()


def is_folder(path: Path) -> bool:
    """Whether a path that may be looked at leads to a folder, with links followed."""
    return os.access(path, os.F_OK) and path.is_dir()


def is_executable(path: Path) -> bool:
    """Whether a path leads to a regular file that this user may execute."""
    return os.access(path, os.X_OK) and path.is_file()


def quoted(text: str | os.PathLike[str], most: int = 120) -> str:
    """A name as messages show it: in quotes, with unprintable characters escaped, and cut to about
    ``most`` characters."""
    whole = os.fspath(text)
    if len(whole) > most:
        whole = f"{whole[: most // 2]}…{whole[-most // 2 :]}"
    return repr(whole)
