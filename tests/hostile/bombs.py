#!/usr/bin/env python3
"""Starts processes that start processes, a thousand and more."""

import contextlib
import os
import time

from attack import attack

started = 0
with contextlib.suppress(OSError):
    while started < 1000:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        started += 1
attack(lambda: started >= 1000)
