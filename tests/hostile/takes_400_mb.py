#!/usr/bin/env python3
"""Touches 400 MB before it answers."""

import os
import sys

hoard = bytearray(400_000_000)
hoard[::4096] = b"x" * len(hoard[::4096])
os.execv("./plays.sh", ["./plays.sh", sys.argv[1]])
