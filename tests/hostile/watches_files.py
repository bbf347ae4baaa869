#!/usr/bin/env python3
"""Watches its own folder in each way that there is."""

import ctypes
import fcntl
import os
import platform

from attack import attack

syscall = ctypes.CDLL(None).syscall
FANOTIFY, INOTIFY = (300, 294) if platform.machine() == "x86_64" else (262, 26)


def notifies() -> bool:
    try:
        fcntl.fcntl(os.open(".", os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS)
    except OSError:
        return False
    return True


attack(lambda: any([notifies(), syscall(INOTIFY, 0) >= 0, syscall(FANOTIFY, 0, 0) >= 0]))
