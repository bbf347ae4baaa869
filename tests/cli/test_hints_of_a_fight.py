"""The words of a fight to the author of a bot that lost by a fault: the way to mend it, if that
shows from outside."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from bot_files import script
from commands import judge as in_process
from judge.documents.game import Limits
from judge.process.bots.bot import Bot
from judge.process.bots.crash_hints import (
    Complaint,
    missed,
    too_little_memory,
    too_much_memory,
)
from judge.process.bots.interpreters import flushing
from judge.process.run.connection import over_peak
from judge.process.run.connection import too_much_memory as out_of_memory
from judge.process.run.launch import Start
from judge.process.run.pipes import Pipes
from judge.process.sandbox.isolation import Limited
from needs import need

JAVA = "# There is insufficient memory for the Java Runtime Environment to continue."
NODE = "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"

PLAYS = """\
import json, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    if asked["cmd"] == "place":
        reply = {"ships": [[size, 0, size - 2, "horizontal"] for size in (2, 3, 4, 5)]}
    elif asked["cmd"] == "shoot":
        done = {(x, y) for seat, _, x, y, *_ in asked["shots"] if seat == asked["seat"]}
        fresh = ((x, y) for y in range(8) for x in range(8) if (x, y) not in done)
        reply = {"shots": [[1 - asked["seat"], *next(fresh)]]}
    else:
        continue
    print(json.dumps(reply), flush=True)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUDGE_TIMEOUT", "1min")  # nothing is late here but on purpose


def judge(*arguments: str) -> tuple[str, str]:
    """The judge's words on stdout and on stderr, with blanks for line ends."""
    done = in_process(*arguments)
    return " ".join(done.stdout.split()), " ".join(done.stderr.split())


def fight(*arguments: str) -> tuple[str, str]:
    return judge("fight", *arguments, "--no-ledger", "--isolation", "none")


def bot(name: str, program: str) -> str:
    Path(name).write_text(program)
    return name


def test_flags_that_are_there_are_not_told_again() -> None:
    """A heap that was chosen by hand is too small for the program; other words say nothing."""
    command = ("java", "-Xmx32m", "-Xss1m", "-XX:+UseSerialGC", "Bot")
    assert too_little_memory(command, JAVA.encode()) == (
        "; java has too little memory: allow more by --memory"
    )
    assert "-Xmx" not in too_little_memory(("java", "-Xmx32m", "Bot"), JAVA.encode())
    assert too_little_memory(("node", "bot.js"), b"TypeError: my mistake") == ""


DENO = """
#
# Fatal JavaScript out of memory: Ineffective mark-compacts near heap limit
#
==== C stack trace ===============================
    deno(+0x28b0d2e) [0x5616299e4d2e]
"""
SBCL = "os_alloc_gc_space(1,0x1000000000,1073741824) failed with ENOMEM"
FLAGS = {
    "deno": "--v8-flags=--max-old-space-size=64,--max-semi-space-size=4",
    "node": "--max-old-space-size=64 --max-semi-space-size=4",
    "bun": "--smol",
    "sbcl": "--dynamic-space-size 128MB",
}


@pytest.mark.parametrize(
    ("command", "printed", "program"),
    [
        (("/usr/bin/deno", "run", "a.js"), DENO, "deno"),
        (("bash", "run.sh"), DENO, "deno"),
        (("deno", "run", "a.js"), "# Fatal process out of memory: Failed to reserve", "deno"),
        (("bash", "run.sh"), NODE, "node"),
        (("bun", "a.js"), "RangeError: Out of memory.", "bun"),
        (("sbcl", "--script", "a.lisp"), SBCL, "sbcl"),
    ],
)
def test_each_interpreter_is_told_flags_of_its_own(
    command: tuple[str, ...], printed: str, program: str
) -> None:
    """Deno says what Node says, and takes V8's flags otherwise."""
    said = f"took too much memory: start it with {FLAGS[program]}, or allow more by --memory"
    assert too_little_memory(command, printed.encode()).endswith(said)


@pytest.mark.parametrize("program", FLAGS)
def test_where_the_limit_itself_ended_it_its_interpreter_is_told_its_flags(program: str) -> None:
    """It has printed nothing then. Nothing is said of other programs, nor once it has the flags."""
    start = Start(Bot("a", (program, "a"), Path(), (), "", 0, ""), {}, Limits())
    for fault in (over_peak(2**20, start, Limited("prlimit")), out_of_memory(start)):
        assert f"start it with {FLAGS[program]}, or allow more by --memory" in str(fault)
    assert too_much_memory((program, *FLAGS[program].split(" "), "a")) == ""
    assert too_much_memory(("bash", "a.sh")) == ""


def test_a_player_that_never_ends_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """It costs no game and everybody's time. One that is only late is not told so: it had no time to
    see that its game was over."""
    monkeypatch.setattr(Pipes, "parting_seconds", 0.2)
    stays = bot("stays.py", f"{PLAYS}time.sleep(60)\n") + "@open-lines"
    leaves = bot("leaves.py", PLAYS) + "@open-lines"
    _, said = fight(stays, leaves, "--games", "2")
    assert "stays did not exit at the end of 2 games and had to be ended" in said
    assert "leaves" not in said
    checked, _ = judge("check", stays, "--only", "leave", "--isolation", "none")
    assert "note takes its leave 2 of 2 times it had to be ended" in checked
    late = bot("late.py", "import time\ntime.sleep(60)\n") + "@open-lines"
    assert "did not exit" not in fight(late, leaves, "--timeout", "700ms")[1]


@pytest.mark.parametrize(
    ("language", "command", "is_told"),
    [
        ("Ruby", ("ruby", "a.rb"), True),
        ("Python", ("python3", "a.py"), True),
        ("Python", ("python3", "-u", "a.py"), False),
        ("Bash", ("bash", "a.sh"), False),
        ("", ("./a",), False),
    ],
)
def test_only_what_buffers_is_told_to_flush(
    language: str, command: tuple[str, ...], is_told: bool
) -> None:
    """A shell writes each line at once, and so does Python when it is told to."""
    assert bool(flushing(language, command)) is is_told


def test_a_program_that_bots_cannot_see_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is on the user's PATH and not below /usr: it is not a file to bring along."""
    need("bwrap")
    for name in ("coffee", "python2"):
        script(Path("bin", name), "")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    Path("coffee-bot").mkdir()
    Path("coffee-bot/run.sh").write_text("coffee bot.coffee\n")
    where = f"is on your PATH in '{tmp_path}/bin', which bots cannot see:"
    held = ("--no-ledger", "--isolation", "bwrap")
    said, _ = judge("check", "coffee-bot", *held[1:])
    assert f"'coffee' {where} install it below /usr".replace(" ", "") in said.replace(" ", "")
    assert "To mend it: call programs that bots see" in said
    said, _ = judge("fight", bot("a.sh", "python2 a.py"), "random", *held)
    assert f"'python2' {where} name it by --python".replace(" ", "") in said.replace(" ", "")
    said, _ = judge("fight", bot("b.sh", "cafe a.cafe"), "random", *held)
    assert "is on your PATH" not in said


@pytest.mark.parametrize("source", ["import helper", "open('helper.py')"])
def test_a_file_that_misses_its_neighbour_gets_one_mend(source: str) -> None:
    """It is to be a folder, whether the neighbour is a module or another file."""
    need("bwrap")
    Path("helper.py").touch()
    said, _ = judge("check", bot("a.py", source), "--isolation", "bwrap", "--only", "legal fleet")
    assert (
        "it cannot see 'helper.py' beside it, for it was given as a file To mend it: put the file and "
        "what it needs into a folder with a run.sh or a bot.json, and name the folder." in said
    )


@pytest.mark.parametrize(
    ("printed", "is_one"),
    [
        ("/x/run.sh: 3: coffee: not found", True),
        ("/x/run.sh: line 3: coffee: command not found", True),
        ("zsh: command not found: coffee", True),
        ("env: ‘coffee’: No such file or directory", True),
        ("/usr/bin/env: 'coffee': No such file or directory", True),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'coffee'", True),
        ("Error: spawn coffee ENOENT", True),
        ("ModuleNotFoundError: No module named 'coffee'", False),
        ("No such file or directory: 'data/coffee'", False),
        ("coffee-2: not found", False),
    ],
)
def test_a_program_that_was_not_found_is_known_by_its_name(printed: str, is_one: bool) -> None:
    """As shells, env, Python and Node say it; a module or a file is something else."""
    assert ("coffee" in Complaint(printed).programs) == is_one


@pytest.mark.parametrize(
    ("printed", "hidden"),
    [
        ("PermissionError: [Errno 13] Permission denied: '/proc/1/environ'", "/proc/1/environ"),
        ("FileNotFoundError: [Errno 2] No such file or directory: '/etc/x.txt'", "/etc/x.txt"),
        ("cat: /etc/x.txt: No such file or directory", "/etc/x.txt"),
        ("/etc/x.txt: Permission denied", "/etc/x.txt"),
        ("open /etc/x.txt: no such file or directory", "/etc/x.txt"),
        ("Error: ENOENT: no such file or directory, open '/etc/x.txt'", "/etc/x.txt"),
        ("java.io.FileNotFoundException: /etc/x.txt (No such file or directory)", "/etc/x.txt"),
        ("in `read': No such file or directory @ rb_sysopen - /x.txt (Errno::ENOENT)", "/x.txt"),
        ("FileNotFoundError: [Errno 2] No such file or directory: '/bots/a/x.txt'", None),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'x.txt'", None),
        ("cat: /usr/share/dict/words: No such file or directory", None),
        ("cannot open data: No such file or directory at /home/a/bot.pl line 1.", None),
        ("OSError: [Errno 30] Read-only file system: '/home/x.txt'", None),
    ],
)
def test_a_file_that_isolation_hides_is_named(printed: str, hidden: str | None) -> None:
    """It is a file that the program names by its path, neither its own nor the system's. Without
    walls isolation hides nothing."""
    folder = Path("/bots/a")
    one = Bot("a", ("bash", "run.sh"), folder, (folder,), "", 0, "")
    said = missed(one, printed.encode(), is_walled=True)
    assert said.startswith(f"; it cannot see '{hidden}': isolation") if hidden else not said
    assert "isolation" not in missed(one, printed.encode(), is_walled=False)


def test_a_module_of_the_active_environment_is_found_by_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judge runs bots with its own interpreter, and who is in a venv expects that one."""
    python = Path("a venv/bin/python3")
    python.parent.mkdir(parents=True)
    python.symlink_to(os.path.realpath(sys.executable))
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    asks = bot("a.py", "import no_such_module.part")
    assert "--python" not in fight(asks, "random")[0]
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "a venv"))
    hint = f"add --python '{tmp_path / python}'"
    said, _ = fight(asks, "random")
    assert "the judge's own Python has no no_such_module: " in said
    assert hint.replace(" ", "") in said.replace(" ", "")
    assert "name the Python that has the module" in judge("check", asks, "--isolation", "none")[0]
    assert "add --python" not in fight(asks, "random", "--python", str(python))[0]
    assert (
        "add --python" not in fight(bot("b.py", "import sys; sys.exit('no module')"), "random")[0]
    )


@pytest.mark.parametrize("name", ["fight", "check", "standings", "doctor", "replay"])
def test_every_command_says_its_exit_statuses(name: str) -> None:
    """Those of all commands, and that of check for a bot that does not conform."""
    said = " ".join(in_process(name, "--help").stdout.split())
    assert "Exit status: 0 done, " in said
    assert "130 interrupted." in said
    assert ("3 a bot does not conform" in said) is (name == "check")
