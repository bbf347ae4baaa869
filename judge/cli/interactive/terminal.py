"""The uses of terminals."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def has_full_screen(out: TextIO) -> bool:
    """Whether a full screen can be had: someone sits at a terminal that can be taken over."""
    if os.environ.get("TERM", "") in ("", "dumb"):
        return False
    # Textual draws on stderr and reads stdin, whatever stdout is.
    return all(stream is not None and stream.isatty() for stream in (out, sys.stderr, sys.stdin))
