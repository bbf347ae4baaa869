#!/usr/bin/env python3
"""Reads what the kernel counts for the whole machine, and which group of the judge's it is in."""

from pathlib import Path

from attack import attack

COUNTERS = (
    *("vmstat", "stat", "interrupts", "softirqs", "key-users", "loadavg", "uptime", "meminfo"),
    *("zoneinfo", "buddyinfo", "slabinfo", "diskstats", "schedstat", "timer_list", "locks"),
    *("sys/fs/file-nr", "sys/fs/inode-nr", "sys/fs/dentry-state", "sys/fs/aio-nr"),
    *("sys/kernel/random/entropy_avail", "sys/kernel/pty/nr", "pressure/cpu"),
)


def is_read(name: str) -> bool:
    try:
        return bool(Path("/proc", name).read_bytes())
    except OSError:
        return False


attack(
    lambda: (
        any(map(is_read, COUNTERS))
        or any(not line.endswith(":/") for line in Path("/proc/self/cgroup").read_text().split())
    )
)
