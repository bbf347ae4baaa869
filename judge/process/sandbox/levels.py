"""The names of the levels of isolation, and which of them hold bots less than others."""

from typing import Final

WALLED: Final = "bwrap"  # where a bot sees its own files alone

_HOLD = {"auto": 2, WALLED: 2, "limits": 1, "none": 0}

LEVELS = tuple(_HOLD)


def is_weaker(level: str, than: str) -> bool:
    """Whether the level of the first name holds a bot less than that of the second."""
    return _HOLD[level] < _HOLD[than]
