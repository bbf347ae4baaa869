#!/usr/bin/env python3
"""Looks at what lies beside its own folder."""

from pathlib import Path

from attack import attack

attack(lambda: len(list(Path("..").resolve().iterdir())) > 1)
