#!/usr/bin/env python3
"""Takes 400 MB in five processes, each within its own share."""

import os
import time

from attack import attack

reading, writing = os.pipe()
for _ in range(5):
    if os.fork() == 0:
        hoard = bytearray(80_000_000)
        hoard[::4096] = b"x" * len(hoard[::4096])
        os.write(writing, b"x")
        time.sleep(2)
        os._exit(0)
os.close(writing)
taken = 0
while some := os.read(reading, 5):
    taken += len(some)
attack(lambda: taken == 5)
