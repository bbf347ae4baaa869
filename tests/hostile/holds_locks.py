#!/usr/bin/env python3
"""Locks files of its own and of the system's in one process, and sees that in another."""

import fcntl
import os
import struct

from attack import attack

LOCK = struct.pack("hhqqi", fcntl.F_RDLCK, 0, 0, 0, 0)
WANTED = struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0)
OFD_GET, OFD_SET = 36, 37


def is_seen(path: str) -> bool:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        with open(path) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            fcntl.fcntl(file, OFD_SET, LOCK)
            os.write(writing, b"!")
            os.read(os.pipe()[0], 1)
    os.close(writing)
    os.read(reading, 1)
    try:
        with open(path) as file:
            seen = fcntl.fcntl(file, OFD_GET, WANTED)
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return struct.unpack("hhqqi", seen)[0] == fcntl.F_RDLCK
    except BlockingIOError:
        return True
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


attack(lambda: any([is_seen("plays.sh"), is_seen(os.__file__)]))
