"""The environment of a bot's program. The judge's own environment is not in it.

A wire adds variables of its own, for the rules and the seed (`judge.wire.interface`).
"""

from __future__ import annotations

from collections.abc import Mapping

LANG = "C.UTF-8"  # the locale in which bots play


def variables(path: str, more: Mapping[str, str], lang: str = LANG) -> dict[str, str]:
    """The environment of a program before `with_scratch`; ``more`` are the wire's variables."""
    return {"PATH": path, "LANG": lang, **more}


def with_scratch(environment: Mapping[str, str], folder: str) -> dict[str, str]:
    """The environment with ``folder`` as the program's home and folder for temporary files."""
    return {**environment, "HOME": folder, "TMPDIR": folder}
