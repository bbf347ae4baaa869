"""The modules that starting the judge loads, and the rooms as the guide has them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_guide_has_the_rooms_in_their_order() -> None:
    """The guide tells the architecture that import-linter holds."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    rooms, *_ = (one["layers"] for one in settings["contracts"] if one["type"] == "layers")
    guide = (ROOT / "judge" / "guides" / "architecture.md").read_text()
    _, arrows, _ = guide.split("```", 2)
    assert re.findall(r"[a-z]+", arrows.removeprefix("text")) == rooms[::-1]
