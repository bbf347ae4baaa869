#!/usr/bin/env python3
"""Leaves a named piece of memory."""

from pathlib import Path

from attack import remember, target

mark = Path("/dev/shm", target("token"))
remember(lambda: mark.write_text("x"), mark.exists)
