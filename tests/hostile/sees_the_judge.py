#!/usr/bin/env python3
"""Looks for the judge among the processes."""

from pathlib import Path

from attack import attack, target

attack(lambda: target("token") in Path("/proc", target("victim"), "cmdline").read_text())
