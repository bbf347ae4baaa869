#!/usr/bin/env python3
"""Takes away the file descriptors of a process that is not its own."""

import resource

from attack import attack, target


def limit() -> bool:
    victim = int(target("victim"))
    soft, hard = resource.prlimit(victim, resource.RLIMIT_NOFILE)
    return bool(resource.prlimit(victim, resource.RLIMIT_NOFILE, (soft - 1, hard)))


attack(limit)
