#!/usr/bin/env python3
"""Gives itself more memory where its control group is, or leaves that group."""

import ctypes
import glob
import os

from attack import attack

NEW_CGROUP = 0x2000000


def raises() -> bool:
    libc = ctypes.CDLL(None)
    libc.unshare(NEW_CGROUP)
    for kind in (b"cgroup2", b"cgroup"):
        libc.mount(b"none", os.environ["TMPDIR"].encode(), kind, 0, b"memory")
    paths = glob.glob("/sys/fs/cgroup/**/cgroup.procs", recursive=True)
    paths += glob.glob(f"{os.environ['TMPDIR']}/**/cgroup.procs", recursive=True)
    return any(os.access(path, os.W_OK) for path in paths)


attack(raises)
