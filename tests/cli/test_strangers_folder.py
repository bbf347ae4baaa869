"""The folder that the user stands in is a stranger's: nothing in it is imported or run. That its
judge.toml is not read stands in test_config.py."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from changes import replace
from clean import clean_environment
from commands import ROOT, judge_in
from games import played
from judge.contest.ledger.ledger import Ledger
from judge.documents.codec import builtins

OURS = {"judge"}
MODULE_OF_PYTHON = ("-m", "judge")
INSTALLED = ("-P", "-c", "from judge.__main__ import main; main()")  # as the program `judge` does
PACKAGES = {"attr", "click", "jsonschema", "numpy", "referencing", "rich", "rpds", "sitecustomize"}
MODULE = "open({!r}, 'a').write(__name__ + '\\n')\nraise ImportError('a stranger')\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a module of every name that the judge could import; each leaves a word in
    ``ran`` beside the folder."""
    path = tmp_path / "got"
    path.mkdir()
    text = MODULE.format(str(tmp_path / "ran"))
    for name in (sys.stdlib_module_names | PACKAGES) - OURS:
        (path / f"{name}.py").write_text(text)
    return path


@pytest.fixture
def ran(tmp_path: Path) -> Iterator[Path]:
    """The file that a stranger's program makes; at the end it is not there."""
    path = tmp_path / "ran"
    yield path
    assert not path.exists(), path.read_text()


judge = partial(judge_in, environment=clean_environment())


def fill(folder: Path, size: int) -> None:
    """A ledger whose journal has that many bytes or some more."""
    game = played()
    games = 1 + size // len(json.dumps(builtins(game), separators=(",", ":")))
    with Ledger(folder / "ledger.json") as ledger:
        ledger.add_all([replace(game, seed=seed) for seed in range(games)], numbered=True)


def loaded_before_the_judge() -> list[str]:
    """The modules that ``python -m`` itself imports, which the judge cannot keep it from."""
    code = "import runpy, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)
    return done.stdout.split()


@pytest.mark.parametrize(
    ("how", "arguments"),
    [(MODULE_OF_PYTHON, ("ledger", "verify")), (INSTALLED, ("site", "out"))],
    ids=["module", "program"],
)
def test_workers_import_nothing_from_the_current_folder(
    how: tuple[str, ...], arguments: tuple[str, ...], folder: Path, ran: Path
) -> None:
    """Nor does the judge itself, with a ledger that is long enough for worker processes."""
    fill(folder, 2**20 + 1)
    if how == MODULE_OF_PYTHON:
        for name in loaded_before_the_judge():
            folder.joinpath(f"{name}.py").unlink(missing_ok=True)
    done = judge(folder, *arguments, "--jobs", "2", command=(sys.executable, *how))
    assert done.returncode == 0, done.stderr


def test_a_checkout_runs_where_it_is(tmp_path: Path, ran: Path) -> None:
    """`python -m judge` finds the judge in the current folder, and so do its workers; what else
    lies there is not imported."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    for name in ("judge", "schemas", "bots"):
        (checkout / name).symlink_to(ROOT / name)
    (checkout / "click.py").write_text(MODULE.format(str(ran)))
    fill(checkout, 2**20 + 1)
    done = judge(checkout, "ledger", "verify", "--jobs", "2", PYTHONPATH="")
    assert done.returncode == 0, done.stderr
