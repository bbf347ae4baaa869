"""Finds out whether there is a terminal for a full screen."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def has_full_screen(out: TextIO) -> bool:
    """Whether ``out``, stderr and stdin are terminals that can show a full screen."""
    if os.environ.get("TERM", "") in ("", "dumb"):
        return False
    # Textual draws on stderr and reads stdin, whatever stdout is.
    return all(stream is not None and stream.isatty() for stream in (out, sys.stderr, sys.stdin))
