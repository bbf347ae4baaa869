#!/usr/bin/env python3
"""Reads the opponent's program."""

from pathlib import Path

from attack import attack, target

attack(lambda: Path(target("opponent"), "bot.py").read_text())
