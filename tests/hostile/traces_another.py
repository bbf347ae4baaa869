#!/usr/bin/env python3
"""Attaches itself to a process that is not its own."""

import ctypes

from attack import attack, target

attack(lambda: ctypes.CDLL(None).ptrace(0x4206, int(target("victim")), 0, 0) == 0)
