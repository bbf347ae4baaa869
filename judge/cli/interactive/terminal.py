"""The uses of terminals."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def is_smart(out: TextIO) -> bool:
    """Whether ``out`` is a terminal on which more can be done than to add lines."""
    return out.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


def can_be_taken_over(out: TextIO) -> bool:
    """Whether someone sits there who sees the screen and has its keys."""
    return is_smart(out) and sys.stdin is not None and sys.stdin.isatty()


def has_full_screen(out: TextIO) -> bool:
    """Whether a full screen can be had: someone sits at a terminal that can be taken over."""
    # Textual draws on stderr and reads stdin, whatever stdout is.
    return can_be_taken_over(out) and is_smart(sys.stderr)
