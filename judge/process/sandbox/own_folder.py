"""Makes the working folder of a player that learns, and collects the data file in it.

In a game the folder is in memory. The folder holds the player's program and data file, and the
player may change them.

This file runs inside of the sandbox, like `judge.process.sandbox.fork_server`. The data are copied
after every process of the player has ended, so they cannot change meanwhile. The fork server reads
none of the bytes: the kernel copies them into a file of the judge.
"""

from __future__ import annotations

import os
import stat

from judge.process.sandbox.kernel import mount_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

MOST_FILES = 10_000  # the size of the folder does not count their names

_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_LONGEST_SUFFIX = 20


class OwnFolder:
    """The folder of a learning player. ``plan`` has these keys: ``folder`` is its path, ``program``
    the program's file name, and ``stem`` the base name of the program and of the data file. ``run``
    are the suffixes of scripts, which data may not have. ``data_bytes`` and ``most_bytes`` are the
    most bytes of the data and of the folder."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.folder: str = plan["folder"]
        self.program: str = plan["program"]
        self.stem: str = plan["stem"]
        self.run: Sequence[str] = plan["run"]
        self.data_bytes: int = plan["data_bytes"]
        self.most_bytes: int = plan["most_bytes"]

    def furnish(self) -> int:
        """Mount a new folder with the program over the player's folder, in this process's
        namespace. Returns a descriptor of the new folder, which stays valid after that namespace
        has ended."""
        path = f"{self.folder}/{self.program}"
        program = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            mount_memory(self.folder, self.most_bytes, MOST_FILES)
            status = os.fstat(program)
            write(path, program, status.st_size, 0o755 if status.st_mode & stat.S_IXUSR else 0o644)
        finally:
            os.close(program)
        return os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def collect(self, folder: int, brought: str, made: Sequence[str], into: int) -> str:
        """Copy the data file in ``folder`` to the file ``into``, and return the message to the
        judge. No process may use the folder any more.

        The message has what was found, its size, its name, and the name of another file, which is
        not kept. Names are in hexadecimal digits, or ``-``. ``brought`` is the name of the data
        file that was put there, and ``made`` are the names of the folders.
        """
        os.fchmod(folder, 0o700)
        names = sorted(os.listdir(folder))
        known = {self.program, *made}
        found = [name for name in names if name not in known and self._is_data(name)]
        name = brought if brought in found else found[0] if len(found) == 1 else ""
        used = {*known, *([name] if name else found)}
        dropped = next((name for name in names if name not in used), "")
        if name:
            what, size = self._copied(folder, name, into)
        else:
            what, size = "several" if found else "nothing", 0
        return f"data {what} {size} {_told(name)} {_told(dropped)}"

    def _is_data(self, name: str) -> bool:
        if not name.startswith(f"{self.stem}."):
            return False
        suffix = name[len(self.stem) :]
        is_suffix = 1 < len(suffix) <= _LONGEST_SUFFIX + 1 and _LETTERS.issuperset(suffix[1:])
        return is_suffix and suffix.lower() not in self.run

    def _copied(self, folder: int, name: str, into: int) -> tuple[str, int]:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            file = os.open(name, flags, dir_fd=folder)
        except OSError as error:
            return f"refused-{error.errno}", 0
        try:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode):
                return "irregular", 0
            if status.st_size > self.data_bytes:
                return "large", status.st_size
            copy(into, file, status.st_size)
        finally:
            os.close(file)
        return "kept", status.st_size


def write(path: str | bytes, source: int, size: int, mode: int, begin: int = 0) -> None:
    """Make a file from ``size`` bytes of the open file ``source``, from the offset ``begin`` on."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        copy(file, source, size, begin)
    finally:
        os.close(file)


def copy(into: int, source: int, size: int, begin: int = 0) -> None:
    """Have the kernel copy ``size`` bytes of an open file, from the offset ``begin`` on, to the
    file ``into``."""
    offset, end = begin, begin + size
    while offset < end:
        done = os.sendfile(into, source, offset, end - offset)
        if not done:
            raise OSError(5, os.strerror(5))
        offset += done


def _told(name: str) -> str:
    return os.fsencode(name).hex() or "-"
