"""The name that a mistyped one may have been."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, names: Iterable[str], likeness: float = 0.6) -> str:
    """A question that begins with a space, if one of the names is as like as that; else nothing."""
    near = nearest(name, names, likeness)
    return "" if near is None else f" Did you mean {near}?"


def nearest(name: str, names: Iterable[str], likeness: float = 0.6) -> str | None:
    """The name that is most like this one, if one is as like as that."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(names), n=3, cutoff=likeness)
    # Few mistype the first letter: fite is more likely fight than site.
    near.sort(key=lambda one: one[:1] != name[:1])
    return near[0] if near else None
