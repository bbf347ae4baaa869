#!/usr/bin/env python3
"""Takes the processor from others: a better place in the queue, for itself, or a worse for all."""

import os

from attack import attack


def ranks() -> bool:
    tries = (
        lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
        lambda: os.setpriority(os.PRIO_PROCESS, 0, -5),
        lambda: os.setpriority(os.PRIO_PROCESS, os.getppid() or 1, 5),
    )
    for attempt in tries:
        try:
            attempt()
        except OSError:
            continue
        return True
    return False


attack(ranks)
