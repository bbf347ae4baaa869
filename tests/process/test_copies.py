"""The files of a bot that each game finds, and the user that a bot is outside of its sandbox."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from bot_files import python_bot
from child_processes import descendants
from judge.errors import LaunchFault
from judge.process.bots.bot import Bot, find
from judge.process.run.launch import Launcher, ProcessRun
from judge.process.sandbox.fork_launcher import ForkLauncher
from judge.process.sandbox.plan import copied
from launching import Launching

NOBODY = 65534

Begin = Callable[[Bot], Launcher]


@pytest.fixture(params=["exec", "fork"])
def start(request: pytest.FixtureRequest, launching: Launching) -> Begin:
    """Starts a bot in bubblewrap."""
    return partial(launching, level="bwrap", launch=request.param)


def said(done: ProcessRun) -> str:
    assert done.status == 0, done.stderr.decode()
    return done.stdout.decode()


TELLS = """\
import os
for path, folders, names in sorted(os.walk(".")):
    for name in (".", *sorted(names)):
        status = os.lstat(os.path.join(path, name))
        print(os.path.join(path, name), oct(status.st_mode), status.st_mtime, status.st_nlink)
print(open("inner/data").read(), open("link").read())
"""


def test_a_game_finds_all_that_is_digested_as_it_is(start: Begin, tmp_path: Path) -> None:
    """Names, contents, links and executable bits; of times and permissions nothing is told, and
    what is not part of a bot is not there. It may be closed to all but its owner.
    """
    (tmp_path / "inner").mkdir(0o700)
    (tmp_path / "inner" / "data").write_text("what it holds")
    (tmp_path / "inner" / "data").chmod(0o600)
    (tmp_path / "link").symlink_to("inner/data")
    (tmp_path / "empty").touch()
    (tmp_path / "program").write_text("#!/bin/sh\n")
    (tmp_path / "program").chmod(0o700)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "left").touch()
    (tmp_path / ".git").write_text("gitdir: elsewhere\n")
    bot = python_bot(tmp_path, TELLS)
    tmp_path.chmod(0o700)
    when = "946684800.0"
    assert said(start(bot).run("x")).splitlines() == [
        f"./. 0o40555 {when} 3",
        f"./bot.json 0o100444 {when} 1",
        f"./bot.py 0o100444 {when} 1",
        f"./empty 0o100444 {when} 1",
        f"./link 0o120777 {when} 1",
        f"./program 0o100555 {when} 1",
        f"./inner/. 0o40555 {when} 2",
        f"./inner/data 0o100444 {when} 1",
        "what it holds what it holds",
    ]


LOOKS = """\
import os
print(os.stat("bot.py").st_ctime_ns, os.stat(".").st_dev)
print([line.split()[2] for line in open("/proc/self/mountinfo") if ".copy" in line])
print(os.listdir("/.copy"))
"""


def test_each_game_has_a_copy_of_its_own(start: Begin, tmp_path: Path) -> None:
    """The moves of a game share one, and the next game has another one; of neither the place where
    it is made is to be seen.
    """
    launcher = start(python_bot(tmp_path, LOOKS))
    games = []
    for _ in range(3):
        launcher.begin_game()
        first, second = (said(launcher.run("x")) for _ in range(2))
        assert first == second
        assert first.splitlines()[1:] == ["[]", "[]"]
        games.append(first)
    assert len(set(games)) == 3
    assert isinstance(launcher, ForkLauncher)
    assert launcher._server is not None


def test_a_game_in_which_nobody_moved_costs_no_copy(start: Begin, tmp_path: Path) -> None:
    """Its successor has the copy that it had."""
    launcher = start(python_bot(tmp_path, LOOKS))
    launcher.begin_game()
    first = said(launcher.run("x"))
    for _ in range(3):
        launcher.begin_game()
    assert said(launcher.run("x")) != first
    launcher.begin_game()
    assert said(launcher.run("x")) != first


def test_files_of_a_command_line_stand_where_they_are(start: Begin, tmp_path: Path) -> None:
    """Each at its own path, wherever that is, and nothing else beside it."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "data").write_text("what it holds")
    (elsewhere / "neighbour").touch()
    program = tmp_path / "bot.py"
    source = f"import os\nfor at in (r'{elsewhere}', '.'): print(os.listdir(at))\n"
    program.write_text(f"{source}print(open(r'{elsewhere}/data').read(), end='')\n")
    python = find(str(program)).command[0]
    files = (program, elsewhere / "data")
    bot = Bot(
        "bot", (python, str(program)), tmp_path, files, "", 0, os.defpath, interpreters=(python,)
    )
    launcher = start(bot)
    for _ in range(2):
        launcher.begin_game()
        words = said(launcher.run("x")).splitlines()
        assert words[0] == "['data']"
        assert sorted(re.findall(r"\w[\w.]*", words[1])) == ["bot.py", "elsewhere"]
        assert words[2] == "what it holds"


def test_a_file_that_is_gone_is_no_bots_fault(tmp_path: Path) -> None:
    """Nobody but the user, or the machine, can have taken it away."""
    bot = python_bot(tmp_path, TELLS)
    (tmp_path / "bot.py").unlink()
    assert len(copied(bot).places) == 1
    (tmp_path / "bot.json").unlink()
    tmp_path.rmdir()
    with pytest.raises(LaunchFault, match="cannot be read"):
        copied(bot)


def test_a_copy_takes_whole_pages(tmp_path: Path) -> None:
    """So much more memory a bot is allowed, that it has for itself what the limit says."""
    bot = python_bot(tmp_path, "x" * 5000)
    assert len(copied(bot).content) == bot.size
    ((_, entries),) = copied(bot).places
    assert len(entries) == 3
    assert copied(bot).memory == 2 * 4096 + 4096 + 4 * 4096


def test_where_root_judges_bots_are_nobodys_outside_as_well(start: Begin, tmp_path: Path) -> None:
    """The processes that run a bot, and the bot itself, are nobody's: by the kernel's own numbers,
    for all their users."""
    launcher = start(python_bot(tmp_path, "import os; print(os.getresuid(), os.getgroups())"))
    inside = said(launcher.run("x"))
    assert inside == f"({NOBODY}, {NOBODY}, {NOBODY}) []\n"
    assert isinstance(launcher, ForkLauncher)
    server = launcher._server
    assert server is not None
    assert server.is_clear()
    user = NOBODY if os.getuid() == 0 else os.getuid()
    below = descendants(server._process.popen.pid)[1:]  # without bubblewrap, who made the place
    statuses = []
    for process in below:
        with suppress(FileNotFoundError, ProcessLookupError):  # it made the last move
            statuses.append(Path(f"/proc/{process}/status").read_text())
    assert statuses
    for status in statuses:
        ids = re.findall(r"^[UG]id:\t(.*)$", status, re.MULTILINE)
        assert ids[0].split() == 4 * [str(user)]
        if os.getuid() == 0:
            assert ids[1].split() == 4 * [str(NOBODY)]
            assert "Groups:\t \n" in status
