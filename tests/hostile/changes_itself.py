#!/usr/bin/env python3
"""Writes into its own program."""

from pathlib import Path

from attack import attack

attack(lambda: Path(__file__).write_text("exit 0"))
