"""The scripts of a checkout: that they run. Their measurements are no matter here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.whole

SCRIPTS = Path(__file__).parents[2] / "scripts"


def script(name: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, SCRIPTS / f"{name}.py", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_the_bench_measures_a_row() -> None:
    """Its figure stands in a document, with the bound; the exit status says whether it holds."""
    done = script("bench", "--rows", "start", "--repeat", "1", "--json")
    (found,) = json.loads(done.stdout)
    assert found["row"] == "start"
    assert found["figure"] == found["judge"] / found["base"] > 0
    assert done.returncode == int(not found["passed"]), done.stderr


@pytest.mark.parametrize(
    "name", ["bench", "formats", "ladder", "placement", "runtimes", "screenshots", "soak"]
)
def test_a_script_says_how_it_is_used(name: str) -> None:
    """Every script with options tells them by --help, and does nothing else."""
    done = script(name, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "usage" in done.stdout.casefold()
