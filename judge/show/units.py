"""Points of a contest's units as they are written: whole ones and halves. Pure."""

from __future__ import annotations

NOTHING_YET = "·"


def halves(halves: int | None) -> str:
    """Points: 3, 2½, ½; a dot where nothing has been played."""
    if halves is None:
        return NOTHING_YET
    whole, half = divmod(halves, 2)
    return f"{whole or ''}½" if half else str(whole)


def whole(points: float) -> str:
    """Points, as `halves` has them."""
    return halves(round(2 * points))
