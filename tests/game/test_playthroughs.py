"""The golden games of tests/playthroughs/; tests/support/playthrough.py says how they are made."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge.game.variants import VARIANTS
from playthrough import FOLDER, regenerate

FILES = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_playthrough(path: Path) -> None:
    """The engine makes of these moves, letter for letter, what a person has read and approved."""
    assert regenerate(path.read_text()) == path.read_text()


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_has_one(name: str) -> None:
    """Every variant has a golden game, and it is played to its end."""
    games = [text for path in FILES if f"\nrules {name}" in (text := path.read_text())]
    assert games
    assert all("\ntermination " in text for text in games)
