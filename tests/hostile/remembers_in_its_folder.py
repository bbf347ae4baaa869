#!/usr/bin/env python3
"""Leaves a file in its own folder."""

from pathlib import Path

from attack import remember

mark = Path("mark")
remember(lambda: mark.write_text("x"), mark.exists)
