"""The names of the levels of isolation, and their order."""

from typing import Final

WALLED: Final = "bwrap"  # a bot sees only its own files and the system

_HOLD = {"auto": 2, WALLED: 2, "limits": 1, "none": 0}

LEVELS = tuple(_HOLD)


def is_weaker(level: str, than: str) -> bool:
    """Whether the level ``level`` isolates a bot less than the level ``than``."""
    return _HOLD[level] < _HOLD[than]
