"""Scratch folders: every move gets an empty one, and nothing of it is left afterwards.

Most bots never touch theirs. Such a folder goes to a later move: making and removing one costs
more than all else that the judge does with files for a move.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import tempfile
from collections import deque
from collections.abc import Iterator
from functools import cache
from pathlib import Path


@contextlib.contextmanager
def scratch() -> Iterator[str]:
    """An empty folder for one move, which the next will not find as this one leaves it."""
    try:
        folder, look = _untouched.pop()
    except IndexError:
        folder = tempfile.mkdtemp(dir=of_this_run())
        look = _look(folder)
    try:
        yield folder
    finally:
        if _look(folder) == look:
            _untouched.append((folder, look))
        else:
            _remove(Path(folder))


def place() -> str:
    """Where a scratch folder can be that is to have the same name in many moves."""
    folder = tempfile.mkdtemp(dir=of_this_run())
    Path(folder).rmdir()
    return folder


@contextlib.contextmanager
def scratch_at(folder: str) -> Iterator[None]:
    """A folder of that name, empty, for one move."""
    Path(folder).mkdir(0o700)
    try:
        yield
    finally:
        _remove(Path(folder))


_Look = tuple[object, ...] | None
_untouched: deque[tuple[str, _Look]] = deque()  # as many as there were moves at once


def _look(folder: str) -> _Look:
    """What a folder that nobody has touched has kept: whatever is done to it changes its ctime.

    Its names are looked at too, since the clock of ctime may stand still for some milliseconds.
    """
    try:
        now = os.lstat(folder)
        names = os.listdir(folder)  # noqa: PTH208 - for every move, where a Path costs twice as much
    except OSError:
        return None  # it is no longer there, or no folder, or shut
    return now.st_ino, now.st_mode, now.st_uid, now.st_gid, now.st_ctime_ns, *names


@cache
def of_this_run() -> str:
    """A folder for the scratch folders of this process, removed at its end."""
    folder = tempfile.mkdtemp(prefix="judge-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _remove(folder: Path) -> None:
    """Remove a folder in which a bot has left things, or what it has put in its place.

    The permissions that it may have taken from folders are given back; no link is followed.
    """
    if folder.is_symlink() or not folder.is_dir():
        folder.unlink(missing_ok=True)
        return
    folder.chmod(0o700)
    for path, folders, _ in os.walk(folder):
        for name in folders:
            inner = Path(path, name)
            if not inner.is_symlink():
                with contextlib.suppress(OSError):
                    inner.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)
