#!/usr/bin/env python3
"""Leaves a key in the keyring that is inherited by every process."""

import ctypes
import platform

from attack import remember

syscall = ctypes.CDLL(None).syscall
ADD, SEARCH = (248, 250) if platform.machine() == "x86_64" else (217, 219)
SESSION = -3
remember(
    lambda: syscall(ADD, b"user", b"mark", b"x", 1, SESSION),
    lambda: syscall(SEARCH, 10, SESSION, b"user", b"mark", 0) >= 0,
)
