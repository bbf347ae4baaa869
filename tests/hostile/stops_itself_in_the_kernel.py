#!/usr/bin/env python3
"""Handles page faults of its own, and has memory that the kernel itself cannot reach."""

import ctypes
import platform

from attack import attack

syscall = ctypes.CDLL(None).syscall
USERFAULTFD = 323 if platform.machine() == "x86_64" else 282
MEMFD_SECRET = 447
ONLY_USER_MODE = 1
attack(lambda: any([syscall(USERFAULTFD, ONLY_USER_MODE) >= 0, syscall(MEMFD_SECRET, 0) >= 0]))
