"""Tables that fit a terminal: the least wanted columns are left out, and a line says which. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from judge.show.text import Style, paint, wrap


def kept(widths: Sequence[int], least_wanted: Sequence[int], width: int | None) -> list[int]:
    """The columns that fit, by their places: of those in ``least_wanted``, the first are left out
    first. ``widths`` are the cells that each takes with its gap; without a ``width`` all fit."""
    places = set(range(len(widths)))
    for place in least_wanted:
        if width is None or sum(widths[one] for one in places) <= width:
            break
        places.discard(place)
    return sorted(places)


def left_out(names: Collection[str], width: int, colour: bool) -> list[str]:
    """The line that says what a table has no room for; none where it has all."""
    if not names:
        return []
    said = f"No room here for {', '.join(names)}: a wider terminal, or a file, has all."
    return [paint(line, Style.DIM, colour) for line in wrap(said, width=width)]
