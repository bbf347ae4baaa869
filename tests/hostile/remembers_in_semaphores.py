#!/usr/bin/env python3
"""Leaves System V semaphores."""

import ctypes

from attack import remember

libc = ctypes.CDLL(None)
CREATE = 0o1600
remember(lambda: libc.semget(4711, 1, CREATE), lambda: libc.semget(4711, 1, 0) >= 0)
