"""Forking: what a program finds there is what it finds in an interpreter of its own, whatever
the moves before it have done.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sysconfig
import threading
import time
from contextlib import closing, suppress
from glob import glob
from itertools import cycle
from pathlib import Path

import pytest

from bot_files import manifest, python_bot, script
from bundled import BOTS
from changes import replace
from child_processes import children
from commands import judge_at
from contest_folder import journal as games_in
from judge.contest.schedule import Fight, First
from judge.contest.threads import playing
from judge.contest.window import Fault
from judge.documents.codec import builtins
from judge.documents.game import Limits, Termination
from judge.errors import Interrupted, LaunchFault, UsageError
from judge.game.variants import BRAINJAR
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import find
from judge.process.bots.forkable import require_forkable
from judge.process.run.launch import ProcessRun
from judge.process.run.listening import RunEnd, Stop
from launching import PATIENT, Launching
from needs import held_by, need
from odd import ODD

LEVELS = ("bwrap", "limits", "none")
INIT = '{"cmd":"init"}'
LATER = '{"cmd":"move","moves":["0001"],"hit":[],"missed":["00"],"destroyed":[],"you":0}'


def seen(run: ProcessRun) -> tuple[object, ...]:
    """The parts of a run that a judge and a bot's author see, without the addresses of objects."""
    streams = (re.sub(rb"0x[0-9a-f]{6,}", b"0x", said) for said in (run.stdout, run.stderr))
    return run.argv, run.ended, run.status, *streams


# The same.


@pytest.mark.parametrize(("name", "level"), list(zip(ODD, cycle(LEVELS[:2]), strict=False)))
def test_an_odd_program_looks_the_same(
    name: str, level: str, tmp_path: Path, launching: Launching
) -> None:
    """The output of the program, its complaints and its end are those of a new interpreter, in a
    second move as in the first. The levels take turns.
    """
    ODD[name].write(tmp_path)
    bot = find(str(manifest(tmp_path, "python3", "bot.py")))
    expected = seen(launching(bot, level).run(INIT))
    launcher = launching(bot, level, "fork")
    for _ in range(2):
        assert seen(launcher.run(INIT)) == expected


IN_C = """\
#include <Python.h>
#include <stdio.h>
static struct PyModuleDef spoken = {PyModuleDef_HEAD_INIT, "spoken", NULL, -1};
PyMODINIT_FUNC PyInit_spoken(void)
{
    puts("said");
    return PyModule_Create(&spoken);
}
"""


@pytest.mark.parametrize("level", LEVELS)
def test_what_a_module_in_c_has_buffered_is_said(
    level: str, tmp_path: Path, launching: Launching
) -> None:
    """A bot's own module in C may print by C's means, which writes when the process exits."""
    header = Path(sysconfig.get_paths()["include"], "Python.h")
    if not header.exists() and not os.environ.get("CI"):
        pytest.skip(f"{header} is not on this machine")
    made = ["-shared", "-fPIC", "-I", str(header.parent), "-o", str(tmp_path / "spoken.so")]
    subprocess.run([need("cc"), "-xc", "-", *made], input=IN_C, text=True, check=True)
    bot = python_bot(tmp_path, "import spoken")
    assert launching(bot, level, "fork").run(INIT).stdout == b"said\n"


PYTHON_BOTS = sorted(path.parent.name for path in BOTS.glob("*/bot.py"))
PYTHON_TEMPLATES = sorted(
    str(path.parent) for path in (BOTS.parent / "judge/templates").glob("*/bot.py")
)


@pytest.mark.parametrize(
    ("name", "level"), list(zip([*PYTHON_BOTS, *PYTHON_TEMPLATES], cycle(LEVELS), strict=False))
)
def test_a_bot_of_ours_replies_the_same(name: str, level: str, launching: Launching) -> None:
    """All of them may be forked. By the same seed, to the same questions, a bundled Python bot or
    what `judge new` makes gives the same replies.
    """
    bot = find(name)
    require_forkable([bot])
    executed, forked = (launching(bot, level, launch) for launch in ("exec", "fork"))
    for question in (INIT, LATER, LATER.replace('["0001"]', '["0001","1113"]'), "nonsense"):
        assert seen(forked.run(question)) == seen(executed.run(question))


@pytest.mark.parametrize("level", LEVELS)
def test_each_move_has_its_own_luck(level: str, tmp_path: Path, launching: Launching) -> None:
    """A program that does not seed is told something else every time."""
    bot = python_bot(
        tmp_path,
        """
        import os, random, secrets, tempfile, uuid
        print(random.random())
        print(random.Random().random())
        print(os.urandom(8).hex())
        print(secrets.token_hex(8))
        print(uuid.uuid4())
        print(next(tempfile._get_candidate_names()))
        """,
    )
    launcher = launching(bot, level, "fork")
    lucks = [launcher.run(INIT).stdout.split() for _ in range(3)]
    assert [len(luck) for luck in lucks] == [6, 6, 6]
    assert len({word for luck in lucks for word in luck}) == 18


def test_the_hash_seed_is_that_of_the_interpreter(tmp_path: Path, launching: Launching) -> None:
    """The difference that the guide on isolation names remains: texts hash alike in all moves from
    one interpreter."""
    bot = python_bot(tmp_path, "print(hash('a text'))\n")
    launcher = launching(bot, launch="fork")
    assert launcher.run(INIT).stdout == launcher.run(LATER).stdout
    assert launcher.run(INIT).stdout != launching(bot, launch="fork").run(INIT).stdout


@pytest.mark.parametrize("launch", ["exec", "fork"])
@pytest.mark.parametrize("level", LEVELS)
def test_what_no_program_could_be_told_is_not_told(
    level: str, launch: str, tmp_path: Path, launching: Launching
) -> None:
    """The longest argument is Linux's, in both ways of launching; a longer one is nobody's loss."""
    launcher = launching(
        python_bot(tmp_path, "import sys\nprint(len(sys.argv[1]))\n"), level, launch
    )
    assert launcher.run("é" * 65_535 + "x").stdout == b"65536\n"
    with pytest.raises(LaunchFault, match="Argument list too long"):
        launcher.run("é" * 65_536)
    assert launcher.run("x").stdout == b"1\n"


@pytest.mark.parametrize("level", ["bwrap", "limits"])
def test_what_takes_too_much_to_compile_ends_as_when_executed(
    level: str, tmp_path: Path, launching: Launching
) -> None:
    """A program that no interpreter can compile in its memory is compiled in the move, which takes
    too much, and costs the judge no game.
    """
    bot = python_bot(tmp_path, f"x = [{'1,' * 250_000}]\n")
    little = replace(PATIENT, memory_bytes=64 * 2**20)
    forked, executed = (
        launching(bot, level, launch, little).run(INIT) for launch in ("fork", "exec")
    )
    assert seen(forked) == seen(executed)
    took_too_much = (forked.peak_kib or 0) * 1024 > little.memory_bytes
    assert forked.out_of_memory or took_too_much


@pytest.mark.parametrize("level", ["bwrap", "limits"])
def test_memory_that_may_be_the_fork_server_s_is_nobody_s_peak(
    level: str, tmp_path: Path, launching: Launching
) -> None:
    """A look at a small move that takes its time tells no more than its end does."""
    bot = python_bot(tmp_path, "import time\ntime.sleep(0.3)\nprint(1)\n")
    assert launching(bot, level, "fork").run(INIT).peak_kib is None


@pytest.mark.parametrize("level", ["bwrap", "limits"])
def test_a_fork_is_the_first_to_go_where_memory_is_short(
    level: str, tmp_path: Path, launching: Launching
) -> None:
    """The kernel ends a move before the process that it was forked from, and before the judge."""
    bot = python_bot(tmp_path, "print(open('/proc/self/oom_score_adj').read())\n")
    assert launching(bot, level, "fork").run(INIT).stdout.strip() == b"1000"


# Whoever was there before.


ATTACK = """
import builtins, ctypes, json, os, random, resource, signal, sys, time

PAST = 'init' in sys.argv[1]

def attempt(what, *arguments):
    try:
        what(*arguments)
    except Exception:
        pass

def attack():
    # The names that it has loaded.
    json.dumps = lambda value: "attacked"
    random.random = lambda: "attacked"
    builtins.len = lambda value: "attacked"
    sys.modules["string"] = sys.modules["json"]
    sys.path.insert(0, "/attacked")
    os.environ["ATTACKED"] = "yes"
    # Its parents, and all that it can see or that may be them.
    libc = ctypes.CDLL(None)
    parents = {os.getppid(), 1, *(int(name) for name in os.listdir("/proc") if name.isdigit())}
    for process in parents - {os.getpid(), 0}:  # 0 is a parent out of sight, and to most, oneself
        if not may_be_ours(process):
            continue
        for what in (resource.RLIMIT_NOFILE, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE):
            attempt(resource.prlimit, process, what, (7, 7))
        attempt(os.setpriority, os.PRIO_PROCESS, process, 19)
        attempt(os.sched_setaffinity, process, {0})
        attempt(overwrite, process)
        libc.ptrace(16, process, 0, 0)
        libc.ptrace(0x4206, process, 0, 0x100000)
        attempt(os.kill, process, signal.SIGSTOP)
    # Its descriptors.
    for fd in range(3, 256):
        attempt(os.write, fd, b"ready 0")
        attempt(os.set_inheritable, fd, True)
    attempt(os.nice, 5)
    attempt(resource.setrlimit, resource.RLIMIT_NOFILE, (64, 64))
    attempt(signal.pthread_sigmask, signal.SIG_BLOCK, signal.valid_signals())
    attempt(os.umask, 0o777)
    attempt(os.chdir, "/")
    attempt(os.setpgid, 0, os.getppid())
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(5)  # longer than a move, and not for ever: not every level ends it
        os._exit(0)

def may_be_ours(process):
    return MAY_BE_OURS

def overwrite(process):
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "wb", 0) as memory:
        for line in maps:
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            if " rw-p " in line:
                memory.seek(start)
                memory.write(bytes(end - start))

def look():
    import string
    return {
        "names": [json.dumps([1]), type(random.random()).__name__, len("abc"), string.__name__],
        "modules": sorted(sys.modules),
        "path": sys.path,
        "environment": sorted(os.environ),
        "limits": [
            resource.getrlimit(getattr(resource, name))
            for name in sorted(dir(resource)) if name.startswith("RLIMIT_")
        ],
        "descriptors": sorted(os.listdir("/proc/self/fd")),
        "nice": os.getpriority(os.PRIO_PROCESS, 0),
        "cores": sorted(os.sched_getaffinity(0)),
        "signals": [str(signal.getsignal(one)) for one in sorted(signal.valid_signals())],
        "mask": sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, []))),
        "umask": os.umask(0o22),
        "folder": os.getcwd(),
        "processes": sum(name.isdigit() for name in os.listdir("/proc")) if SANDBOX else 0,
        "scratch": os.listdir(os.environ["TMPDIR"]),
        "leader": os.getsid(0) == os.getpid(),
    }

if PAST and sys.argv[1].endswith(" "):
    attack()
else:
    print(json.dumps(look()))
"""


@pytest.mark.parametrize("level", LEVELS)
def test_an_attack_on_the_server_changes_nothing_later(
    level: str, tmp_path: Path, launching: Launching
) -> None:
    """A move after one that went for its parents' memory, limits, signals and descriptors, and
    for the names that are loaded, sees exactly what it sees after one that did not. Without a
    sandbox nobody attacks other processes: nothing would hold it.
    """
    inside = level == "bwrap"
    source = ATTACK.replace("SANDBOX", str(inside)).replace("MAY_BE_OURS", str(inside))
    launcher = launching(python_bot(tmp_path, source), level, "fork")
    before = launcher.run(INIT)
    assert before.status == 0, before.stderr
    assert json.loads(before.stdout)["names"] == ["[1]", "float", 3, "string"]
    for _ in range(2):
        attack = launcher.run(f"{INIT} ")
        assert attack.ended is RunEnd.BY_ITSELF
        assert attack.stdout == b""
        after = launcher.run(INIT)
        assert json.loads(after.stdout) == json.loads(before.stdout)


@pytest.mark.parametrize(
    ("level", "launch"), [("bwrap", "fork"), ("limits", "fork"), ("bwrap", "exec")]
)
def test_after_trouble_the_next_move_is_as_any(
    level: str, launch: str, tmp_path: Path, launching: Launching
) -> None:
    """A move that sleeps, spins, floods, crashes or is killed costs none of those that follow."""
    bot = python_bot(
        tmp_path,
        """
        import os, sys, time
        match sys.argv[1]:
            case "sleep": time.sleep(600)
            case "spin":
                while True: pass
            case "flood":
                while True:
                    print("flood" * 1000)
            case "abort": os.abort()
            case "kill": os.kill(0, 9)
            case "exit": os._exit(3)
            case "stay":
                os.close(1)
                os.close(2)
                time.sleep(600)
        print("well")
        """,
    )
    launcher = launching(bot, level, launch, Limits(timeout_ms=1000))
    well = launcher.run("nothing")
    assert (well.ended, well.stdout) == (RunEnd.BY_ITSELF, b"well\n")
    for trouble, ended, status in (
        ("sleep", RunEnd.TIMED_OUT, -9),
        ("spin", RunEnd.TIMED_OUT, -9),
        ("flood", RunEnd.FLOODED, -9),
        ("abort", RunEnd.BY_ITSELF, -6),
        ("kill", RunEnd.BY_ITSELF, -9),
        ("exit", RunEnd.BY_ITSELF, 3),
        ("stay", RunEnd.TIMED_OUT, -9),
    ):
        troubled = launcher.run(trouble)
        assert (trouble, troubled.ended, troubled.status) == (trouble, ended, status)
        assert (troubled.cpu_ms > 50) >= (trouble == "spin"), "it has used the time that it used"
        again = launcher.run("nothing")
        assert (again.ended, again.stdout, again.status) == (RunEnd.BY_ITSELF, b"well\n", 0)


FAST = """
import sys
if "init" in sys.argv[1]:
    print('{"2":{"point":"00","orientation":"vertical"}}')
else:
    print('{"move":"01"}' if '"hit":["00"]' in sys.argv[1] else '{"move":"00"}')
"""
FAST_BY_SHELL = """
case $1 in
    *init*) echo '{"2":{"point":"00","orientation":"vertical"}}' ;;
    *'"hit":["00"]'*) echo '{"move":"01"}' ;;
    *) echo '{"move":"00"}' ;;
esac
"""
SHORT = replace(BRAINJAR, name=f"short-{os.getpid()}", columns=4, fleet=(2,))


@pytest.mark.parametrize(("level", "launch"), [("bwrap", "fork"), ("limits", "exec")])
def test_fifty_games_leave_nothing_behind(level: str, launch: str, tmp_path: Path) -> None:
    """No process, descriptor, mount, namespace, control group or thread outlives its game, and
    the judge's memory stays flat.
    """
    if launch == "fork":
        bots = [python_bot(tmp_path, FAST)] * 2
    else:
        bots = [find(script(tmp_path / "bot.sh", FAST_BY_SHELL))] * 2
    conditions = Conditions(rules=SHORT, dialect="readme", launch=launch, isolation=held_by(level))
    memory: dict[int, int] = {}
    before: list[object] = []
    seen: set[str] = set()
    for count in (4, 50):  # what is loaded once is loaded in the first pairs, by both jobs
        with playing(
            Fight(count, 1, First.ALTERNATE), bots, Run(conditions, bots), jobs=2
        ) as results:
            for number, result in enumerate(results, 1):
                assert not isinstance(result, Fault)
                (record,) = result
                assert {seat.launch for seat in record.seats} == {launch}
                assert record.outcome.termination is Termination.FLEET_DESTROYED
                memory[number] = resident_kib()
                seen |= namespaces()
        left = [
            sorted(path.name for path in Path("/proc/self/fd").iterdir()),
            Path("/proc/self/mountinfo").read_text(),
            children(),
            # Path.glob fails where another test's folder goes while it looks.
            glob(f"/sys/fs/cgroup/**/judge-{os.getpid()}-*", recursive=True),  # noqa: PTH207 - so
            threading.active_count(),
        ]
        assert left == (before or left)
        before = left
    assert seen, "while they lasted"
    assert namespaces() == set()
    assert memory[50] - memory[10] < 1024


def resident_kib() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


def namespaces() -> set[str]:
    """Those that processes with our own mark in their environment live in."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f'BOT_RULES={{"name":"{SHORT.name}"'.encode() in (process / "environ").read_bytes():
                found.add(str((process / "ns" / "pid").readlink()))
    return found


@pytest.mark.parametrize("level", LEVELS)
def test_a_move_is_stopped_at_once(
    level: str, tmp_path: Path, launching: Launching, stop: Stop
) -> None:
    """A stop raises, blames nobody, and leaves no process behind."""
    bot, before = python_bot(tmp_path, "import os, time\nos.fork()\ntime.sleep(1000)\n"), children()
    with closing(launching(bot, level, "fork")) as launcher:
        threading.Timer(0.3, stop.set).start()
        with pytest.raises(Interrupted):
            launcher.run(INIT)
    assert children() == before
    deadline = time.monotonic() + 10  # a move that was ready ends by itself
    while any(is_in(process, tmp_path) for process in Path("/proc").glob("[0-9]*")):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_in(process: Path, folder: Path) -> bool:
    """Whether a process works in a folder."""
    with suppress(OSError):
        return (process / "cwd").readlink() == folder
    return False


# Which bots.


@pytest.mark.parametrize(
    "command",
    [
        ["python3", "bot.py"],
        ["python3", "-O", "-u", "bot.py"],
        ["python3", "-sE", "./bot.py"],
        ["python3", "-I", "bot.py"],
        ["python3", "-S", "bot.py"],
        ["python3", "-P", "-bb", "bot.py"],
        ["python3", "-Es", "-OO", "bot.py"],
    ],
)
def test_an_interpreter_keeps_its_flags(
    command: list[str], tmp_path: Path, launching: Launching
) -> None:
    """A program is told what it would be told, and of a way to be typed."""
    python_bot(
        tmp_path,
        "import sys\nprint(sys.flags, sys.warnoptions, sys.orig_argv, sys.argv, sys.path)\n",
    )
    bot = find(str(manifest(tmp_path, *command)))
    require_forkable([bot])
    assert seen(launching(bot, launch="fork").run(INIT)) == seen(launching(bot).run(INIT))


@pytest.mark.parametrize(
    "command",
    [
        ["python3", "-m", "bot"],
        ["python3", "-c", "print(1)"],
        ["python3", "-i", "bot.py"],
        ["python3", "-", "bot.py"],
        ["python3", "-X", "utf8", "bot.py"],
        ["python3", "-Xdev", "bot.py"],
        ["python3", "-Xpycache_prefix=.", "bot.py"],
        ["python3", "-Ximporttime", "bot.py"],
        ["python3", "-Xutf8", "bot.py"],
        ["python3", "-Wignore::unittest.__main__.X", "bot.py"],
        ["python3", "-Wignore", "bot.py"],
        ["python3", "bot.py", "--fast"],
        ["sh", "bot.py"],
    ],
)
def test_what_is_no_python_program_is_refused(command: list[str], tmp_path: Path) -> None:
    """By its name and its command, with what helps; a flag too that would steer what the fork server
    loads, imports or prints."""
    python_bot(tmp_path, "")
    manifest(tmp_path, *command, name="mine")
    with pytest.raises(UsageError, match=r"^--launch fork is for Python bots, and mine is .*; "):
        require_forkable([find(str(tmp_path))])


def test_a_run_sh_is_told_to_become_a_manifest(tmp_path: Path) -> None:
    """A Python bot behind a shell script cannot be forked, but could be."""
    python_bot(tmp_path, "")
    (tmp_path / "bot.json").unlink()
    script(tmp_path / "run.sh", "exec python3 bot.py $1")
    with pytest.raises(UsageError, match=r'write a bot\.json with "command": \["python3"'):
        require_forkable([find(str(tmp_path))])


def test_another_python_is_refused(tmp_path: Path) -> None:
    """An interpreter that says it is something else, or nothing, cannot fork."""
    python = tmp_path / "bin" / "python3"
    script(python, f'test "$1" = -c && echo {python} && exit\necho pypy True')
    python_bot(tmp_path, "")
    with pytest.raises(UsageError, match=r"mine runs with .*, which is not CPython 3\.11 or newer"):
        require_forkable([find(f"mine={tmp_path}", python=python)])


def test_a_bot_of_a_folder_that_cannot_be_forked_is_executed(tmp_path: Path) -> None:
    """It is said once, and each game's record says how each of its bots was started."""
    (tmp_path / "contest").mkdir()
    for name in ("hunter", "parity-perl"):
        (tmp_path / "contest" / name).symlink_to(BOTS / name)
    small = {**builtins(BRAINJAR), "name": "small", "columns": 4, "rows": 4, "fleet": [2]}
    (tmp_path / "small.json").write_text(json.dumps(small))
    words = ("--rules", "small.json", "--launch", "fork", "--isolation", "none")
    done = judge_at(tmp_path, "rank", "contest", *words)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("--launch fork is for Python bots; started by exec: parity-perl.") == 1
    games = games_in(tmp_path / "contest.ledger.games.jsonl")
    started = [{seat["name"]: seat["launch"] for seat in game["seats"]} for game in games]
    assert started == [{"hunter": "fork", "parity-perl": "exec"}] * 2
