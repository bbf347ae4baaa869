"""The names that users give: every way to name a bot, each started for real, and every way to name
none."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot_files import manifest, write
from changes import replace
from judge import schemas
from judge.documents.game import Limits
from judge.errors import UsageError
from judge.process.bots import bot as bots
from judge.process.bots import data_file, files, interpreters, tree
from judge.process.bots.bot import Bot, LeftOut, bundled, contestants, find, find_all
from judge.process.bots.specs import bundled_folders
from judge.process.run.launch import Start
from judge.process.run.listening import Stop
from judge.process.sandbox.isolation import choose
from needs import need

REQUEST = '{"cmd":"init"}'

ECHO = {
    ".py": "import sys; print(sys.argv[1])\n",
    ".js": "console.log(process.argv[2])\n",
    ".rb": "puts ARGV[0]\n",
    ".pl": 'print "$ARGV[0]\\n";\n',
    ".sh": "printf '%s\\n' \"$1\"\n",
}
PROGRAMS = {".py": sys.executable, ".js": "node", ".rb": "ruby", ".pl": "perl", ".sh": "bash"}

# public class B { public static void main(String[] a) { System.out.print(a[0]); } }
ECHO_CLASS = """
yv66vgAAADQAGAoAAgADBwAEDAAFAAYBABBqYXZhL2xhbmcvT2JqZWN0AQAGPGluaXQ+AQADKClWCQAIAAkHAAoMAA
sADAEAEGphdmEvbGFuZy9TeXN0ZW0BAANvdXQBABVMamF2YS9pby9QcmludFN0cmVhbTsKAA4ADwcAEAwAEQASAQAT
amF2YS9pby9QcmludFN0cmVhbQEABXByaW50AQAVKExqYXZhL2xhbmcvU3RyaW5nOylWBwAUAQABQgEABENvZGUBAA
RtYWluAQAWKFtMamF2YS9sYW5nL1N0cmluZzspVgAhABMAAgAAAAAAAgABAAUABgABABUAAAARAAEAAQAAAAUqtwAB
sQAAAAAACQAWABcAAQAVAAAAFgADAAEAAAAKsgAHKgMytgANsQAAAAAAAA==
"""


def run(bot: Bot) -> str:
    """The output of the bot, started as the launcher starts it."""
    done = subprocess.run(
        [*bot.command, REQUEST],
        cwd=bot.folder,
        env={"PATH": bot.path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip("\n")


def refusal(spec: str, **options: object) -> str:
    with pytest.raises(UsageError) as caught:
        find(spec, **options)  # type: ignore[arg-type]  # options of several types
    return str(caught.value)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test stands in an empty folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def venv(folder: Path) -> Path:
    """The Python of a new folder that it takes for a venv, with nothing else beside it."""
    write(folder / "pyvenv.cfg", f"home = {Path(sys.executable).resolve().parent}\n")
    (folder / "bin").mkdir()
    (folder / "bin/python3").symlink_to(Path(sys.executable).resolve())
    return folder / "bin/python3"


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of PATH, but for that of a Python which nothing lies beside."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(sys, "executable", str(venv(tmp_path / "own")))
    return folder


# Ways to name a bot


@pytest.mark.parametrize("suffix", ECHO)
def test_a_script_runs_with_its_usual_interpreter(suffix: str) -> None:
    """A script that is not executable gets the JSON argument from its language's interpreter."""
    need(PROGRAMS[suffix])
    write(f"bots/echo{suffix}", ECHO[suffix])
    bot = find(f"bots/echo{suffix}")
    assert (bot.name, run(bot)) == ("echo", REQUEST)
    assert bot.folder == Path("bots").resolve()
    assert bot.files == (Path(f"bots/echo{suffix}").resolve(),)
    assert bot.size == len(ECHO[suffix])
    assert bot.language


def test_a_jar_starts_and_stays_under_the_default_memory_limit() -> None:
    """java, which by itself would not even start under 256 MiB of data, runs a jar there."""
    need("java")
    limited, _ = choose("limits")
    jar = io.BytesIO()
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nMain-Class: B\n")
        archive.writestr("B.class", base64.b64decode(ECHO_CLASS))
    write("echo.jar", jar.getvalue())
    bot = find("echo.jar")
    with closing(Stop()) as stop:
        done = limited.launcher(
            Start(bot, {"PATH": bot.path}, Limits(timeout_ms=30_000)), stop
        ).run(REQUEST)
    assert done.stdout.decode().strip() == REQUEST, done.stderr
    assert (bot.name, bot.language) == ("echo", "Java")


def test_an_executable_file_is_started_by_itself() -> None:
    """A program without any known suffix runs if it is executable, whatever it is."""
    write("shout", '#!/bin/sh\necho "SHOUT $1"\n', 0o755)
    bot = find("shout")
    assert run(bot) == f"SHOUT {REQUEST}"
    assert bot.command == (str(Path("shout").resolve()),)
    shutil.copy(need("echo"), "binary.v2")
    binary = find("binary.v2")
    assert (run(binary), binary.name) == (REQUEST, "binary.v2")


def test_an_executable_script_chooses_its_own_interpreter() -> None:
    """The #! line of an executable file beats the interpreter that its suffix would have."""
    write("bot.js", '#!/bin/sh\necho "sh ran $1"\n', 0o755)
    assert run(find("bot.js")) == f"sh ran {REQUEST}"
    Path("bot.js").chmod(0o644)
    assert find("bot.js").command[0] != str(Path("bot.js").resolve())


@pytest.mark.parametrize(
    "line", ["", "#!/usr/bin/env python3\n", "#!/usr/bin/python3\n", "#! /opt/python \n"]
)
@pytest.mark.parametrize("name", ["bot.py", "bot"])
def test_a_python_bot_runs_with_the_judges_own_python(line: str, name: str) -> None:
    """A .py file, or a #! line that asks for just any Python, means the judge's interpreter."""
    if not line and name == "bot":
        name = "other.py"
    write(name, f"{line}import sys; print(sys.executable, sys.argv[1])\n", 0o755)
    assert run(find(name)) == f"{sys.executable} {REQUEST}"


def test_a_python_bot_may_insist_on_an_interpreter() -> None:
    """An executable .py file whose #! line says more than "python3" is run as it says."""
    write("bot.py", f"#!{sys.executable} -O\nprint(__debug__)\n", 0o755)
    assert run(find("bot.py")) == "False"


def test_running_a_python_bot_leaves_its_folder_alone() -> None:
    """A Python bot that imports its neighbour writes no __pycache__."""
    write("bots/bot.py", "import neighbour\n")
    write("bots/neighbour.py", "print('imported')\n")
    manifest("bots", "python3", "bot.py")
    for spec in ("bots/bot.py", "bots", "python bots/bot.py"):
        assert run(find(spec)) == "imported"
    assert sorted(path.name for path in Path("bots").iterdir()) == [
        "bot.json",
        "bot.py",
        "neighbour.py",
    ]


def test_a_folder_with_run_sh_runs_in_itself() -> None:
    """A run.sh that is not executable runs with bash, in its folder, the JSON its one argument."""
    write("bots/old/run.sh", 'echo "$# $1 $(basename "$PWD") ${BASH_VERSION:+bash}"\n')
    bot = find("bots/old")
    assert run(bot) == f"1 {REQUEST} old bash"
    assert (bot.name, bot.language) == ("old", "Bash")
    assert bot.files == (bot.folder,) == (Path("bots/old").resolve(),)


def test_an_executable_run_sh_is_run_by_its_first_line() -> None:
    """An executable run.sh is started by its #! line, and with bash if it has none."""
    need("perl")
    program = write("old/run.sh", '#!/usr/bin/env perl\nprint "perl $ARGV[0]";\n', 0o755)
    assert find("old").command == (str(program.resolve()),)
    assert run(find("old")) == f"perl {REQUEST}"
    write("old/run.sh", 'echo "${BASH_VERSION:+bash} $1"\n', 0o755)
    assert run(find("old")) == f"bash {REQUEST}"


def test_python3_in_a_run_sh_is_the_judges_python() -> None:
    """The judge's interpreter comes first on the bot's PATH, then the user's own PATH."""
    write("old/run.sh", "python3 -c 'import sys; print(sys.executable)'\n")
    bot = find("old")
    assert Path(run(bot)).parent == Path(sys.executable).parent
    first, _, rest = bot.path.partition(":")
    assert first == str(Path(sys.executable).parent)
    assert set(rest.split(":")) == set(os.environ["PATH"].split(":")) - {first}


def test_a_bots_path_holds_no_relative_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of PATH that would be another one for each bot is left out of it."""
    monkeypatch.setenv("PATH", f".::bin:{os.environ['PATH']}:")
    write("bot.py")
    assert all(folder.startswith("/") for folder in find("bot.py").path.split(":"))


def test_a_manifest_says_everything() -> None:
    """A bot.json gives command, name, author and language, and beats a run.sh beside it."""
    folder = manifest(
        "bots/x", "python3", "-O", "bot.py", "--fast", name="Ada's", author="Ada", language="Py"
    )
    write(folder / "bot.py", "import sys; print(sys.argv[1:], __debug__)\n")
    write(folder / "run.sh", "echo never\n", 0o755)
    bot = find("bots/x")
    assert bot.command == (sys.executable, "-B", "-O", "bot.py", "--fast")
    assert run(bot) == f"{['--fast', REQUEST]} False"
    assert (bot.name, bot.author, bot.language, bot.wires) == ("Ada's", "Ada", "Py", ())
    assert bot.files == (folder.resolve(),)


def test_what_a_bot_speaks_is_said_by_its_spec_or_by_its_manifest() -> None:
    """``BOT@WIRE/DIALECT`` beats what all bots are to speak, and that beats the manifest; a file of
    that whole name is not a wire."""
    write("bots/x/bot.py")
    manifest("bots/x", "python3", "bot.py", wire=["open", "brainjar"])
    spoken = {
        "bots/x": (("open", "brainjar"), ""),
        "bots/x@telex": (("telex",), ""),
        "sh -c true a@home": ((), ""),
        "sh -c true@brainjar": (("brainjar",), ""),
        "ada=bots/x@brainjar/engine": (("brainjar",), "engine"),
        "random@brainjar": (("brainjar",), ""),
    }
    for spec, (wires, dialect) in spoken.items():
        bot = find(spec)
        assert (bot.wires, bot.dialect) == (wires, dialect)
        for_all = find(spec, wire="morse")
        assert for_all.wires == (wires if "@" in spec and wires else ("morse",))
    assert find("random").wires == ("brainjar", "open-lines", "open")
    write("a@brainjar", "#!/bin/sh\n", 0o755)
    assert (find("./a@brainjar").name, find("./a@brainjar").wires) == ("a@brainjar", ())


def test_a_manifest_of_a_thousand_protocols_is_refused_in_a_moment() -> None:
    """They are counted before they are compared."""
    for wires in (["x", *(["brainjar", [number], {"a": number}] for number in range(1500))], [1]):
        folder = manifest("bots/x", "echo", wire=wires * (1 if len(wires) > 1 else 4000))
        start = time.process_time()
        with pytest.raises(UsageError, match=r"no bot's manifest: .*wire"):
            find(str(folder))
        assert time.process_time() - start < 5


def test_a_manifests_program_is_relative_to_its_folder() -> None:
    """A program with a slash is the folder's own; one without is looked up on PATH."""
    folder = manifest("bots/x", "./bin/go", "a")
    write(folder / "bin/go", '#!/bin/sh\necho "$1 $2"\n', 0o755)
    assert run(find("bots/x")) == f"a {REQUEST}"
    assert find("bots/x").name == "x"
    manifest("bots/x", "echo", "b")
    assert run(find("bots/x")) == f"b {REQUEST}"


def test_a_command_line_is_split_as_a_shell_would() -> None:
    """A quoted command line runs in the folder of the first file that it names."""
    write("some bots/talk.py", "import os, sys; print(sys.argv[1:], os.getcwd())\n")
    write("data/book.txt", "12345")
    bot = find("python3 'some bots/talk.py' --book data/book.txt --level 3")
    folder, book = Path("some bots").resolve(), Path("data/book.txt").resolve()
    assert run(bot) == f"{['--book', str(book), '--level', '3', REQUEST]} {folder}"
    assert (bot.name, bot.language) == ("talk", "Python")
    assert bot.files == (folder / "talk.py", book)
    assert bot.size == sum(path.stat().st_size for path in bot.files)


def test_a_command_lines_own_program_is_one_of_its_files() -> None:
    """A program that is named by a path, and beside the other files or alone, is the bot's."""
    program = write("bots/go", "#!/bin/sh\npwd\n", 0o755).resolve()
    book = write("bots/book", "x").resolve()
    assert find("bots/go --fast").files == (program,)
    assert run(find("bots/go --fast")) == str(program.parent)
    assert find("bots/go bots/book").files == (program, book)


def test_an_interpreter_is_none_of_a_command_lines_files(here: Path) -> None:
    """An interpreter elsewhere, however large, is not counted; without files a bot has none."""
    write("bot.py", "import sys; print(sys.argv[1])\n")
    bot = find(f"{sys.executable} bot.py")
    assert bot.files == (here / "bot.py",)
    assert run(bot) == REQUEST
    plain = find("echo -n")
    assert (plain.files, plain.size, plain.folder, plain.name) == ((), 0, here, "echo")
    assert run(plain) == REQUEST


def test_a_home_folder_is_found(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``~`` means the home folder where no shell has said so before, after ``NAME=`` as well."""
    monkeypatch.setenv("HOME", str(here / "home"))
    write("home/bot.py", ECHO[".py"])
    for spec in ("~/bot.py", "x=~/bot.py", "python3 ~/bot.py"):
        assert run(find(spec)) == REQUEST
    write("~/bot.py", "print('a folder that is called ~')\n")
    assert run(find("~/bot.py")) == "a folder that is called ~"
    assert "there is no bot '~nobody_of_that_name/x'" in refusal("~nobody_of_that_name/x")


@pytest.mark.parametrize("spec", [".", "./", "../x", "../x/", "./sub/..", "sub/../../x/."])
def test_a_folder_has_its_own_name_however_it_is_reached(
    spec: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Dots and slashes are no part of a bot's name."""
    write("x/run.sh", "echo yes\n")
    Path("x/sub").mkdir()
    monkeypatch.chdir("x")
    assert find(spec).name == "x"
    assert run(find(spec)) == "yes"


def test_a_link_is_followed_and_names_the_bot(here: Path) -> None:
    """A link to a folder or a file is that bot, under the link's name."""
    write("lab/v3.py", ECHO[".py"])
    write("lab/v4/run.sh", "pwd\n")
    Path("best.py").symlink_to("lab/v3.py")
    Path("champion").symlink_to("lab/v3.py")
    Path("current").symlink_to("lab/v4")
    assert [find(spec).name for spec in ("best.py", "champion", "current/")] == [
        "best",
        "champion",
        "current",
    ]
    assert find("champion").folder == here / "lab"
    assert run(find("champion")) == REQUEST
    assert run(find("current")) == str(here / "lab/v4")


# Names


def test_a_bot_can_be_renamed() -> None:
    """``NAME=SPEC`` is the bot of that spec, by another name."""
    write("a.py", ECHO[".py"])
    assert find("Größe_2.0+x-y=a.py") == replace(find("a.py"), name="Größe_2.0+x-y")
    assert find("n=python3 a.py --level=3").name == "n"
    assert run(find("n=python3 a.py")) == REQUEST


def test_a_path_with_an_equals_sign_is_a_path() -> None:
    """Something of that whole name wins over a renaming."""
    write("x=a.py", "print('whole')\n")
    write("a.py", "print('part')\n")
    assert (find("x=a.py").name, run(find("x=a.py"))) == ("x=a", "whole")
    assert run(find("y=x=a.py")) == "whole"


def test_a_command_line_may_set_variables() -> None:
    """By env, like any program; they are part of its digest, and a name comes before all."""
    write("echo.py", "import os; print(os.environ.get('HASH'), os.environ.get('other'))")
    bot = find("env HASH=0 other='a b' python3 echo.py")
    assert (bot.name, run(bot)) == ("echo", "0 a b")
    assert bot.digest != find("env HASH=1 other='a b' python3 echo.py").digest
    named = find("ada=env HASH=0 python3 echo.py")
    assert (named.name, run(named)) == ("ada", "0 None")
    assert "the program 'nix' of 'env A=1 nix echo.py' is not on PATH" in refusal(
        "env A=1 nix echo.py"
    )
    assert "the program '0' of '0 python3 echo.py' is not on PATH" in refusal(
        "HASH=0 python3 echo.py"
    )


def test_an_equals_sign_in_a_command_line_renames_nothing() -> None:
    """A name has no space and no slash, so that arguments stay arguments."""
    write("a.py", "import sys; print(sys.argv[1])\n")
    assert run(find("python3 a.py --level=3")) == "--level=3"
    assert find("python3 a.py --level=3").name == "a"


def test_two_bots_of_one_name_are_told_apart() -> None:
    """The second and third of a name get #2 and #3; order and specs stay as they were."""
    for folder in ("a", "b", "c"):
        write(f"{folder}/bot.py", f"print('{folder}')\n")
    found = find_all(["a/bot.py", "x=b/bot.py", "b/bot.py", "c/bot.py"])
    assert [bot.name for bot in found] == ["bot", "x", "bot#2", "bot#3"]
    assert [run(bot) for bot in found] == ["a", "b", "b", "c"]


@given(st.lists(st.sampled_from(["a", "a#2", "a#3", "a#2#2", "b"]), max_size=9))
def test_names_are_always_distinct(names: list[str]) -> None:
    """No two bots have one name, the first of a name keeps it, and all names keep their start."""
    made = [Bot(name, (), Path(), (), "", 0, "") for name in names]
    distinct = [bot.name for bot in bots.distinct(made)]
    assert len(set(distinct)) == len(names)
    for i, (name, new) in enumerate(zip(names, distinct, strict=True)):
        assert new == name if name not in names[:i] else new.startswith(f"{name}#")


def test_names_are_fit_to_be_printed(here: Path) -> None:
    """Control characters, line ends and reversing marks do not get into a name, nor a novel."""
    manifest(
        "x", "echo", name="a\x1b[31m\n\u202e\tb" + 50 * "c", author="Ada\x07\n", language="\x1b[0m"
    )
    bot = find("x")
    assert (bot.name, bot.author, bot.language) == ("a [31m b" + 50 * "c", "Ada", "[0m")
    write(f"{'d' * 200}.py")
    assert find(f"{'d' * 200}.py").name == "d" * 60
    write("\x1b.py")
    assert find("\x1b.py").name == "bot"


@given(st.text(max_size=40))
def test_no_spec_breaks_the_judge(spec: str) -> None:
    """Any text at all is a bot or a usage error, on one line that can be printed."""
    try:
        said = find(spec).name
    except UsageError as error:
        said = str(error)
    assert said.isprintable()


# Bundled bots


HUNTER = bundled_folders()["hunter"]


def test_a_bundled_bot_goes_by_its_bare_name() -> None:
    """A bundled bot needs no path, and can be renamed like any other."""
    assert (find("hunter").name, find("hunter").folder) == ("hunter", HUNTER)
    assert (find("x=hunter").name, find("x=hunter").folder) == ("x", HUNTER)
    assert "there is no bot './hunter'" in refusal("./hunter")


def test_a_local_bot_wins_over_a_bundled_one() -> None:
    """Only what has the makings of a bot hides a bundled bot: a stray folder or text does not."""
    Path("hunter").mkdir()
    assert find("hunter").folder == HUNTER
    write("hunter/run.sh", "echo local\n")
    assert run(find("hunter")) == "local"
    Path("hunter/run.sh").unlink()
    manifest("hunter", "no-such-program")
    assert "no-such-program" in refusal("hunter")
    shutil.rmtree("hunter")
    write("hunter", "notes about hunter\n")
    assert find("hunter").folder == HUNTER


def test_bundled_bots_are_introduced(
    tmp_path: Path, on_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list tells every bundled bot's language and purpose, and why one cannot run here."""
    shelf = tmp_path / "shelf"
    (on_path / "bash").symlink_to("/bin/bash")
    manifest(shelf / "a", "python3", "bot.py")
    write(shelf / "a/bot.py", '"""a: shoots.\n\nMore of it."""\n')
    manifest(shelf / "b-ruby", "ruby", "bot.rb")
    write(
        shelf / "b-ruby/bot.rb", "#!/usr/bin/ruby\n# b in Ruby: shoots at what\n# it sees. Yes.\n"
    )
    manifest(shelf / "c", "./run.sh", language="Bash")
    write(shelf / "c/run.sh", "# no words\n")
    (shelf / "c/run.sh").chmod(0o755)
    write(shelf / "Makefile", "all:\n")
    write(shelf / "__pycache__/x.pyc")
    monkeypatch.setattr(schemas, "bundled", lambda _: shelf)
    listed = bundled()
    assert [(b.name, b.language, b.description) for b in listed] == [
        ("a", "Python", "shoots."),
        ("b-ruby", "Ruby", "shoots at what it sees."),
        ("c", "Bash", ""),
    ]
    assert [bool(b.problem) for b in listed] == [False, True, True]
    assert "'ruby'" in str(listed[1].problem)


# Whatever is not a bot


def link(path: str, target: str) -> None:
    Path(path).symlink_to(target)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("a\0b", "zero byte.*'a\\\\x00b'"),
        ("\udcff", "not UTF-8"),
        (5000 * "a", "no bot 'aaa.*…"),
        ("sort", "no bot 'sort'.*give its path: /"),
    ],
)
def test_what_is_no_bot_is_refused_in_a_sentence(spec: str, said: str) -> None:
    """A name that nobody can type, or that hangs on the machine; the others are a transcript of
    tests/cli, bot-refused."""
    message = refusal(spec)
    assert message.isprintable()
    assert re.search(said, message)


@pytest.mark.parametrize("suffix", [".js", ".rb", ".pl", ".php", ".jar", ".sh"])
def test_a_missing_interpreter_is_named(suffix: str, on_path: Path) -> None:
    """A script whose language is not installed says which program is missing."""
    program = interpreters.KINDS[suffix].program
    write(f"bot{suffix}", "x")
    assert f"'bot{suffix}' needs {program}, which is not on PATH" in refusal(f"bot{suffix}")
    assert list(on_path.iterdir()) == []


UNREADABLE = """
import difflib, hashlib, os, shlex, sys
from judge.errors import UsageError
from judge.process.bots.bot import find
os.chdir(sys.argv[1])
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
for spec in sys.argv[2:]:
    try:
        print(find(spec).name)
    except UsageError as error:
        print(error)
"""


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that any user may enter, all the way from the root."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_an_unreadable_bot_is_refused_in_a_sentence(public: Path) -> None:
    """A user without the right to read a bot is told so, with the name of the file."""
    write(public / "open.py")
    write(public / "locked.py", mode=0)
    write(public / "x/run.sh")
    write(public / "x/data/secret", mode=0)
    write(public / "closed/run.sh")
    write(public / "listed/run.sh")
    specs = ["./open.py", "./locked.py", "./x", "./closed", "./closed/run.sh", "./listed"]
    (public / "closed").chmod(0)
    (public / "listed").chmod(0o444)
    done = subprocess.run(
        [sys.executable, "-c", UNREADABLE, str(public), *specs],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=60,
    )
    (public / "closed").chmod(0o755)
    (public / "listed").chmod(0o755)
    answers = done.stdout.splitlines()
    assert len(answers) == len(specs), done.stderr
    assert answers[0] == "open"
    for answer, spec in zip(answers[1:], specs[1:], strict=True):
        assert spec.removeprefix("./") in answer
        assert "permission denied" in answer
        is_ours = os.getuid() != 0  # nobody else is told to open what is another user's
        assert ("chmod" in answer) <= is_ours
    assert str(public / "locked.py") in answers[1]
    assert str(public / "x/data/secret") in answers[2]


def test_a_bot_that_is_too_large_is_refused() -> None:
    """One byte over the limit is refused, with the largest file and the option that allows it."""
    run_sh = "#!/bin/sh\n"
    write("x/run.sh", run_sh, 0o755)
    write("x/data/small", bytes(1))
    write("x/data/book", bytes(2**21 - len(run_sh) - 1))
    assert find("x").size == 2**21
    write("x/data/small", bytes(2))
    message = refusal("x")
    assert "'x' has 2,097,153 bytes" in message
    assert "'data/book'" in message
    assert "over the limit of 2,097,152" in message
    assert "--bot-size 3M" in message
    assert find("x", most_bytes=3 * 2**20).size == 2**21 + 1
    assert "'python3 x/data/book' has" in refusal("python3 x/data/book", most_bytes=10)


def test_a_folder_of_too_many_files_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot's folder is not walked without end, empty folders included."""
    monkeypatch.setattr(tree, "MOST_FILES", 20)
    write("x/run.sh")
    for i in range(19):
        Path(f"x/{i}").mkdir()
    find("x")
    Path("x/19").mkdir()
    assert "'x' holds more than 20 files and folders" in refusal("x")


def test_a_path_that_is_not_utf_8_is_refused(here: Path) -> None:
    """A bot in a folder that no record could name is refused, for all the kernel would say."""
    folder = os.fsdecode(os.fsencode(here) + b"/\xff")
    write(f"{folder}/bot.py")
    link("ok.py", f"{folder}/bot.py")
    assert "the path of 'ok.py' is not UTF-8" in refusal("ok.py")


# Interpreters


@pytest.mark.parametrize(("suffix", "program"), [(".js", "node"), (".rb", "ruby"), (".pl", "perl")])
def test_a_script_in_an_interpreters_place_is_refused(
    suffix: str, program: str, on_path: Path
) -> None:
    """As version managers put one on PATH: it would look for the program at each move."""
    write(on_path / program, '#!/bin/sh\nexec true "$@"\n', 0o755)
    write(f"bot{suffix}", ECHO[suffix])
    for spec in (f"bot{suffix}", f"{program} bot{suffix}"):
        message = refusal(spec)
        assert f"'{on_path}/{program}' is a script that looks for" in message
        assert "put the folder of the program itself first on PATH" in message


def test_another_python_can_be_given(here: Path) -> None:
    """``--python`` runs Python bots however they are named, and a venv stays a venv."""
    python = venv(here / "env")
    write("bot.py", "import sys; print(sys.executable, sys.prefix)\n")
    write("x/run.sh", "python3 ../bot.py\n")
    manifest("y", "python", "../bot.py")
    for spec in ("bot.py", "x", "y", "python3 bot.py"):
        assert run(find(spec, python=python)) == f"{python} {here / 'env'}"
        assert run(find(spec, python=Path("env/bin/python3"))) == f"{python} {here / 'env'}"


def test_the_judges_own_venv_stays_a_venv() -> None:
    """By default the interpreter is the judge's as it was started, links unresolved."""
    write("bot.py")
    assert find("bot.py").command[:2] == (sys.executable, "-B")


def test_a_python_may_be_a_name_or_a_script(here: Path, on_path: Path) -> None:
    """A name is looked up on PATH, and the interpreter says its own path."""
    python = venv(here / "env")
    write(on_path / "python3.99", f'#!/bin/sh\nexec {python} "$@"\n', 0o755)
    write("bot.py")
    for script in (Path("python3.99"), on_path / "python3.99"):
        assert find("bot.py", python=script).command[0] == str(python)


# Digests

TREES = st.dictionaries(
    st.text("abc.é\n", min_size=1, max_size=3).filter(lambda name: name.strip(".")),
    st.tuples(st.binary(max_size=20), st.booleans()),
    min_size=1,
    max_size=5,
)


def plant(tree: dict[str, tuple[bytes, bool]], order: list[str]) -> Bot:
    """The bot of a folder that holds a run.sh and, in a subfolder, this tree."""
    with tempfile.TemporaryDirectory() as name:
        write(f"{name}/run.sh")
        for file in order:
            content, executable = tree[file]
            write(f"{name}/data/{file}", content, 0o755 if executable else 0o644)
        return find(name)


@given(TREES, st.randoms(use_true_random=False))
def test_a_digest_is_that_of_names_bits_and_contents(
    tree: dict[str, tuple[bytes, bool]], rng: random.Random
) -> None:
    """The same files give one digest, in whatever order and place they were made."""
    order = list(tree)
    shuffled = rng.sample(order, len(order))
    first, second = plant(tree, order), plant(tree, shuffled)
    assert first.digest == second.digest
    assert first.digest.startswith("sha256:")
    assert len(bytes.fromhex(first.digest[7:])) == 32
    assert first.size == second.size == sum(len(content) for content, _ in tree.values())


@given(TREES, TREES)
def test_other_files_have_another_digest(
    one: dict[str, tuple[bytes, bool]], other: dict[str, tuple[bytes, bool]]
) -> None:
    """Any difference in a name, an executable bit or a byte shows."""
    same = plant(one, list(one)).digest == plant(other, list(other)).digest
    assert same == (one == other)


def test_a_digest_does_not_depend_on_how_long_a_file_takes_to_read() -> None:
    """A file of many blocks is digested whole."""
    write("x.py", bytes(2**20) + b"a")
    first = find("x.py").digest
    write("x.py", bytes(2**20) + b"b")
    assert find("x.py").digest != first


def test_the_format_of_a_digest_stays() -> None:
    """Digests are kept in ledgers, so this one may never change."""
    write("x/run.sh", "exit\n", 0o755)
    write("x/a", "A")
    link("x/z", "elsewhere")
    inner = {text: hashlib.sha256(text).digest() for text in (b"A", b"exit\n", b"elsewhere")}
    whole = b"fa\0" + inner[b"A"] + b"xrun.sh\0" + inner[b"exit\n"] + b"lz\0" + inner[b"elsewhere"]
    assert find("x").digest == "sha256:" + hashlib.sha256(whole).hexdigest()


def test_what_tools_leave_behind_is_no_part_of_a_bot() -> None:
    """Caches and version control change neither digest nor size, even as a file."""
    write("x/run.sh", "exit\n")
    before = find("x")
    write("x/__pycache__/bot.cpython-311.pyc", bytes(3 * 2**20))
    write("x/.git/objects/1", bytes(3 * 2**20))
    write("x/lib/__pycache__/y.pyc", bytes(10))
    write("x/lib/.hg/y", bytes(10))
    write("x/lib/.git", "gitdir: elsewhere\n")
    Path("x/empty").mkdir()
    assert find("x") == before
    Path("x/run.sh").chmod(0o655)
    assert find("x") == before, "executable for others, but not for its owner"
    write("x/.hidden", "counts")
    assert find("x").digest != before.digest


def test_a_link_in_a_folder_counts_by_where_it_points() -> None:
    """A link is its text: what it leads to counts where it lies, and only once."""
    write("x/run.sh")
    write("x/data/book", bytes(10))
    before = find("x")
    link("x/book", "data/book")
    after = find("x")
    assert after.digest != before.digest
    assert after.size == before.size + len("data/book")
    Path("x/book").unlink()
    link("x/book", "data/other")
    assert find("x").digest != after.digest


def test_a_command_lines_words_are_part_of_its_digest() -> None:
    """The same program with another argument is another bot, wherever it is started from."""
    write("bots/a.py", ECHO[".py"])
    one, other = find("python3 bots/a.py --level 1"), find("python3 bots/a.py --level 2")
    assert one.digest != other.digest
    os.chdir("bots")
    assert find("python3 a.py --level 1") == one
    assert find("echo a").digest != find("echo b").digest
    echo = need("echo")
    assert find(f"{echo} a.py").digest == find("echo a.py").digest


# A folder of contestants


def test_every_bot_of_a_folder_is_found() -> None:
    """Folders and files that are bots come sorted by name; the rest is left out, with reasons."""
    write("all/zebra.py")
    write("all/apple/run.sh")
    manifest("all/m", "echo", name="zz")
    write("all/twice.py")
    write("all/twice/run.sh")
    manifest("all/thrice", "echo", name="Twice")
    write("all/a b=c.py")
    write("all/README.md", "words")
    write("all/.git/run.sh")
    write("all/__pycache__/x.pyc")
    write("all/no_bot/notes.txt")
    write("all/large/run.sh")
    write("all/large/data", bytes(101))
    link("all/gone", "nowhere")
    found, left_out = contestants(Path("all"), most_bytes=100)
    names = ["a b=c", "apple", "twice", "twice.py", "zebra", "zz"]
    assert [bot.name for bot in found] == names
    assert found[2].files == (Path("all/twice").resolve(),)
    reasons = {
        ".git": "it is hidden",
        "README.md": "of no known kind",
        "__pycache__": "it is hidden",
        "gone": "symbolic link to 'nowhere'",
        "large": "over the limit of 100",
        "no_bot": "no run.sh and no bot.json",
        "thrice": "its name, 'Twice', looks like 'twice', which the folder 'twice' bears",
    }
    assert [left.name for left in left_out] == list(reasons)
    for left in left_out:
        assert reasons[left.name] in left.reason


def test_a_folder_is_listed_once_for_the_data_of_all_its_players(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Or the time for thousands of players would grow with the square of their number."""
    for name in ("a.py", "b.py", "c.py", "c.d.py", "a.txt", "c.txt", "c.dat", "c.d.txt"):
        write(f"all/{name}")
    listed: list[Path] = []

    def names_in(folder: Path, shown: str) -> list[str]:
        listed.append(folder)
        return files.names_in(folder, shown)

    monkeypatch.setattr(data_file, "names_in", names_in)
    found, _ = contestants(Path("all"))
    data = data_file.own_data(found)
    assert listed == [Path("all").resolve()]
    suffixes = {name: own.data and own.data.suffix for name, own in data.items()}
    assert suffixes == {"a": ".txt", "b": None, "c": None, "c.d": ".txt"}
    assert data["c"].problem == "several files could be its data: c.dat, c.txt"


def test_an_empty_folder_has_no_contestants() -> None:
    """No bots is not an error here: what that means is for the contest to say."""
    assert contestants(Path()) == ((), ())
    write(".x")
    assert contestants(Path()) == ((), (LeftOut(".x", "it is hidden"),))
