"""The judge as tests call it: in this process, or in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple
from unittest.mock import patch

from click.testing import CliRunner

from judge.cli import cli
from judge.cli.exit_status import status_and_line
from judge.cli.setup import Embedding

ROOT = Path(__file__).parents[2]
JUDGE = [sys.executable, "-m", "judge"]


class Done(NamedTuple):
    status: int
    stdout: str
    stderr: str


def judge(*arguments: str, embedding: Embedding | None = None, typed: str = "") -> Done:
    """The judge in this process; what would end it is told as `main` does."""
    with TemporaryFile() as lines:
        lines.write(typed.encode())
        lines.seek(0)
        done = CliRunner().invoke(cli, arguments, lines, standalone_mode=False, obj=embedding)
    if done.exception is None:
        return Done(done.return_value or 0, done.stdout, done.stderr)
    status, line = status_and_line(done.exception)
    return Done(status, done.stdout, f"{done.stderr}judge: {line}\n")


def judge_at(
    folder: Path, *arguments: str, typed: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    """The judge in this process, in that folder, which costs a tenth of a start; ``variables`` are
    added to this process's environment meanwhile."""
    with chdir(folder), patch.dict(os.environ, variables):
        done = judge(*arguments, typed=typed)
    return subprocess.CompletedProcess(arguments, *done)


def judge_in(
    folder: Path,
    *arguments: str,
    command: Sequence[str] = JUDGE,
    typed: str = "",
    environment: Mapping[str, str] | None = None,
    **variables: str,
) -> subprocess.CompletedProcess[str]:
    """The judge in a process of its own, in that folder; ``variables`` are added to this process's
    environment, or to the one that is given."""
    base = os.environ if environment is None else environment
    return subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env={**base, "PYTHONPATH": str(ROOT), **variables},
        input=typed,
        capture_output=True,
        text=True,
        timeout=300,
    )


def line_of(process: subprocess.Popen[str]) -> str:
    """The next line of its stdout. Nothing is read ahead, which `communicate` would leave out."""
    assert process.stdout
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(process.stdout.fileno(), 1)):
        line += byte
    return line.decode()


def started(folder: Path, *arguments: str, **variables: str) -> subprocess.Popen[str]:
    """The judge in a process of its own that goes on; ``variables`` are added to this process's
    environment."""
    return subprocess.Popen(
        [*JUDGE, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
