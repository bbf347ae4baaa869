#!/usr/bin/env python3
"""Makes a device of its own, the memory of the machine."""

import os
import stat

from attack import attack

attack(
    lambda: os.mknod(os.environ["TMPDIR"] + "/mem", 0o600 | stat.S_IFCHR, os.makedev(1, 1)) is None
)
