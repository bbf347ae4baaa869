#!/usr/bin/env python3
"""Leaves a mark at its own files without writing to them: times, modes, names, attributes."""

import os
from contextlib import suppress

from attack import remember

FILE = "plays.sh"
TRIES = (
    lambda: os.utime(FILE, (1, 1)),
    lambda: os.chmod(FILE, 0o700),
    lambda: os.setxattr(FILE, "user.mark", b"x"),
    lambda: os.link(FILE, "mark"),
    lambda: os.link(FILE, "/tmp/mark"),
    lambda: os.rename(FILE, "mark"),
    lambda: os.mkfifo("mark"),
    lambda: os.symlink(FILE, "mark"),
)


def leave() -> None:
    for attempt in TRIES:
        with suppress(OSError):
            attempt()


def find() -> bool:
    status = os.stat(FILE)
    return (
        status.st_mtime == 1
        or status.st_nlink > 1
        or status.st_mode & 0o777 == 0o700
        or bool(os.listxattr(FILE))
        or os.path.lexists("mark")
        or os.path.lexists("/tmp/mark")
    )


remember(leave, find)
