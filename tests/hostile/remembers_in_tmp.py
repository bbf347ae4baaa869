#!/usr/bin/env python3
"""Leaves a file where everybody may."""

from pathlib import Path

from attack import remember, target

mark = Path("/tmp", target("token"))
remember(lambda: mark.write_text("x"), mark.exists)
