"""Times and sizes as options take them."""

from __future__ import annotations


def duration(ms: int) -> str:
    """A time in milliseconds as options take it: ``2s``, ``500ms``."""
    return f"{ms}ms" if ms % 1000 else f"{ms // 1000}s"


def size(count: int) -> str:
    """A number of bytes as options take it: ``256M``, ``64K``, ``1000``."""
    for unit, letter in ((2**20, "M"), (2**10, "K")):
        if count % unit == 0:
            return f"{count // unit}{letter}"
    return str(count)
