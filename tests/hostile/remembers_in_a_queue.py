#!/usr/bin/env python3
"""Leaves a System V message queue."""

import ctypes

from attack import remember

libc = ctypes.CDLL(None)
CREATE = 0o1600
remember(lambda: libc.msgget(4711, CREATE), lambda: libc.msgget(4711, 0) >= 0)
