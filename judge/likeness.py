"""Suggestions for a mistyped name."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 200  # characters of a name that are compared


def did_you_mean(name: str, names: Iterable[str], likeness: float = 0.6) -> str:
    """The text `` Did you mean X?`` with the name that `nearest` finds; empty if it finds none."""
    near = nearest(name, names, likeness)
    return "" if near is None else f" Did you mean {near}?"


def nearest(name: str, names: Iterable[str], likeness: float = 0.6) -> str | None:
    """The one of ``names`` that ``name`` most likely stands for, or None if no name reaches
    ``likeness``, which goes from 0 to 1. The three names most like ``name`` are candidates. If some
    of them have its first letter, the most like of these is returned, else the most like of all."""
    from difflib import get_close_matches

    # To compare costs the product of the lengths, and a stranger may have given the name.
    near = get_close_matches(name[:_LONGEST], list(names), n=3, cutoff=likeness)
    # Few people mistype the first letter: "fite" is more likely "fight" than "site".
    near.sort(key=lambda one: one[:1] != name[:1])
    return near[0] if near else None
