"""scripts/judge and its kind on a copy of the checkout: set up once, mended, never wrecked.

The set-ups are real (a virtual environment, pip, an editable install) but ask no package index:
what pip needs is lent to them by PYTHONPATH.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import judge
from clean import clean_environment
from needs import need

ROOT = Path(__file__).parents[2]
SECONDS = 120  # until a set-up counts as hung
VERSION = f"judge {judge.__version__}\n"

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of what a clone holds, in a folder whose name has a space."""
    copy = tmp_path / "a clone"
    shutil.copytree(
        ROOT, copy, ignore=shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "tests")
    )
    return copy


@pytest.fixture
def start(checkout: Path, tmp_path: Path) -> Start:
    """Starts a program in another folder, with a pip that needs no index."""
    lent = tmp_path / "lent"
    lent.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.startswith(("_battleships", "battleships", "pip")):
            (lent / entry.name).symlink_to(entry)
    offline = {
        "PYTHON": sys.executable,
        "PYTHONPATH": str(lent),
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads it as "build isolation: 0"
    }

    def start(*command: str | Path, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            cwd=tmp_path,
            env=clean_environment() | offline | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    return start


def end(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=SECONDS)
    return process.returncode, out, err


def test_a_checkout_sets_itself_up_and_mends_what_was_interrupted(
    checkout: Path, start: Start, tmp_path: Path
) -> None:
    """Killed half way, the next two runs at once leave one sound .venv; later ones are silent,
    through a symlink too; a changed pyproject.toml is followed, and a moved checkout."""
    script = checkout / "scripts" / "judge"
    python = checkout / ".venv" / "bin" / "python"

    killed = start(script, "--version")
    deadline = time.monotonic() + SECONDS
    while not python.exists():
        assert killed.poll() is None, killed.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.killpg(killed.pid, signal.SIGKILL)
    _, out, err = end(killed)
    assert out == ""
    assert "setting up" in err
    assert not list(checkout.glob(".venv/ready-*"))

    both = [end(process) for process in [start(script, "--version") for _ in range(2)]]
    assert [status for status, _, _ in both] == [0, 0], both
    assert {out for _, out, _ in both} == {VERSION}
    assert ["setting up" in err for _, _, err in both].count(True) == 1
    assert (checkout / ".venv.lock").read_text() == ""

    link = tmp_path / "link to it"
    link.symlink_to(script)
    assert end(start(link, "--version")) == (0, VERSION, "")

    with (checkout / "pyproject.toml").open("a") as project:
        project.write("\n[tool.made-up]\n")
    status, out, err = end(start(script, "--version"))
    assert (status, out) == (0, VERSION)
    assert "bringing" in err
    assert end(start(script, "--version"))[2] == ""

    moved = checkout.rename(tmp_path / "moved")
    status, out, err = end(start(moved / "scripts" / "judge", "--version"))
    assert (status, out) == (0, VERSION)
    assert "bringing" in err


def test_git_does_not_see_what_the_first_command_leaves_behind(
    checkout: Path, start: Start
) -> None:
    """The fight of the quick start, in a clone: its set-up, its ledger and all caches."""
    git = [need("git"), "-C", str(checkout)]
    shutil.copy(ROOT / ".gitignore", checkout)
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run([*git, *words], check=True)
    before = subprocess.run([*git, "status", "--porcelain"], capture_output=True, check=True).stdout
    command = ("-c", 'cd "$0" && scripts/judge fight bots/hunter bots/random', str(checkout))
    status, _, err = end(start("/bin/sh", *command))
    assert status == 0, err
    assert (checkout / "ledger.json").exists()
    after = subprocess.run([*git, "status", "--porcelain"], capture_output=True, check=True).stdout
    assert after == before


def test_a_failed_set_up_says_so_and_leaves_nothing_ready(checkout: Path, start: Start) -> None:
    """Where pip cannot install, the judge ends with status 1 and a sentence; nothing runs."""
    project = checkout / "pyproject.toml"
    text = project.read_text()
    project.write_text(text.replace("dependencies = [", 'dependencies = [\n  "no-such-thing",'))
    assert project.read_text() != text
    status, out, err = end(start(checkout / "scripts" / "judge", "--version"))
    assert (status, out) == (1, "")
    assert "could not be installed" in err.splitlines()[-1]
    assert "Traceback" not in err
    assert not list(checkout.glob(".venv/ready-*"))


@pytest.mark.parametrize(
    ("program", "sentence"),
    [
        ("echo 3.9; exit 3", "is Python 3.9."),
        ("echo 3.12; exit 4", "has no venv module (Debian, Ubuntu: apt install python3.12-venv)."),
        ("exit 127", "does not run."),
    ],
)
def test_a_python_that_will_not_do_gets_a_sentence(
    checkout: Path, start: Start, tmp_path: Path, program: str, sentence: str
) -> None:
    """$PYTHON too old, without venv or not there: one line that says so, and nothing made."""
    interpreter = tmp_path / "python"
    interpreter.write_text(f"#!/bin/sh\n{program}\n")
    interpreter.chmod(0o755)
    for script in ("judge", "test", "lint", "bench"):
        status, out, err = end(start(checkout / "scripts" / script, PYTHON=str(interpreter)))
        assert (status, out) == (1, "")
        assert len(err.splitlines()) == 1
        assert err.startswith(f"{script}: this needs Python 3.11 or newer")
        assert sentence in err
    assert not (checkout / ".venv").exists()


def test_an_interpreter_is_looked_for_under_its_other_names(
    checkout: Path, start: Start, tmp_path: Path
) -> None:
    """Where `python3` is too old and `python3.12` will do, that one is taken."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, program in {
        "python3": "echo 3.9; exit 3",
        "python3.12": "case $1 in -c) echo 3.12;; *) echo taken: $2 $3; exit 7;; esac",
    }.items():
        (folder / name).write_text(f"#!/bin/sh\n{program}\n")
        (folder / name).chmod(0o755)
    for tool in ("cat", "readlink", "sh"):
        found = shutil.which(tool)
        assert found
        (folder / tool).symlink_to(found)
    status, out, err = end(start(checkout / "scripts" / "judge", PYTHON="", PATH=str(folder)))
    assert (status, out, err) == (7, "", f"taken: {checkout} judge\n")
