#!/usr/bin/env python3
"""Leaves a file that has no name yet, and gives it one in the next move."""

import os
from contextlib import suppress

from attack import remember


def leave() -> None:
    for folder in ("/tmp", ".", "/var/tmp", "/dev/shm"):
        with suppress(OSError):
            file = os.open(folder, os.O_TMPFILE | os.O_RDWR)
            os.write(file, b"mark")
            os.link(f"/proc/self/fd/{file}", f"{folder}/mark-without-name", follow_symlinks=True)


def find() -> bool:
    places = ("/tmp", ".", "/var/tmp", "/dev/shm")
    return any(os.path.exists(f"{place}/mark-without-name") for place in places)


remember(leave, find)
