"""scripts/bench: what it measures here is no matter, that it measures is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parents[1] / "scripts" / "bench.py"


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, BENCH, *arguments], capture_output=True, text=True, timeout=120
    )


def test_a_row_tells_its_figure_and_what_it_is_made_of() -> None:
    """A ratio is that of the judge to its base; what is over its bound fails the run."""
    done = bench("--rows", "exec-python,cpu", "--repeat", "1", "--json")
    ratio, cpu = json.loads(done.stdout)
    assert (ratio["row"], ratio["unit"], ratio["bound"]) == ("exec-python", "", 1.05)
    assert abs(ratio["figure"] - ratio["judge"] / ratio["base"]) < 1e-9
    assert (cpu["row"], cpu["unit"], cpu["base"]) == ("cpu", "ms", None)
    assert 0 < cpu["lowest"] == cpu["figure"] == cpu["highest"]
    passed = [each["figure"] <= each["bound"] for each in (ratio, cpu)]
    assert [each["passed"] for each in (ratio, cpu)] == passed
    assert done.returncode == (0 if all(passed) else 1)


def test_a_row_that_is_none_is_refused() -> None:
    """Nothing is measured when one of the names is wrong, and the right ones are told."""
    done = bench("--rows", "cpu,exec-pyhton")
    assert done.returncode == 2
    assert "there is no row 'exec-pyhton'; there are exec-python, " in done.stderr
    assert not done.stdout
