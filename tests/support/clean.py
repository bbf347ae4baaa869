"""A test's own surroundings."""

import os
from pathlib import Path

import pytest


def clean_environment() -> dict[str, str]:
    """This environment, without the judge's own variables."""
    return {name: value for name, value in os.environ.items() if not name.startswith("JUDGE_")}


def surroundings(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this the current folder, and take the judge's variables away."""
    for name in set(os.environ) - set(clean_environment()):
        monkeypatch.delenv(name)
    monkeypatch.chdir(folder)
