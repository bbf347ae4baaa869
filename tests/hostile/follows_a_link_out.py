#!/usr/bin/env python3
"""Goes through a symbolic link out of its own folder."""

from pathlib import Path

from attack import attack

attack(Path("link_to_the_ledger").read_text)
