#!/usr/bin/env python3
"""Leaves a number in the times of a device, which their owner may set."""

import contextlib
import os

from attack import remember

DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


def leave() -> None:
    for device in DEVICES:
        with contextlib.suppress(OSError):
            os.utime(device, (12345, 12345))


remember(leave, lambda: any(os.stat(device).st_mtime == 12345 for device in DEVICES))
