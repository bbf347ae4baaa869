"""Writes times and sizes as command-line options take them."""

from __future__ import annotations


def duration(ms: int) -> str:
    """The text of a time in milliseconds: ``2s``, ``500ms``."""
    return f"{ms}ms" if ms % 1000 else f"{ms // 1000}s"


def size(count: int) -> str:
    """The text of a number of bytes: ``256M``, ``64K``, ``1000``."""
    for unit, letter in ((2**20, "M"), (2**10, "K")):
        if count % unit == 0:
            return f"{count // unit}{letter}"
    return str(count)
