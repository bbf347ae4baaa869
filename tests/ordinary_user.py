"""A judge that is an ordinary user's, in a process of its own, also where root runs the suite."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from needs import need

_BEFORE = """\
import contextlib, os, sys
from pathlib import Path
from types import SimpleNamespace
from judge.game.limits import Limits
from judge.process.sandbox import bwrap
from judge.process.sandbox import plan
from judge.process.sandbox import mounts
from judge.process.bots.bot import Bot
from judge.process.run.launch import Start
from judge.process.run.listening import Stop

program, python, place, *words = sys.argv[1:]
bwrap._own_python = lambda: (python, "-I", "-S")
mounts.sys = SimpleNamespace(executable=python)  # ours may be hidden from that user
for name in ("as_main", "fork_server"):  # and the judge's files
    plan._program(name, compiled=python == sys.executable)
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65533)
    os.setuid(65533)
folder = Path(place)
bot = Bot("looks", (python, "bot.py"), folder, (folder,), digest="", size=2**20, path="/usr/bin:/bin")
patient = Limits(timeout_ms=30_000)
"""


def ordinary_user(script: str, place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """What becomes of a script of that user's, which finds `bot`, the bot.py of ``place``,
    ``patient`` limits and bubblewrap's ``program``."""
    program = need("bwrap")
    python = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
    return subprocess.run(
        [sys.executable, "-c", _BEFORE + script, program, python, str(place), *words],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=120,
    )
