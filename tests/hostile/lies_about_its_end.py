#!/usr/bin/env python3
"""Writes to every open descriptor that it has ended well, then exits with status 1."""

import contextlib
import os
import socket
from pathlib import Path

for number in sorted(int(path.name) for path in Path("/proc/self/fd").iterdir())[3:]:
    for word in (b"ended 0 0 0", b"gone", b"!"):
        with contextlib.suppress(OSError):
            os.write(number, word)
        with contextlib.suppress(OSError):
            socket.socket(fileno=os.dup(number)).send(word)
os._exit(1)
