#!/usr/bin/env python3
"""Has programs run that are another user's when they run; and becomes another user itself."""

import os
import subprocess
from contextlib import suppress

from attack import attack

BECOME = (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setgroups([0]))


def gains() -> bool:
    for become in BECOME:
        with suppress(OSError):
            become()
            return True
    with open("/proc/self/status") as status:
        if "NoNewPrivs:\t1" not in status.read():
            return True
    mounted = ["mount", "-t", "tmpfs", "none", os.environ["TMPDIR"]]
    for command in (mounted, ["su", "-c", "id"], ["newgrp", "root"], ["fusermount", "-u", "/"]):
        with suppress(OSError):
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
            if done.returncode == 0:
                return True
    return False


attack(gains)
