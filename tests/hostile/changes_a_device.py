#!/usr/bin/env python3
"""Changes the rights of the machine's devices: to what they are, so that nothing is hurt."""

import contextlib
import os
import stat

from attack import attack, target

changed = []
for device in (0, 1, 2, "/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"):
    with contextlib.suppress(OSError):
        there = os.stat(device)
        os.chmod(device, stat.S_IMODE(there.st_mode))
        if str(there.st_ino) in target("devices").split():
            changed.append(device)
attack(lambda: changed)
