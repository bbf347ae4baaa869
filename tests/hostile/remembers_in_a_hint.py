#!/usr/bin/env python3
"""Leaves a hint on how long they will live in files of its own and of the system's."""

import fcntl
import os
import struct
from contextlib import suppress

from attack import remember

GET, SET = 1035, 1036
FILES = ("plays.sh", "/bin/sh", os.__file__)


def leave() -> None:
    for path in FILES:
        with suppress(OSError), open(path) as file:
            fcntl.fcntl(file, SET, struct.pack("Q", 3))


def find() -> bool:
    for path in FILES:
        with suppress(OSError), open(path) as file:
            if struct.unpack("Q", fcntl.fcntl(file, GET, bytes(8))) == (3,):
                return True
    return False


remember(leave, find)
