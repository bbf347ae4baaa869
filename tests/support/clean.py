"""A test's own surroundings."""

import os
from pathlib import Path

import pytest


def surroundings(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this the current folder, and take the judge's variables away."""
    for name in [name for name in os.environ if name.startswith("JUDGE_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(folder)
