"""What terminals can be used for."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import TextIO

from judge.cli.output import note
from judge.extras import install


def is_smart(out: TextIO) -> bool:
    """Whether ``out`` is a terminal on which more can be done than to add lines."""
    return out.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


def can_be_taken_over(out: TextIO) -> bool:
    """Whether someone sits there who sees the screen and has its keys."""
    return is_smart(out) and sys.stdin is not None and sys.stdin.isatty()


def has_full_screen(out: TextIO) -> bool:
    """Whether a full screen can be had: someone sits at a terminal that can be taken over, and the
    extra is there that draws it. If only the extra is missing, that is said."""
    # Textual draws on stderr and reads stdin, whatever stdout is.
    if not (can_be_taken_over(out) and is_smart(sys.stderr)):
        return False
    if find_spec("textual") is None:
        note(f"a full screen needs another package: {install('screen')}")
        return False
    return True
