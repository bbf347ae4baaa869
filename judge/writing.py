"""Opening, replacing and removing the judge's own files, without following symbolic links.

The path to a folder that the user names may contain links. Inside the folder no link is followed:
the folder may be a stranger's, and a link there could lead the judge to another file of the user.
So could a second name of a file (a hard link): the judge opens no file that has one.

A failure raises OSError, whose ``strerror`` says why.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_LINK = "it is a symbolic link, and the judge writes through none"
_NAMES = "it has more than one name (a hard link), and the judge writes only where there is one"
_KIND = "it is not an ordinary file"
_NO_LOG = "it is there already, and does not begin as such a log; name another file"
_BEGIN = 256  # bytes at the beginning of a file that show whether it is a log


@contextlib.contextmanager
def held(folder: Path) -> Iterator[int | None]:
    """Lock a folder within a ``with`` block or until the process ends, and yield its descriptor;
    None if another process has locked it."""
    fd = os.open(folder, _FOLDER)
    locked: int | None = fd
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            locked = None
        yield locked
    finally:
        os.close(fd)


@contextlib.contextmanager
def folder_of(root: Path, below: str) -> Iterator[tuple[int, str]]:
    """A file's folder as an open descriptor, and the file's name in that folder.

    ``below`` is the file's path from ``root``. Links are followed in the path ``root``, but not in
    ``below``.
    """
    *folders, name = below.split("/")
    if any(part in ("", ".", "..") for part in (*folders, name)):
        raise OSError(errno.EINVAL, "it is not a path inside the folder", str(root / below))
    fd = os.open(root, _FOLDER)
    try:
        for number, part in enumerate(folders, 1):
            inner = _inner(fd, part, root.joinpath(*folders[:number]))
            os.close(fd)
            fd = inner
        yield fd, name
    finally:
        os.close(fd)


def _inner(fd: int, name: str, path: Path) -> int:
    try:
        return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=fd)
    except OSError as error:
        why = _LINK if _is_link(fd, name) else error.strerror
        raise OSError(error.errno, why, str(path)) from None


def make_folder(root: Path, name: str) -> None:
    """Make the folder ``name`` in ``root``, unless it is there. A link of that name is refused."""
    fd = os.open(root, _FOLDER)
    try:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=fd)
        os.close(_inner(fd, name, root / name))
    finally:
        os.close(fd)


def names_in(root: Path, name: str) -> list[str]:
    """The names in the folder ``name`` of ``root``. A link of that name is refused. Raises
    FileNotFoundError if the folder is missing."""
    with folder_of(root, f"{name}/any") as (
        folder,
        _,
    ):  # "any" need not exist: only its folder is opened
        return os.listdir(folder)  # noqa: PTH208 - a Path has no descriptor


def read(root: Path, below: str, most: int) -> bytes:
    """The first ``most`` bytes of an ordinary file. A symbolic link is refused, and so is a file
    with a second name (a hard link)."""
    with (
        _naming(root / below),
        folder_of(root, below) as (folder, name),
        os.fdopen(opened(Path(name), os.O_RDONLY, folder=folder), "rb") as file,
    ):
        return file.read(most)


def opened(path: Path, flags: int, mode: int = 0o666, *, folder: int | None = None) -> int:
    """Open an ordinary file and return its descriptor, which the caller closes. A symbolic link is
    refused, and so is a file with a second name (a hard link). A relative ``path`` begins in the
    folder whose descriptor is ``folder``, by default in the current folder."""
    try:
        # O_NONBLOCK: opening a named pipe must not wait for its other end.
        how = flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        fd = os.open(path, how, mode, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ELOOP and _is_link(folder, path):
            raise OSError(error.errno, _LINK, str(path)) from None
        raise
    status = os.fstat(fd)
    if stat.S_ISREG(status.st_mode) and status.st_nlink <= 1:
        return fd
    os.close(fd)
    why = (errno.EMLINK, _NAMES) if stat.S_ISREG(status.st_mode) else (errno.EINVAL, _KIND)
    raise OSError(*why, str(path))


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock the ordinary file at ``path``, made if need be, until the block ends. Raises
    BlockingIOError if it is locked already, by another process or by this one."""
    fd = opened(path, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        fcntl.flock(fd, fcntl.LOCK_UN)  # a process that was forked meanwhile has the file open too
        os.close(fd)


def opened_log(path: Path, line: re.Pattern[bytes]) -> int:
    """Open or make a log to add lines to it, and return its descriptor, which the caller closes. A
    file that exists must be empty or begin with a match of ``line``."""
    fd = opened(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    begin = os.pread(fd, _BEGIN, 0)  # read from the open file, whatever its name is now
    if not begin or line.match(begin):
        return fd
    os.close(fd)
    raise OSError(errno.EEXIST, _NO_LOG, str(path))


def replace(
    root: Path,
    below: str,
    data: bytes,
    *,
    durable: bool = False,
    shared: bool = False,
    mode: int = 0o666,
) -> None:
    """Replace or make a file at once: a reader finds the old content or the new, never a part.

    The new file takes the old one's permissions and, if that is allowed, its owner; without an old
    file it gets ``mode``. With ``durable`` the call returns once the file and its name are on the
    disk. ``shared`` says that other processes may replace the file at the same time without a lock.
    """
    with _naming(root / below), folder_of(root, below) as (folder, name):
        beside = f".{name}.{os.getpid()}.new" if shared else f".{name}.new"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside, dir_fd=folder)  # left by a judge that was killed, or planted
        fd = os.open(beside, _NEW, mode, dir_fd=folder)
        try:
            try:
                _hand_over(folder, name, fd)
                write(fd, data, durable=durable)
            finally:
                os.close(fd)
            os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(beside, dir_fd=folder)
            raise
        if durable:
            os.fsync(folder)


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Make an OSError that leaves the block name the whole ``path``."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def sync_folder(folder: Path) -> None:
    """Sync a folder: the names of files made, replaced or removed in it are then on the disk."""
    fd = os.open(folder, _FOLDER)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def create(root: Path, below: str, data: bytes) -> None:
    """Write a new file. Raises FileExistsError if a file or a link of that name exists."""
    with folder_of(root, below) as (folder, name):
        fd = os.open(name, _NEW, 0o666, dir_fd=folder)
        try:
            write(fd, data)
        except BaseException:
            os.unlink(name, dir_fd=folder)
            raise
        finally:
            os.close(fd)


def remove(root: Path, below: str) -> None:
    """Remove a file. A link is removed itself, not the file that it names."""
    with folder_of(root, below) as (folder, name):
        os.unlink(name, dir_fd=folder)


def size(root: Path, below: str) -> int | None:
    """The length of an ordinary file in bytes, or None if no ordinary file can be reached."""
    try:
        with folder_of(root, below) as (folder, name):
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def write(fd: int, data: bytes, *, durable: bool = False) -> None:
    """Write all of ``data``. With ``durable`` the call returns once the data are on the disk."""
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]
    if durable:
        os.fsync(fd)


def _hand_over(folder: int, name: str, fd: int) -> None:
    """Give the new file ``fd`` the permissions of the old file ``name``, if there is an ordinary
    one, and the owner if that is allowed."""
    try:
        old = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return
    if not stat.S_ISREG(old.st_mode):
        return
    with contextlib.suppress(PermissionError):  # only root may give a file away
        os.fchown(fd, old.st_uid, old.st_gid)
    os.fchmod(fd, stat.S_IMODE(old.st_mode))


def _is_link(folder: int | None, name: str | Path) -> bool:
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False
