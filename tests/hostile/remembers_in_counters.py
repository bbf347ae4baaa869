#!/usr/bin/env python3
"""Leaves a number where the kernel counts what went wrong with a network's packets."""

import contextlib
import re
import socket
from pathlib import Path

from attack import remember


def leave() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as here:
        for _ in range(500):
            with contextlib.suppress(OSError):
                here.sendto(b"x", ("127.0.0.1", 9))


def find() -> bool:
    counts = Path("/proc/self/net/snmp").read_text()
    return any(500 <= int(count) < 600 for count in re.findall(r"\d+", counts))


remember(leave, find)
