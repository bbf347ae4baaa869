#!/usr/bin/env python3
"""Takes the processor from others: a better place in the queue, for itself, or a worse for all."""

import os

from attack import attack


def ranks() -> bool:
    other = os.getppid() or 1
    before = ranking(other)
    for attempt in (
        lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
        lambda: os.setpriority(os.PRIO_PROCESS, 0, -5),
        lambda: os.setpriority(os.PRIO_PROCESS, other, 5),
    ):
        try:
            attempt()
        except OSError:
            continue
    return ranking(other) != before


def ranking(other: int) -> list[int]:
    """The scheduling and priorities of this process and another one."""
    priorities = [os.getpriority(os.PRIO_PROCESS, process) for process in (0, other)]
    return [os.sched_getscheduler(0), *priorities]


attack(ranks)
