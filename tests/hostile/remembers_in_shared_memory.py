#!/usr/bin/env python3
"""Leaves a piece of System V shared memory."""

import ctypes

from attack import remember

libc = ctypes.CDLL(None)
CREATE = 0o1600
remember(lambda: libc.shmget(4711, 4096, CREATE), lambda: libc.shmget(4711, 4096, 0) >= 0)
