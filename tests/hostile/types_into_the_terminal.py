#!/usr/bin/env python3
"""Types a command into the user's terminal."""

import fcntl
import os
import termios

from attack import attack


def types() -> bool:
    for path in ("/dev/tty", "/dev/console", "/proc/self/fd/0", "/proc/self/fd/2"):
        try:
            fcntl.ioctl(os.open(path, os.O_RDWR | os.O_NOCTTY), termios.TIOCSTI, b"x")
        except OSError:
            continue
        return True
    return False


attack(types)
