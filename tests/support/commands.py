"""The judge as tests call it: in this process, or in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner

from judge.cli import cli
from judge.cli.exit_status import told
from judge.cli.setup import Embedding

ROOT = Path(__file__).parents[2]
JUDGE = [sys.executable, "-m", "judge"]


class Done(NamedTuple):
    status: int
    stdout: str
    stderr: str


def judge(*arguments: str, embedding: Embedding | None = None) -> Done:
    """The judge in this process; what would end it is told as `main` does."""
    done = CliRunner().invoke(cli, arguments, standalone_mode=False, obj=embedding)
    if done.exception is None:
        return Done(done.return_value or 0, done.stdout, done.stderr)
    status, line = told(done.exception)
    return Done(status, done.stdout, f"{done.stderr}judge: {line}\n")
