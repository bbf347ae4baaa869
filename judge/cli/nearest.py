"""Did you mean: what a mistyped name may have been."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """A question that begins with a space, if one of the names is near; else nothing."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(names), n=1, cutoff=0.7)  # --quiet is not near --dialect
    return f" Did you mean {near[0]}?" if near else ""
