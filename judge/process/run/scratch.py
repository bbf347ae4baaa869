"""Scratch folders: every move gets an empty folder, and nothing that the move writes is left.

Most bots never touch their folder. An untouched folder is used again by a later move: making and
removing a folder costs more than all other work with files for a move.

All scratch folders of a run lie in one folder, which is locked while the judge runs: the next judge
removes the unlocked folders of killed judges. Files are removed through open folders and without
following links, since a bot or another user may put links in the way.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import re
import stat
import tempfile
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

# The name of a run's folder is public. The names inside are known only to their users.
_PREFIX = "judge-run-"
_A_RUN = re.compile(rf"{_PREFIX}[a-z0-9_]{{8}}")
_MODE = 0o711

NO_FILES: Mapping[str, bytes] = MappingProxyType({})

REMOVING_SECONDS = 10.0  # seconds for removing, if a process keeps making files

_TICK_NS = 50_000_000  # nanoseconds; longer than the clock of ctime stands still

_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW


@contextlib.contextmanager
def scratch(user: int | None = None, *, root: str | None = None) -> Iterator[str]:
    """A ``with`` block with an empty folder for one move.

    The folder belongs to ``user``, or to the judge's user. The folder lies in ``root``, by default
    the folder of this run.
    """
    root = root or of_this_run()
    untouched = _untouched.setdefault((root, user), deque())
    found = None
    while untouched and not found:
        folder, look = untouched.pop()
        if _look(folder) == look:
            found = folder
        else:  # a program that outlived its move has written there
            remove(Path(folder))
    if not found:
        folder = tempfile.mkdtemp(dir=root)
        if user is not None:
            os.chown(folder, user, user)
        look = _look(folder)
    try:
        yield folder
    finally:
        if _look(folder) == look:
            untouched.append((folder, look))
        else:
            remove(Path(folder))


@contextlib.contextmanager
def workplace(
    names: Iterable[str], user: int | None = None, files: Mapping[str, bytes] = NO_FILES
) -> Iterator[str]:
    """A ``with`` block with a new folder that holds these ``files`` and empty folders with these
    ``names``. The folder is filled before it is given to ``user``, and removed at the end."""
    folder = tempfile.mkdtemp(dir=of_this_run())
    try:
        made = [os.path.join(folder, name) for name in names]  # noqa: PTH118 - as elsewhere here
        for inner in made:
            Path(inner).mkdir(0o700)
        for name, content in files.items():
            made.append(os.path.join(folder, name))  # noqa: PTH118 - as elsewhere here
            Path(made[-1]).write_bytes(content)
        if user is not None:
            for each in (*made, folder):
                os.chown(each, user, user)
        yield folder
    finally:
        remove(Path(folder))


def meeting_place() -> str:
    """A new folder for a socket. Programs of other users can only enter it, and must know its name.
    The folder stays until it is removed or this run ends."""
    folder = tempfile.mkdtemp(dir=of_this_run())
    os.chmod(folder, _MODE)  # noqa: PTH101 - as elsewhere here
    return folder


def place() -> str:
    """A free path at which `scratch_at` can make the scratch folders of many moves."""
    folder = tempfile.mkdtemp(dir=of_this_run())
    Path(folder).rmdir()
    return folder


@contextlib.contextmanager
def scratch_at(folder: str, user: int | None = None) -> Iterator[None]:
    """A ``with`` block with an empty folder at this path for one move; see `scratch`."""
    Path(folder).mkdir(0o700)
    if user is not None:
        os.chown(folder, user, user)
    try:
        yield
    finally:
        remove(Path(folder))


_Look = tuple[object, ...] | None
# Untouched folders with their stamps, by root and user; as many as moves at the same time.
_untouched: dict[tuple[str, int | None], deque[tuple[str, _Look]]] = {}


def _look(folder: str) -> _Look:
    """A stamp that changes when the folder is touched: any change to the folder sets its ctime.

    The clock of ctime may stand still for some milliseconds, and a file system may keep whole
    seconds of it. So if another change might have the same ctime, the stamp has the names in the
    folder too. None if the folder cannot be read.
    """
    try:
        now = os.lstat(folder)
        is_unsure = time.time_ns() - now.st_ctime_ns < _TICK_NS or now.st_ctime_ns % 10**9 == 0
        names = os.listdir(folder) if is_unsure else ()  # noqa: PTH208 - a Path costs twice as much
    except OSError:
        return None  # it is missing, not a folder, or not readable
    return now.st_ino, now.st_mode, now.st_uid, now.st_gid, now.st_ctime_ns, *names


@cache
def of_this_run() -> str:
    """The folder for all scratch folders of this process, removed at the end of the process.
    Folders that killed judges have left are removed first."""
    path = Path(tempfile.gettempdir())
    sweep(path)
    while True:
        folder = tempfile.mkdtemp(prefix=_PREFIX, dir=path)
        lock = os.open(folder, os.O_RDONLY | _FOLDER)  # it stays open until this process ends
        os.fchmod(lock, _MODE)
        if _is_locked(lock) and os.fstat(lock).st_nlink:
            atexit.register(remove, Path(folder))
            return folder
        os.close(lock)  # another judge has removed it


def sweep(path: Path) -> None:
    """Remove the run folders in ``path`` that killed judges of this user have left."""
    with contextlib.suppress(OSError), _opened(str(path)) as around, os.scandir(around) as entries:
        for name in [entry.name for entry in entries if _A_RUN.fullmatch(entry.name)]:
            with contextlib.suppress(OSError), _opened(name, around) as folder:
                status = os.fstat(folder)
                is_a_runs = status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) == _MODE
                if is_a_runs and _is_locked(folder):
                    _empty(folder)
                    os.rmdir(name, dir_fd=around)


def _is_locked(folder: int) -> bool:
    """Lock a folder. Returns False if another judge has locked it."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def remove(folder: Path) -> None:
    """Remove a folder that a bot has written to, or whatever the bot has put in its place.
    Permissions that the bot may have taken from folders are restored. No link is followed. Errors
    are ignored."""
    with contextlib.suppress(OSError), _opened(str(folder.parent)) as around:
        try:
            os.unlink(folder.name, dir_fd=around)
        except IsADirectoryError:
            with _opened(folder.name, around, permit=True) as inside:
                _empty(inside)
            os.rmdir(folder.name, dir_fd=around)


def _empty(folder: int) -> None:
    """Remove all that can be removed in an open folder. Folders may be nested too deep for a path,
    or for one descriptor each. So one folder is open at a time, and ``..`` leads back. The work
    ends if ``..`` is not the folder before, or after `REMOVING_SECONDS`."""
    deadline = time.monotonic() + REMOVING_SECONDS
    at = os.dup(folder)
    way = [(_identity(at), _remove_files(at))]
    try:
        while time.monotonic() < deadline:
            _, folders = way[-1]
            if folders:
                try:
                    inner = _open(folders[-1], at, permit=True)
                except OSError:
                    folders.pop()
                    continue
                os.close(at)
                at = inner
                way.append((_identity(at), _remove_files(at)))
                continue
            way.pop()
            if not way:
                return
            outer = os.open("..", os.O_RDONLY | _FOLDER, dir_fd=at)
            os.close(at)
            at = outer
            where, folders = way[-1]
            if _identity(at) != where:
                return  # another process has moved it
            with contextlib.suppress(OSError):
                os.rmdir(folders.pop(), dir_fd=at)
    finally:
        os.close(at)


def _remove_files(folder: int) -> list[str]:
    """Remove all entries that are not folders, and return the names of the folders."""
    folders = []
    for name in os.listdir(folder):
        try:
            os.unlink(name, dir_fd=folder)
        except IsADirectoryError:
            folders.append(name)
        except OSError:
            continue  # it is missing, or cannot be removed
    return folders


def _identity(folder: int) -> tuple[int, int]:
    status = os.fstat(folder)
    return status.st_dev, status.st_ino


@contextlib.contextmanager
def _opened(name: str, around: int | None = None, *, permit: bool = False) -> Iterator[int]:
    """A ``with`` block with the folder that `_open` opens."""
    folder = _open(name, around, permit=permit)
    try:
        yield folder
    finally:
        os.close(folder)


def _open(name: str, around: int | None, *, permit: bool = False) -> int:
    """Open a folder to list and change it, and return its descriptor. ``permit`` gives its owner
    all permissions. Raises `OSError` if there is no such folder, if the name is that of a link or a
    file, or if the folder cannot be opened."""
    place = os.open(name, os.O_PATH | _FOLDER, dir_fd=around)
    try:
        itself = f"/proc/self/fd/{place}"
        if permit and os.fstat(place).st_mode & 0o700 != 0o700:
            os.chmod(itself, 0o700)  # noqa: PTH101 - as elsewhere here, Paths for each cost more
        return os.open(itself, os.O_RDONLY | os.O_DIRECTORY)
    finally:
        os.close(place)
