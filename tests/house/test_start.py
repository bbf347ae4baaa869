"""The modules that starting the judge loads, and the rooms as the guide has them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = {
    *("distributed", "filelock", "jinja2", "jsonschema", "markdown_it", "msgspec", "numpy"),
    *("platformdirs", "referencing", "rich", "textual"),
}


def loaded_by(*arguments: str, **environment: str) -> set[str]:
    """The top-level packages that a real run of this interpreter imports."""
    run = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    lines = re.findall(r"^import time: +\d+ \| +\d+ \| +([\w.]+)$", run.stderr, re.MULTILINE)
    return {name.partition(".")[0] for name in lines}


@pytest.mark.whole
def test_starting_the_judge_loads_nothing_heavy() -> None:
    """`judge --version`, its help and the completion of a command import click, and neither msgspec,
    numpy, jsonschema nor rich."""
    completion = {"_JUDGE_COMPLETE": "bash_complete", "COMP_WORDS": "judge fi", "COMP_CWORD": "1"}
    for arguments, more in ((["--version"], {}), (["--help"], {}), ([], completion)):
        loaded = loaded_by("-m", "judge", *arguments, **more)
        assert {"judge", "click"} <= loaded
        assert loaded & HEAVY == set()
    assert "jsonschema" in loaded_by("-c", "def f():\n    import jsonschema.validators\nf()")


def test_the_guide_has_the_rooms_in_their_order() -> None:
    """The guide tells the architecture that import-linter holds."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    rooms, *_ = (one["layers"] for one in settings["contracts"] if one["type"] == "layers")
    guide = (ROOT / "judge" / "guides" / "architecture.md").read_text()
    _, arrows, _ = guide.split("```", 2)
    assert re.findall(r"[a-z]+", arrows.removeprefix("text")) == rooms[::-1]
