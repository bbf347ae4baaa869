#!/usr/bin/env python3
"""Makes a file in its own folder."""

from pathlib import Path

from attack import attack

attack(lambda: Path("made").write_text("x"))
