"""scripts/runtimes: what it plays here is no matter, that it plays is, and what it says of the rest."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def runtimes(*words: str, path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / "runtimes.py", "--isolation", "none", *words],
        env={**os.environ, "PATH": str(path)},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_what_is_there_plays_and_what_is_not_is_named(tmp_path: Path) -> None:
    """A language that is not there is no failure, and is told with what brings it."""
    done = runtimes("threads", "go", path=tmp_path)
    heading, _, threads, *others = done.stdout.splitlines()
    assert heading == "| language | version | plays | ms a move | peak MiB |"
    assert threads.startswith("| Python, 40 threads | 3.")
    assert threads.split(" | ")[2] == "yes"
    assert "| Go |  | not tried: there is no go on PATH (golang) |  |  |" in others
    assert (done.returncode, done.stderr) == (0, "")


def test_a_runtime_that_fails_is_told_with_the_reason(tmp_path: Path) -> None:
    """Its bot's own fault stands in the table, and the exit status is 1."""
    failing = tmp_path / "awk"
    failing.write_text("#!/bin/sh\nexit 3\n")
    failing.chmod(0o755)
    done = runtimes("awk", path=tmp_path)
    assert "| Awk |  | no: exited with status 3 |" in done.stdout
    assert done.returncode == 1
