"""scripts/ladder.py: the bundled bots measured in one process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ladder
from judge.contest.schedule import Solo
from judge.contest.shooting.shooting import effort
from judge.game.variants import VARIANTS

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "JUDGE_TIMEOUT": "1min"}


def run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=ENVIRONMENT, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("rules", "dialect", "names", "boards"),
    [
        ("brainjar", "readme", ["hunter"], 2),
        ("brainjar", "engine", ["foresight"], 1),
        ("broadsides", "plain", ["hunter"], 1),
        ("contest", "plain", ["parity"], 1),
    ],
)
def test_it_measures_what_the_judge_measures(
    rules: str, dialect: str, names: list[str], boards: int, tmp_path: Path
) -> None:
    """On the same boards a bot needs the same shots in this process as in processes of its own,
    one for each board."""
    out = run(
        *(
            "-m",
            "judge",
            "test",
            *names,
            "--boards",
            str(boards),
            "--seed",
            "6",
            "--csv",
            "--quiet",
        ),
        *("--rules", rules, "--dialect", dialect, "--io", str(tmp_path)),
    )
    by_judge = [line.rpartition(",")[0] for line in out.splitlines()[1:]]
    by_ladder = [
        f"{board.round},{name},{one.shots},{one.turns},{one.misses},{one.search},{one.destroy}"
        for board in Solo(1, boards, 6)
        for name in names
        if (one := effort(ladder.measure(name, dialect, board, VARIANTS[rules])))
    ]
    assert by_ladder == by_judge
