"""A judge that is an ordinary user's, in a process of its own, also where root runs the suite."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from needs import need

JUDGE = Path(__file__).parents[2] / "judge"
NEEDED = (JUDGE, Path(msgspec.__file__).parent)
IS_ALIKE = f"import sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"

_BEFORE = """\
import contextlib, os, sys
from pathlib import Path
from judge.documents.game import Limits
from judge.process.sandbox import bwrap
from judge.process.bots.bot import Bot
from judge.process.run.launch import Start
from judge.process.run.listening import Stop

program, place, *words = sys.argv[1:]
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65533)
    os.setuid(65533)
folder = Path(place)
command = (sys.executable, "bot.py")
bot = Bot("looks", command, folder, (folder,), digest="", size=2**20, path="/usr/bin:/bin")
patient = Limits(timeout_ms=30_000)
"""


def ordinary_user(script: str, source: str, *words: str) -> subprocess.CompletedProcess[str]:
    """The result of a script of that user's, which finds `bot`, a Python bot of this ``source``,
    ``patient`` limits and bubblewrap's ``program``."""
    program = need("bwrap")
    with tempfile.TemporaryDirectory() as readable:  # the checkout may be root's alone
        for package in NEEDED:
            shutil.copytree(package, Path(readable, package.name))
        Path(readable, "bot").mkdir()
        Path(readable, "bot", "bot.py").write_text(source)
        subprocess.run(["chmod", "-R", "a+rX", readable], check=True)
        return subprocess.run(
            [_python(), "-c", _BEFORE + script, program, f"{readable}/bot", *words],
            env={**os.environ, "PYTHONPATH": readable, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=120,
        )


def _python() -> str:
    """A Python that this user may run, for which the packages are made: root's own may lie where
    nobody else may look."""
    everybodys = "/usr/bin/python3"
    if os.getuid() != 0 or not Path(everybodys).exists():
        return sys.executable
    is_other = subprocess.run([everybodys, "-c", IS_ALIKE], check=False).returncode
    return sys.executable if is_other else everybodys
