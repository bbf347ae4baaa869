"""The process that moves are forked from: no byte of a bot's is read in it, whatever lies in the
bot's folder, and what comes of a bot's program is the bot's own loss.
"""

from __future__ import annotations

import importlib.util
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from bot_files import python_bot
from changes import replace
from child_processes import children
from judge.documents.game import Limits
from judge.process.bots.bot import Bot
from judge.process.run.launch import ProcessRun
from judge.process.run.limits import MOST_PROCESSES, SERVERS_PROCESSES
from judge.process.run.listening import RunEnd, Stop
from judge.process.sandbox.fork_launcher import ForkLauncher
from judge.process.sandbox.forked_program import _may_load
from launching import PATIENT, Launching

LEVELS = ("bwrap", "limits", "none")
WELL = 'print("well")\n'

Forking = Callable[..., ForkLauncher]


@pytest.fixture
def forking(launching: Launching, stop: Stop) -> Iterator[Forking]:
    """Makes what forks a bot at some level."""
    with ExitStack() as stack:

        def forking(
            bot: Bot, level: str = "none", limits: Limits = PATIENT, **more: object
        ) -> ForkLauncher:
            launcher = launching(bot, level, "fork", limits)
            assert isinstance(launcher, ForkLauncher)
            if not more:
                return launcher
            launcher.close()
            other = ForkLauncher(replace(launcher._sandbox, **more), stop)
            return stack.enter_context(closing(other))

        yield forking


def lost(run: ProcessRun) -> bool:
    return run.ended is not RunEnd.BY_ITSELF or run.status != 0


# What a bot leaves to the process that it is forked from, or finds of it.


# Children of the fork server, which has not made them; the second tells it of its end by no signal.
ORPHANS = """\
import ctypes, os, platform, sys
clone = {"x86_64": 56, "aarch64": 220}[platform.machine()]
for flags in (0x8000 | 17, 0x8000):
    if not ctypes.CDLL(None).syscall(clone, flags, 0, 0, 0, 0):
        os._exit(5)
print("well")
"""

LOOKS_DOWN = """\
import gc, os, sys
for _ in range(20):
    if not os.fork():
        os._exit(0)
    os.wait()
frame = sys._getframe()
while frame := frame.f_back:
    print(frame.f_code.co_name, *(f"{name}={value}" for name, value in frame.f_locals.items()
        if type(value) in (int, str, bytes, list, tuple, dict)))
kinds = [type(one).__name__ for one in gc.get_objects()]
print(*(kind for kind in ("Children", "MoveProcesses", "struct_rusage") if kind in kinds))
sys.exit(int(sys.argv[1]))
"""


@pytest.mark.parametrize("level", LEVELS)
def test_the_server_reaps_what_a_bot_leaves_to_it(
    level: str, tmp_path: Path, forking: Forking
) -> None:
    """Such a child holds up no move, even where no filter refuses it, and is not taken for a move
    itself: status and answer of each are its own."""
    launcher = forking(python_bot(tmp_path, ORPHANS), level, filter_program=None)
    start = time.monotonic()
    for _ in range(3):
        run = launcher.run("x")
        assert (run.ended, run.status, run.stdout) == (RunEnd.BY_ITSELF, 0, b"well\n")
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("level", LEVELS)
def test_a_move_finds_nothing_of_the_last_one_below_its_own_frames(
    level: str, tmp_path: Path, forking: Forking
) -> None:
    """Neither how that ended nor how many processes it has started, in this game or the next."""
    launcher = forking(python_bot(tmp_path, LOOKS_DOWN), level)
    runs = [launcher.run(status) for status in ("7", "9")]
    launcher.begin_game()
    runs += [launcher.run(status) for status in ("7", "9")]
    assert [run.status for run in runs] == [7, 9, 7, 9], runs[0].stderr
    assert b"<module> " in runs[0].stdout
    assert len({run.stdout.replace(b"'9'", b"'7'") for run in runs}) == 1


def test_a_bot_cannot_take_the_processes_that_the_server_needs(
    tmp_path: Path, forking: Forking
) -> None:
    """The limit is on the move and not on the server if the kernel counts a bot's processes, and
    the control group lets the server have a few more."""
    launcher = forking(
        python_bot(
            tmp_path, "import resource\nprint(*resource.getrlimit(resource.RLIMIT_NPROC))\n"
        ),
        "bwrap",
    )
    counted = dict(launcher._sandbox.limits).get(resource.RLIMIT_NPROC)
    run = launcher.run("x")
    assert counted is None or run.stdout.split() == [b"%d" % MOST_PROCESSES] * 2
    assert launcher._server is not None
    assert launcher._server._process._first is not None
    of_first = Path(f"/proc/self/fdinfo/{launcher._server._process._first}").read_text()
    first = int(of_first.partition("\nPid:")[2].split()[0])
    soft, _ = resource.prlimit(first, resource.RLIMIT_NPROC)
    assert soft == resource.RLIM_INFINITY or soft >= MOST_PROCESSES + SERVERS_PROCESSES


# What lies in a bot's folder.


# Run in the server, this ends it, or is found by every move.
PLANTED = """\
import sys
sys.planted = [*getattr(sys, "planted", []), __name__]
"""
ENDING = "import posix\nposix._exit(9)\n"
LOOKS = "import sys\nprint(getattr(sys, 'planted', None))\n"

SHADOWS = (
    *("_ctypes", "_signal", "_socket", "_weakref", "abc", "atexit", "builtins", "codecs"),
    *("collections", "ctypes", "encodings", "errno", "fcntl", "functools", "gc", "importlib"),
    *("io", "linecache", "marshal", "opcode", "os", "posixpath", "re", "resource", "select"),
    *("site", "sitecustomize", "stat", "struct", "sys", "tokenize", "types", "usercustomize"),
    *("warnings", "judge"),
)


def plant(folder: Path, source: str) -> None:
    """Put a module of each of these names into a folder, as a file, a package and compiled; and
    what an interpreter looks for beside itself or in a folder of packages.
    """
    cached = folder / "__pycache__"
    cached.mkdir(parents=True)
    for name in SHADOWS:
        (folder / f"{name}.py").write_text(source)
        compiled = compile(source, f"{name}.py", "exec")
        code = importlib._bootstrap_external._code_to_hash_pyc(compiled, bytes(8), checked=False)
        (cached / f"{name}.{sys.implementation.cache_tag}.pyc").write_bytes(code)
    for package in ("encodings", "judge", "collections"):
        (folder / package).mkdir()
        (folder / package / "__init__.py").write_text(source)
    (folder / "encodings" / "utf_8.py").write_text(source)
    (folder / "planted.pth").write_text(f"import sys; exec({source!r})\n")
    (folder / "pyvenv.cfg").write_text(f"home = {folder}\n")
    (folder / "python311._pth").write_text(f"{folder}\nimport site\n")
    for home in (f".local/lib/python3.{sys.version_info[1]}/site-packages", "lib"):
        (folder / home).mkdir(parents=True)
        (folder / home / "usercustomize.py").write_text(source)
        (folder / home / "planted.pth").write_text(f"import sys; exec({source!r})\n")


@pytest.mark.parametrize("source", [PLANTED, ENDING], ids=["marks", "ends"])
@pytest.mark.parametrize("level", LEVELS)
def test_the_server_imports_nothing_from_a_bots_folder(
    level: str, source: str, tmp_path: Path, forking: Forking
) -> None:
    """A bot's module with a name that the server imports is never run in it: no move finds a
    trace, in this game or in the next, and no move is the judge's fault.
    """
    plant(tmp_path / "bot", source)
    bot = python_bot(tmp_path / "bot", LOOKS)
    for _ in range(2):
        launcher = forking(bot, level)
        for _ in range(2):
            run = launcher.run("x")
            assert (run.status, run.stdout, run.stderr) == (0, b"None\n", b"")


@pytest.mark.parametrize("level", LEVELS)
def test_a_shadow_that_the_bot_imports_is_run_in_each_move_anew(
    level: str, tmp_path: Path, forking: Forking
) -> None:
    """And in no other process: what one move leaves in it, the next does not find."""
    (tmp_path / "json.py").write_text("count = 0\n")
    bot = python_bot(tmp_path, "import json\njson.count += 1\nprint(json.count, json.__file__)\n")
    launcher = forking(bot, level)
    for _ in range(3):
        assert launcher.run("x").stdout == f"1 {tmp_path}/json.py\n".encode()


def test_the_server_starts_isolated_and_elsewhere(tmp_path: Path, forking: Forking) -> None:
    """Its command says so, and its folder is not the bot's; its moves have their own flags."""
    source = "import os, sys\nprint(sys.flags.isolated, sys.flags.no_site, os.getcwd())\n"
    bot = python_bot(tmp_path, source)
    launcher = forking(bot)
    assert launcher.run("x").stdout == f"0 0 {tmp_path}\n".encode()
    assert launcher._server is not None
    server = Path("/proc", str(launcher._server._process.popen.pid))
    words = (server / "cmdline").read_bytes().split(b"\0")
    assert words[1:3] == [b"-I", b"-S"]
    assert (server / "cwd").readlink() == Path("/")


@pytest.mark.parametrize(
    "name",
    [
        *("", "..", "os.", ".os", "nothing", "pip", "judge", "test.support", "os/../x", "os\x00"),
        *("__main__", "antigravity", "this", "turtle", "idlelib.idle", "unittest.__main__"),
    ],
)
def test_the_server_imports_only_what_is_meant_to_be_imported(name: str) -> None:
    """It refuses each module it is told to import that is not the standard library's, or acts."""
    assert not _may_load(name)
    assert _may_load("concurrent.futures")


@pytest.mark.parametrize("level", LEVELS)
def test_the_server_survives_the_whole_standard_library(
    level: str, tmp_path: Path, forking: Forking
) -> None:
    """A bot that imports all of it, in a function that it never calls, plays."""
    imports = "".join(f"    import {name}\n" for name in sorted(sys.stdlib_module_names))
    launcher = forking(python_bot(tmp_path, f"def never():\n{imports}{WELL}"), level)
    for _ in range(2):
        run = launcher.run("x")
        assert (run.status, run.stdout) == (0, b"well\n")


# What compiling a bot may come to.


HEAVY = {
    "650 KB of lambdas": "y = [" + "lambda: 0," * 65_000 + "]\n",
    "nested lambdas": "x = " + "lambda: " * 80_000 + "0\n",
    "nested parentheses": "x = " + "(" * 100_000 + ")" * 100_000 + "\n",
    "nested signs": "x = " + "-" * 500_000 + "1\n",
    "nested blocks": "".join(" " * depth + "if 1:\n" for depth in range(99)) + " " * 99 + "x\n",
    "a long sum": "x = 1" + " + 1" * 200_000 + "\n",
    "a long path": "x = a" + ".b" * 300_000 + "\n",
    "a long choice": "if 0: pass\n" + "elif 0: pass\n" * 100_000,
    "a long list": "x = [" + "1," * 900_000 + "]\n",
    "a long number": "x = 0x" + "f" * 1_900_000 + "\n",
    "a long decimal number": "x = " + "9" * 1_900_000 + "\n",
    "powers": "x = " + "**".join(["9"] * 40) + "\n",
    "shifted numbers": "x = 1" + " << 9999" * 9_999 + "\n",
    "multiplied texts": "".join(f"x{n} = ('a{n}' * 999) * 4\n" for n in range(20_000)),
    "multiplied tuples": "x = " + "(" * 60 + "(1, 2)" + " * 200)" * 60 + "\n",
    "nested texts": 'x = f"' + "{f'" * 150 + "'}" * 150 + '"\n',
    "a text of many parts": "x = " + "'a' " * 400_000 + "\n",
    "many warnings": "1 is 1\n" * 50_000,
    "an odd coding": "# coding: unicode_escape\n" + "\\u0061" * 300_000 + "\n",
    "a compressed coding": "# coding: bz2\nx\n",
}


@pytest.mark.parametrize("name", HEAVY)
def test_a_program_that_is_hard_to_compile_is_its_own_loss(
    name: str, tmp_path: Path, forking: Forking
) -> None:
    """Whatever it does to the compiler, each of its moves has an end, which is not a fault of the
    judge's, and the next game of another bot is as any.
    """
    hard = forking(python_bot(tmp_path / "hard", HEAVY[name]), "limits", Limits(timeout_ms=800))
    for _ in range(2):
        run = hard.run("x")
        assert run.ended in (RunEnd.BY_ITSELF, RunEnd.TIMED_OUT, RunEnd.OVER_MEMORY)
        assert run.argv[-1] == "x"
    assert forking(python_bot(tmp_path / "well", WELL), "limits").run("x").stdout == b"well\n"


@pytest.mark.parametrize("level", LEVELS)
def test_650_kb_of_lambdas_lose_in_time(level: str, tmp_path: Path, forking: Forking) -> None:
    """A program that takes an interpreter more time, or more memory, than a move may have is lost
    in the move, as it is when the bot is executed.
    """
    source = HEAVY["650 KB of lambdas"]
    little = Limits(timeout_ms=400, memory_bytes=64 * 2**20)
    assert lost(forking(python_bot(tmp_path / "hard", source), level, little).run("x"))
    assert forking(python_bot(tmp_path / "well", WELL), level).run("x").stdout == b"well\n"


@pytest.mark.parametrize("level", LEVELS)
def test_compiling_beforehand_has_a_time_of_its_own(
    level: str, tmp_path: Path, forking: Forking
) -> None:
    """A program that is not compiled by then is compiled in each move, which says so: the move
    has its whole time for it, and looks the same.
    """
    takes_long = "taken = [0]\n" * 10_000  # or it may be done by then
    bot = python_bot(tmp_path, f"import sys\nprint('well', sys.argv[1:])\n{takes_long}")
    launcher = forking(bot, level, compiling_seconds=0.0)
    for _ in range(2):
        run = launcher.run("x")
        assert (run.status, run.stdout) == (0, b"well ['x']\n")
        assert run.stderr == b"judge: compiling this beforehand took more than 0 s; now in a move\n"


def test_a_compiler_that_is_killed_is_nobodys_fault(tmp_path: Path, forking: Forking) -> None:
    """Each move compiles the program itself then, and says why, and the next game tries again."""
    bot = python_bot(tmp_path, WELL + HEAVY["a long list"][:600_000] + "]\n")
    before, killed = os.getpid(), threading.Event()

    def kill() -> None:
        while not killed.is_set():
            for server in children(before):
                for compiler in children(server):
                    os.kill(compiler, signal.SIGKILL)
                    killed.set()
                    return
            time.sleep(0.001)

    killing = threading.Thread(target=kill)
    killing.start()
    run = forking(bot).run("x")
    killed.set()
    killing.join()
    assert (run.status, run.stdout) == (0, b"well\n")
    told = b"judge: compiling this beforehand ended by signal 9; now in a move\n"
    assert run.stderr == told
    again = forking(bot).run("x")
    assert (again.status, again.stdout, again.stderr) == (0, b"well\n", b"")


# What a move says of itself.


LIES = """\
import os, socket, sys
words = b"ended 0 0 0"
for name in os.listdir("/proc/self/fd"):
    fd = int(name)
    for say in (os.write, lambda fd, words: socket.socket(fileno=os.dup(fd)).send(words)):
        try:
            if fd > 2:
                say(fd, words)
        except OSError:
            pass
for path in ("/proc/1/fd", f"/proc/{os.getppid()}/fd") if INSIDE else ():
    try:
        for name in os.listdir(path):
            open(f"{path}/{name}", "wb", 0).write(words)
    except OSError:
        pass
if os.fork() == 0:
    os.setsid()
    print("still here", flush=True)
    os._exit(0)
os.wait()
print(sorted(os.listdir("/proc/self/fd"))[:-1], flush=True)
os.MANNER
"""


@pytest.mark.parametrize(
    ("manner", "status"), [("_exit(3)", 3), ("abort()", -6), ("kill(0, 9)", -9)]
)
@pytest.mark.parametrize("level", LEVELS)
def test_no_move_can_lie_about_its_end(
    level: str, manner: str, status: int, tmp_path: Path, forking: Forking
) -> None:
    """It holds nothing but its three pipes, and how it ended the kernel says."""
    source = LIES.replace("INSIDE", str(level == "bwrap")).replace("MANNER", manner)
    launcher = forking(python_bot(tmp_path, source), level)
    for _ in range(3):
        run = launcher.run("x")
        assert (run.ended, run.status) == (RunEnd.BY_ITSELF, status)
        assert run.stdout == b"still here\n['0', '1', '2']\n"
