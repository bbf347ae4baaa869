#!/usr/bin/env python3
"""Reads the environment of a process that is not its own."""

from pathlib import Path

from attack import attack, target

attack(lambda: "SECRET" in Path("/proc", target("victim"), "environ").read_text())
