#!/usr/bin/env python3
"""Reads the memory of a process that is not its own."""

from pathlib import Path

from attack import attack, target


def read() -> bytes:
    process = Path("/proc", target("victim"))
    start = int((process / "maps").read_text().partition("-")[0], 16)
    with (process / "mem").open("rb") as memory:
        memory.seek(start)
        return memory.read(16)


attack(read)
