#!/usr/bin/env python3
"""Takes 400 MB in files that are nowhere but in memory."""

import os

from attack import attack


def fill() -> bool:
    for _ in range(100):
        os.write(os.memfd_create("hoard"), bytes(4_000_000))
    return True


attack(fill)
