#!/usr/bin/env python3
"""Makes a user namespace, in which it would be root."""

import ctypes

from attack import attack

attack(lambda: ctypes.CDLL(None).unshare(0x10000000) == 0)
