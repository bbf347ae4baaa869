#!/usr/bin/env python3
"""Writes files of 4 MB until nothing more can be written."""

import os
from pathlib import Path

from attack import attack

for number in range(64):
    try:
        Path(os.environ["TMPDIR"], str(number)).write_bytes(bytes(4_000_000))
    except OSError:
        break
attack(lambda: number >= 10)
