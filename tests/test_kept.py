"""A bot that is kept for a game: what its moves share, what they do not, and how trouble ends."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from judge.game.record import Limits
from judge.process.bot import Bot
from judge.process.isolation import choose
from judge.process.kept import Keeper, Kept
from judge.process.launch import Ended, Launcher, Stop
from needs import need

PATIENT = Limits(timeout_ms=30_000)
HURRIED = Limits(timeout_ms=700)

Keep = Callable[..., Launcher]


@pytest.fixture(params=[("bwrap", False), ("bwrap", True), ("limits", True)], ids=str)
def keep(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Keep]:
    """Keeps a Python program by each means."""
    level, fork = request.param
    if level == "bwrap":
        need("bwrap")
    with closing(Stop()) as stop:
        kept: list[Launcher] = []

        def keep(source: str, limits: Limits = PATIENT) -> Launcher:
            program = tmp_path / "bot.py"
            program.write_text(source)
            command = (sys.executable, str(program))
            bot = Bot("bot", command, tmp_path, (tmp_path,), digest="", size=0, path=os.defpath)
            isolation, _ = choose(level)
            kept.append(isolation.launcher(bot, {"PATH": bot.path}, limits, stop, fork=fork))
            return kept[-1]

        yield keep
        for launcher in kept:
            launcher.close()


def test_every_move_begins_the_same(keep: Keep) -> None:
    """What a move finds of processes, descriptors and itself does not tell how many were before."""
    bot = keep(
        "import os, sys\n"
        "print(sys.argv[1:], sorted(os.listdir('/proc/self/fd')), os.listdir(os.environ['TMPDIR']))\n"
        "open(os.environ['TMPDIR'] + '/note', 'w').write('here')\n"
    )
    first = bot.run("a")
    assert first.status == 0, first.stderr
    assert first.stdout == b"['a'] ['0', '1', '2', '3'] []\n"
    for _ in range(5):
        assert bot.run("a").stdout == first.stdout


def test_after_a_timeout_the_next_move_is_whole(keep: Keep) -> None:
    """The move that ran out of time has used the time that it has used, and harms no other."""
    bot = keep("import sys\nwhile sys.argv[1] == 'spin': pass\nprint('done')\n", HURRIED)
    late = bot.run("spin")
    assert (late.ended, late.status) == (Ended.TIMED_OUT, -signal.SIGKILL)
    assert late.cpu_ms > 50
    assert bot.run("stop").stdout == b"done\n"


def test_after_a_flood_the_next_move_is_whole(keep: Keep) -> None:
    """What was printed too much is in no other move's output."""
    bot = keep("import sys\nwhile sys.argv[1] == 'flood': print('x' * 1000)\nprint('done')\n")
    assert bot.run("flood").ended is Ended.FLOODED
    assert bot.run("stop").stdout == b"done\n"


def test_a_keeper_that_is_killed_is_started_again(keep: Keep) -> None:
    """Whoever kills it between two moves, no bot is blamed."""
    bot = keep("print('done')\n")
    assert bot.run("x").stdout == b"done\n"
    assert isinstance(bot, Kept)
    assert bot._keeper is not None
    bot._keeper._process.kill()
    bot._keeper._process.wait()
    assert bot.run("x").stdout == b"done\n"


def test_a_keeper_that_is_closed_while_it_starts_leaves_nothing(tmp_path: Path) -> None:
    """At whatever moment that is: neither bubblewrap nor what it has begun goes on."""
    need("bwrap")
    bot = Bot("bot", ("/bin/true",), tmp_path, (tmp_path,), digest="", size=0, path=os.defpath)
    isolation, _ = choose("bwrap")
    with closing(Stop()) as stop:
        launcher = isolation.launcher(bot, {"PATH": bot.path}, PATIENT, stop, fork=False)
        assert isinstance(launcher, Kept)
        launcher.close()
        for number in range(60):
            keeper = Keeper(launcher._sandbox, stop)
            time.sleep(number / 3000)
            keeper.close()
    assert [line for line in command_lines() if str(tmp_path) in line] == []


def command_lines() -> Iterator[str]:
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            yield (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
