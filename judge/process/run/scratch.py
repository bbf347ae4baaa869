"""Scratch folders: every move gets an empty one, and nothing of it is left afterwards.

Most bots never touch theirs. Such a folder goes to a later move: making and removing one costs
more than all else that the judge does with files for a move.

All of a run's lie in one folder, which is locked for as long as the judge is there: what a judge
that was killed leaves behind, the next one removes. Whatever is removed is removed from folders
that are open, and no link is followed: a bot, or another user, may put links in the way.
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

# The name of a run's folder is public; names inside are known only to their users.
_PREFIX = "judge-run-"
_A_RUN = re.compile(rf"{_PREFIX}[a-z0-9_]{{8}}")
_MODE = 0o711

NO_FILES: Mapping[str, bytes] = MappingProxyType({})

REMOVING_SECONDS = (
    10.0  # tries, while a process still makes new files; the next run removes the rest
)

_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW


@contextlib.contextmanager
def scratch(user: int | None = None, *, root: str | None = None) -> Iterator[str]:
    """An empty folder for one move, which the next will not find as this one leaves it.

    It is ``user``'s, where that is not who runs us, and lies in ``root``, the folder of this run
    unless given.
    """
    root = root or of_this_run()
    untouched = _untouched.setdefault((root, user), deque())
    found = None
    while untouched and not found:
        folder, look = untouched.pop()
        if _look(folder) == look:
            found = folder
        else:  # a program that outlived its move wrote there
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
    """A folder that no program has had before, with folders of these names in it, and with these
    ``files``, removed at the end. It is ``user``'s as in `scratch`, once all is in it: until then
    nobody else can enter."""
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
    """A new folder for sockets of programs that know its name. They may put nothing there, unless
    they are the judge's user's. It stays until it is removed, or this run ends."""
    folder = tempfile.mkdtemp(dir=of_this_run())
    os.chmod(folder, _MODE)  # noqa: PTH101 - as elsewhere here
    return folder


def place() -> str:
    """A path for a scratch folder that is to have the same name in many moves."""
    folder = tempfile.mkdtemp(dir=of_this_run())
    Path(folder).rmdir()
    return folder


@contextlib.contextmanager
def scratch_at(folder: str, user: int | None = None) -> Iterator[None]:
    """A folder of that name, empty, for one move; see `scratch`."""
    Path(folder).mkdir(0o700)
    if user is not None:
        os.chown(folder, user, user)
    try:
        yield
    finally:
        remove(Path(folder))


_Look = tuple[object, ...] | None
# By root and user, as many as there were moves at once.
_untouched: dict[tuple[str, int | None], deque[tuple[str, _Look]]] = {}


def _look(folder: str) -> _Look:
    """The stamp that a folder keeps while nobody touches it: whatever is done to it changes its
    ctime.

    Its names are looked at too, since the clock of ctime may stand still for some milliseconds.
    """
    try:
        now = os.lstat(folder)
        names = os.listdir(folder)  # noqa: PTH208 - for every move, where a Path costs twice as much
    except OSError:
        return None  # it is gone, not a folder, or closed
    return now.st_ino, now.st_mode, now.st_uid, now.st_gid, now.st_ctime_ns, *names


@cache
def of_this_run() -> str:
    """A folder for the scratch folders of this process, removed at its end.

    Those of judges that were killed are removed first.
    """
    path = Path(tempfile.gettempdir())
    sweep(path)
    while True:
        folder = tempfile.mkdtemp(prefix=_PREFIX, dir=path)
        lock = os.open(folder, os.O_RDONLY | _FOLDER)  # and open until this process ends
        os.fchmod(lock, _MODE)
        if _is_locked(lock) and os.fstat(lock).st_nlink:
            atexit.register(remove, Path(folder))
            return folder
        os.close(lock)  # another judge has swept it away


def sweep(path: Path) -> None:
    """Remove what judges of this user's have left in a folder when they were killed."""
    with contextlib.suppress(OSError), _opened(str(path)) as around, os.scandir(around) as entries:
        for name in [entry.name for entry in entries if _A_RUN.fullmatch(entry.name)]:
            with contextlib.suppress(OSError), _opened(name, around) as folder:
                status = os.fstat(folder)
                is_a_runs = status.st_uid == os.geteuid() and stat.S_IMODE(status.st_mode) == _MODE
                if is_a_runs and _is_locked(folder):
                    _empty(folder)
                    os.rmdir(name, dir_fd=around)


def _is_locked(folder: int) -> bool:
    """Whether the lock is ours now: so nobody else is, or was, in that folder."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def remove(folder: Path) -> None:
    """Remove a folder in which a bot has left things, or what it has put in its place.

    The permissions that it may have taken from folders are given back; no link is followed.
    """
    with contextlib.suppress(OSError), _opened(str(folder.parent)) as around:
        try:
            os.unlink(folder.name, dir_fd=around)
        except IsADirectoryError:
            with _opened(folder.name, around, permit=True) as inside:
                _empty(inside)
            os.rmdir(folder.name, dir_fd=around)


def _empty(folder: int) -> None:
    """Remove all that is in an open folder, but for what cannot be.

    Folders may lie deeper than a path, or the descriptors of a process, can go. So one folder is
    open at a time, and ``..`` leads back, unless that is not where it came from.
    """
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
    """Remove what is not a folder; returns the names of the folders."""
    folders = []
    for name in os.listdir(folder):
        try:
            os.unlink(name, dir_fd=folder)
        except IsADirectoryError:
            folders.append(name)
        except OSError:
            continue  # it is no longer there, or cannot be removed
    return folders


def _identity(folder: int) -> tuple[int, int]:
    status = os.fstat(folder)
    return status.st_dev, status.st_ino


@contextlib.contextmanager
def _opened(name: str, around: int | None = None, *, permit: bool = False) -> Iterator[int]:
    """The folder that `_open` opens, for as long as the block lasts."""
    folder = _open(name, around, permit=permit)
    try:
        yield folder
    finally:
        os.close(folder)


def _open(name: str, around: int | None, *, permit: bool = False) -> int:
    """A descriptor of a folder that is to be listed, and to be changed: with ``permit`` it gets
    the permissions for that. Raises `OSError`, if it is a link too.
    """
    place = os.open(name, os.O_PATH | _FOLDER, dir_fd=around)
    try:
        itself = f"/proc/self/fd/{place}"
        if permit and os.fstat(place).st_mode & 0o700 != 0o700:
            os.chmod(itself, 0o700)  # noqa: PTH101 - as elsewhere here, Paths for each cost more
        return os.open(itself, os.O_RDONLY | os.O_DIRECTORY)
    finally:
        os.close(place)
