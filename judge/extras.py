"""How a user installs an extra, which some features of the judge need."""

from __future__ import annotations

import sys
from pathlib import Path

from judge.quoting import word


def install(extra: str) -> str:
    """The command that installs an extra of the judge that runs. From a checkout that is the pip of
    its own environment, for another pip would install into another place."""
    root = Path(__file__).resolve().parents[1]
    if not (root / "pyproject.toml").is_file():
        return f"pip install 'battleships-judge[{extra}]'"
    return f"{word(sys.executable)} -m pip install -e {word(f'{root}[{extra}]')}"
