#!/usr/bin/env python3
"""Looks for a privilege that it holds or could gain."""

from pathlib import Path

from attack import attack

status = Path("/proc/self/status").read_text().split("\n")
held = [line for line in status if line.startswith(("CapEff", "CapBnd")) and int(line[8:], 16)]
attack(lambda: held or "NoNewPrivs:\t0" in status)
