#!/usr/bin/env python3
"""Gives the machine another name."""

import ctypes

from attack import attack

attack(lambda: ctypes.CDLL(None).sethostname(b"mine", 4) == 0)
