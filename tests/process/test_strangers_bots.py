"""A stranger's folder does nothing by lying there: nothing of it is run, read or shown outside."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bot_files import manifest, write
from commands import ROOT, judge_at
from judge.check.relocated import moved
from judge.documents.game import Limits
from judge.errors import UsageError
from judge.game.variants import BRAINJAR
from judge.process.bots.bot import Bot, contestants, find
from judge.process.bots.contents import contents, parts
from judge.process.bots.files import opened
from judge.process.bots.forkable import require_forkable
from judge.process.bots.interpreters import Interpreters, on_path
from judge.process.bots.tree import MOST_DEPTH, Tree
from judge.process.run.environment import variables
from judge.process.run.launch import ProcessRun, Start
from judge.process.run.listening import Stop
from judge.process.sandbox import mounts
from judge.wire.brainjar import Brainjar
from needs import held_by, need

LEVELS = ("bwrap", "limits", "none")
SECRET = "the user's own"


def refusal(spec: Path | str, python: Path | None = None) -> str:
    with pytest.raises(UsageError) as caught:
        find(str(spec), python=python)
    message = str(caught.value)
    assert message.isprintable()
    return message


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder with a secret, in which every test stands; bots lie in ``bots``."""
    folder = tmp_path / "home"
    write(folder / "secret" / "key", SECRET)
    (folder / "bots").mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def bot(home: Path) -> Path:
    """A bot's folder that is in order."""
    return write(home / "bots" / "x" / "run.sh", "#!/bin/sh\necho ok\n", 0o755).parent


def run(bot: Bot, level: str = "none") -> ProcessRun:
    environment = variables(bot.path, {**Brainjar.environment(BRAINJAR), **Brainjar.luck(1)})
    patient = Limits(timeout_ms=60_000)
    with (
        closing(Stop()) as stop,
        closing(held_by(level).launcher(Start(bot, environment, patient), stop)) as launcher,
    ):
        return launcher.run('{"cmd":"init"}')


def shown(bot: Bot) -> str:
    return "\n".join(mounts.arguments(bot, Path.cwd()))


# What lies in a bot's folder


def fifo(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    os.mkfifo(path)


def unix_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        os.chdir(path.parent)  # the kernel takes short paths only
        listener.bind(path.name)
        os.chdir(here)


def link(path: Path, target: str | Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(target)


OUT = "leads out of the folder"
THROUGH = "leads through another link"
STRAYS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a link to a file outside": (lambda x: link(x / "data", "../../secret/key"), OUT),
    "a link to the folder around": (lambda x: link(x / "data", ".."), OUT),
    "a link that is not there, outside": (lambda x: link(x / "data", "../y"), OUT),
    "a link out and in again": (lambda x: link(x / "data", "../x/run.sh"), OUT),
    "a link in, out and in": (lambda x: link(x / "data", "a/../../x/run.sh"), OUT),
    "a link out of a deeper folder": (lambda x: link(x / "a" / "data", "../../y"), OUT),
    "a link by a link": (
        lambda x: [link(x / "deep" / "up", ".."), link(x / "data", "deep/up/..")],
        THROUGH,
    ),
    "a link by a link that is innocent alone": (
        lambda x: [
            (x / "a" / "b").mkdir(parents=True),
            link(x / "b", "a/b"),
            link(x / "c", "b/../../.."),
        ],
        THROUGH,
    ),
    "an absolute link": (lambda x: link(x / "data", x.parents[1] / "secret"), "absolute path"),
    "an absolute link to itself": (lambda x: link(x / "data", x / "run.sh"), "absolute path"),
    "a link to /": (lambda x: link(x / "data", "/"), "absolute path"),
    "a link to a process": (lambda x: link(x / "data", "/proc/self/root"), "absolute path"),
    "a link to a descriptor": (lambda x: link(x / "data", "/dev/fd/0"), "absolute path"),
    "a link to itself": (lambda x: link(x / "data", "data"), THROUGH),
    "links in a circle": (lambda x: [link(x / "a", "b"), link(x / "b", "a")], THROUGH),
    "a link of a strange name": (lambda x: link(x / "\x1b[2J\n\u202e", ".."), OUT),
    "version control that is a link": (lambda x: link(x / ".git", "run.sh"), "'.git', which is a"),
    "compiled code that is a link": (
        lambda x: link(x / "a" / "__pycache__", "../../../secret"),
        "'a/__pycache__', which is a link",
    ),
    "compiled code that is a FIFO": (lambda x: fifo(x / "__pycache__"), "which is a FIFO"),
    "a FIFO": (lambda x: fifo(x / "a" / "pipe"), "'a/pipe', which is a FIFO"),
    "a socket": (lambda x: unix_socket(x / "socket"), "'socket', which is a socket"),
    "a manifest that is a link": (lambda x: link(x / "bot.json", "../../secret/key"), OUT),
    "a manifest that is a FIFO": (lambda x: fifo(x / "bot.json"), "which is a FIFO"),
    "folders without end": (
        lambda x: x.joinpath(*["a"] * (MOST_DEPTH + 1)).mkdir(parents=True),
        "more than 64 deep",
    ),
    "a path that is too long for a copy": (
        lambda x: nested(x, ["d" * 250] * 5, ["data"]),
        "a path of 1,254 bytes, 'dd",
    ),
    "names of many bytes": (
        lambda x: nested(x, ["d" * 200] * 4, [f"{n:04}{'f' * 196}" for n in range(1200)]),
        "whose paths have more than 1,048,576 bytes together",
    ),
    "links that say much": (
        lambda x: [link(x / f"{n}", "./" * 2000 + "run.sh") for n in range(300)],
        "whose paths have more than 1,048,576 bytes together",
    ),
}
if os.geteuid() == 0:
    STRAYS["a device"] = (lambda x: os.mknod(x / "null", 0o20666, os.makedev(1, 3)), "is a device")


def nested(folder: Path, names: list[str], files: list[str]) -> None:
    """Folders in each other, and empty files in the last, by paths of any length."""
    at = os.open(folder, os.O_RDONLY)
    for name in names:
        os.mkdir(name, dir_fd=at)
        outer, at = at, os.open(name, os.O_RDONLY, dir_fd=at)
        os.close(outer)
    for name in files:
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)


@pytest.mark.parametrize("stray", STRAYS)
def test_a_folder_that_leads_elsewhere_is_no_bot(stray: str, bot: Path) -> None:
    """It is refused when it is named, and left out of a contest, in a sentence on what it holds;
    of what lies elsewhere nothing is told.
    """
    make, said = STRAYS[stray]
    make(bot)
    message = refusal(bot)
    assert said in message
    assert SECRET not in message
    found, left_out = contestants(bot.parent)
    assert found == ()
    assert [left.name for left in left_out] == ["x"]
    assert left_out[0].reason == message


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("a/data", "../run.sh"),
        ("data", "run.sh"),
        ("data", "./a/..//a/../run.sh"),
        ("data", "a"),
        ("data", "gone/for/good"),
        ("data", "."),
    ],
)
def test_links_within_a_folder_are_its_own(name: str, target: str, bot: Path) -> None:
    """Relative links that stay inside are part of the bot, dangling ones too."""
    (bot / "a").mkdir()
    link(bot / name, target)
    assert run(find(str(bot))).stdout == b"ok\n"
    entries = Tree.of(bot, "x").entries
    assert entries[name].target == target


def test_a_run_sh_may_be_a_link_within_its_folder(bot: Path) -> None:
    """It is started under its own name."""
    (bot / "run.sh").unlink()
    write(bot / "scripts" / "go.sh", '#!/bin/sh\nbasename "$0"\n', 0o755)
    link(bot / "run.sh", "scripts/go.sh")
    assert run(find(str(bot))).stdout == b"run.sh\n"


def test_a_program_in_version_control_is_none_of_the_bots(bot: Path) -> None:
    """A program that nobody digests is run by nobody, by a link neither."""
    write(bot / ".git" / "go", "#!/bin/sh\n", 0o755)
    manifest(bot, ".git/go")
    assert "is not there" in refusal(bot)
    link(bot / "go", ".git/go")
    manifest(bot, "./go")
    assert "is not there" in refusal(bot)


def test_a_hard_link_is_a_file(home: Path, bot: Path) -> None:
    """A file that has another name elsewhere cannot be told from a copy: package managers make such
    files, and strangers cannot. It counts, byte for byte.
    """
    os.link(home / "secret" / "key", bot / "data")
    linked = find(str(bot))
    (bot / "data").unlink()
    write(bot / "data", SECRET)
    assert find(str(bot)) == linked


def test_a_line_end_in_the_name_of_a_folder_is_a_space(home: Path) -> None:
    for name in ("hunter", "a\nb"):
        write(home / "bots" / name / "run.sh", "echo\n")
    found, _ = contestants(home / "bots")
    assert [one.name for one in found] == ["a b", "hunter"]


@pytest.mark.parametrize("target", ["../secret/key", "../secret", "opponent", "opponent/run.sh"])
def test_a_link_among_contestants_is_left_out(target: str, home: Path) -> None:
    """Nobody typed it, and it may have come out of an archive: it would have the user's files, or
    an opponent's, run as a bot of its own.
    """
    write(home / "secret" / "run.sh", "echo\n")
    write(home / "bots" / "opponent" / "run.sh", "echo\n")
    link(home / "bots" / "evil.py", target)
    found, left_out = contestants(home / "bots")
    assert [one.name for one in found] == ["opponent"]
    assert f"is a symbolic link to '{target}'; put the bot itself" in left_out[0].reason


def test_a_link_to_a_bundled_bot_may_contend(home: Path) -> None:
    """They are the judge's own, and there for everyone."""
    link(home / "bots" / "rival", ROOT / "bots" / "hunter")
    (found,), left_out = contestants(home / "bots")
    assert found.folder == ROOT / "bots" / "hunter"
    assert left_out == ()


# What is bound into the sandbox


def prefixed(home: Path, program: str = "bin/python3") -> Path:
    """A bot whose program looks like an interpreter's, with what lies beside one."""
    folder = manifest(home / "bots" / "x", program, "bot.py")
    write(folder / program, "#!/bin/sh\ncat lib/key conf/key libexec/key\n", 0o755)
    write(folder / "pyvenv.cfg", f"home = {home}/secret\n")
    write(folder / "bot.py")
    return folder


@pytest.mark.parametrize("place", ["lib", "conf", "lib64", "libexec", "jre", "pyvenv.cfg"])
@pytest.mark.parametrize("program", ["bin/python3", "bin/java", "sbin/node", "bin/ruby3.1"])
def test_a_bots_own_program_has_no_prefix(program: str, place: str, home: Path) -> None:
    """Not even of a link that comes into its folder once it has been named is anything shown;
    and before that, it is not a bot.
    """
    folder = prefixed(home, program)
    named = find(str(folder))
    before = shown(named)
    mounts._around.cache_clear()
    (folder / place).unlink(missing_ok=True)
    link(folder / place, home / "secret")
    assert shown(named) == before
    assert str(home / "secret") not in before
    assert "absolute path" in refusal(folder)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("launch", ["exec", "fork"])
def test_a_bot_with_an_interpreters_looks_plays_no_game(
    level: str, launch: str, home: Path
) -> None:
    """At every level and launch the link is found before anything is started."""
    folder = prefixed(home)
    link(folder / "lib", home / "secret")
    done = judge("fight", str(folder), "hunter", "--launch", launch, "--isolation", level)
    assert (done.returncode, done.stdout) == (2, "")
    assert "that is an absolute path" in done.stderr
    assert SECRET not in done.stderr


def test_a_typed_interpreter_shows_nothing_outside_of_its_prefix(home: Path) -> None:
    """The user's own is shown with its libraries; a link in it leads nowhere else."""
    folder = prefixed(home)
    link(folder / "lib", home / "secret")
    (folder / "conf").mkdir()
    named = find(f"{folder}/bin/python3 {folder}/bot.py")
    assert named.typed == (f"{folder}/bin/python3",)
    words = shown(named).splitlines()
    assert str(folder / "conf") in words
    assert str(home / "secret") not in words
    assert str(folder / "lib") not in words


WORDS = ["{home}/way/key", "{home}/way", "--book={home}/way/key", "{home}/bots/../way/key"]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("command", [["python3", "bot.py"], ["sh", "-c", "true"], ["./go"]])
def test_a_word_of_a_manifest_shows_no_path(command: list[str], word: str, home: Path) -> None:
    """Not the file, nor the links on the way to it."""
    link(home / "way", "secret")
    folder = manifest(home / "bots" / "x", *command, word.format(home=home))
    write(folder / "bot.py")
    write(folder / "go", "#!/bin/sh\n", 0o755)
    words = shown(find(str(folder))).splitlines()
    assert not [word for word in words if "way" in word or "secret" in word]


def test_a_typed_word_may_lead_through_a_link(home: Path) -> None:
    """A file that the user names is the bot's, and runs wherever it really is."""
    write(home / "lab" / "bot.py", "import sys; print(open(sys.argv[1]).read())\n")
    link(home / "best.py", "lab/bot.py")
    link(home / "way", "secret")
    done = run(find("python3 -O best.py way/key"), "bwrap")
    assert done.stdout.decode().strip() == SECRET, done.stderr


PROGRAMS = [
    "{home}/secret/python3",
    "../../secret/python3",
    "bin/../../../secret/python3",
    "{home}/bots/x/../../secret/python3",
    "/proc/self/exe",
    "/proc/self/root/usr/bin/env",
    "/dev/fd/3",
    "/proc/../usr/bin/../../{home}/secret/python3",
    "{way}/env",
    "..",
    "../",
    "//",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_manifest_names_no_program_elsewhere(program: str, home: Path) -> None:
    """A program that is neither the bot's own nor of PATH is refused, whether it is there or
    not."""
    write(home / "secret" / "python3", "#!/bin/sh\n", 0o755)
    link(home / "way", "/usr/bin")
    folder = manifest(home / "bots" / "x", program.format(home=home, way=home / "way"))
    (folder / "bin").mkdir()
    message = refusal(folder)
    assert "neither in the bot's folder nor on PATH" in message or "not on PATH" in message
    assert "--python" not in message  # what the bot names is not for the user to run
    (home / "secret" / "python3").unlink()
    (home / "way").unlink()
    assert refusal(folder) == message


def test_a_manifest_may_name_programs_of_the_list_by_their_paths(home: Path, bot: Path) -> None:
    """One of PATH, the judge's own, the system's, and its own."""
    write(bot / "run.sh", f"#!{need('env')}\n", 0o755)
    for program in (need("env"), sys.executable):
        manifest(bot, program)
        assert find(str(bot)).interpreters == (program,)
    for program in (str(bot / "run.sh"), "./run.sh", "a/../run.sh"):
        manifest(bot, program)
        assert find(str(bot)).interpreters == (need("env"),), "that of its #! line"


# #! lines


STRANGE = [
    "#!/proc/self/exe",
    "#!{home}/secret/python3",
    "#!{home}/secret/python3 -c",
    "#!../../secret/python3",
    "#!./../../secret/python3",
    "#!{way}/sh",
    "#! \t {home}/secret/python3\t",
    "#!/dev/fd/0",
    "#!",
    "#! ",
    "#!.",
    "#!..",
    "#!/",
    "#!./a",
    "#!" + "/x" * 100,
    "#!/usr/bin/\x1b[2J",
    "#!/usr/bin/env ../../secret/python3",
]


@pytest.mark.parametrize("line", STRANGE)
@pytest.mark.parametrize("name", ["run.sh", "go"])
def test_a_line_that_names_an_interpreter_shows_none(line: str, name: str, home: Path) -> None:
    """An interpreter that is not the bot's, the system's or on PATH is refused; and never looked
    into."""
    write(home / "secret" / "python3", "#!/bin/sh\n", 0o755)
    link(home / "way", "/bin")
    folder = manifest(home / "bots" / "x", "./go") if name == "go" else home / "bots" / "x"
    text = line.format(home=home, way=home / "way") if "{" in line else line
    write(folder / name, f"{text}\nexit\n", 0o755)
    (folder / "a").mkdir()
    if "env .." in line:  # which is looked for inside, where it is not
        assert "which is not on PATH" in refusal(folder)
    else:
        assert "#! line" in refusal(folder)


@pytest.mark.parametrize("level", ["bwrap", "limits"])
def test_a_line_may_name_a_program_of_the_bots_own(level: str, bot: Path) -> None:
    """Relative to its folder, a script that names another too: it runs where the bot runs."""
    write(bot / "run.sh", "#!./tools/outer\n", 0o755)
    write(bot / "tools" / "outer", "#!./tools/inner\n", 0o755)
    write(bot / "tools" / "inner", "#!/bin/sh\necho nested\n", 0o755)
    done = run(find(str(bot)), level)
    assert done.stdout == b"nested\n", done.stderr


def test_a_script_that_is_nested_too_deep_crashes(bot: Path) -> None:
    """The kernel refuses it, and the bot loses for it."""
    for i in range(8):
        write(bot / str(i), f"#!./{i + 1}\n", 0o755)
    write(bot / "8", "#!/bin/sh\n", 0o755)
    write(bot / "run.sh", "#!./0\n", 0o755)
    assert run(find(str(bot))).ended.name == "NOT_STARTED"


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_a_line_with_windows_ends_is_told(end: str, bot: Path) -> None:
    """Or is refused for naming what is not there."""
    (bot / "run.sh").write_bytes(f"#!/bin/sh{end}echo\n".encode())
    assert "Windows line ends" in refusal(bot) or "#! line" in refusal(bot)


# The questions


def judge(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return judge_at(Path(), *arguments, "--no-ledger", "--timeout", "1min", **variables)


def marks(path: Path, mark: Path) -> Path:
    """A program that leaves a mark outside when it is run, and says it is a Python."""
    return write(path, f"#!/bin/sh\ntouch {mark}\necho cpython True\n", 0o755)


@pytest.mark.parametrize("program", ["./python3", "bin/python3", "{x}/python3", "./python3.12"])
def test_a_bots_own_python_is_not_asked_what_it_is(program: str, home: Path) -> None:
    """However it is named, it may not be forked, and is not run to find that out."""
    folder = home / "bots" / "x"
    command = program.format(x=folder)
    marks(folder / command, home / "mark")
    write(folder / "bot.py")
    manifest(folder, command, "bot.py")
    with pytest.raises(UsageError, match="--launch fork is for Python bots"):
        require_forkable([find(str(folder))])
    assert not (home / "mark").exists()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("command", ["fight", "rank"])
def test_no_level_has_a_bots_own_python_asked(command: str, level: str, home: Path) -> None:
    """It stops the run by name, before the first game."""
    for name in ("x", "y"):
        folder = manifest(home / "bots" / name, "./python3", "bot.py")
        marks(folder / "python3", home / "mark")
        write(folder / "bot.py")
    bots = ("bots/x", "bots/y") if command == "fight" else ("bots",)
    done = judge(command, *bots, "--launch", "fork", "--isolation", level)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--launch fork is for Python bots, and x is started by" in done.stderr
    assert not (home / "mark").exists()


def test_a_typed_python_is_not_asked_what_it_is(home: Path) -> None:
    """It is to be given by --python."""
    marks(home / "bots" / "python3", home / "mark")
    write(home / "bots" / "bot.py")
    with pytest.raises(UsageError, match="that interpreter by --python"):
        require_forkable([find("bots/python3 bots/bot.py")])
    assert not (home / "mark").exists()


@pytest.mark.parametrize("path", [".", "", "bin", "./", "{x}", "{x}/bin", "{home}/alias/bin"])
@pytest.mark.parametrize("word", ["node", "python3.99"])
def test_a_path_through_a_bots_folder_counts_for_nothing(
    path: str, word: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program of the bot's does not count as one of PATH: neither asked, nor found, nor on the
    bot's PATH."""
    folder = manifest(home / "bots" / "x", word, "bot.js")
    link(home / "alias", "bots/x")
    for place in (folder, folder / "bin"):
        marks(place / word, home / "mark")
    monkeypatch.chdir(folder)
    entry = path.format(x=folder, home=home)
    monkeypatch.setenv("PATH", f"{entry}:/nowhere")
    assert f"'{word}'" in refusal(folder)
    assert not (home / "mark").exists()
    write(folder / "run.sh", "#!/bin/sh\n", 0o755)
    (folder / "bot.json").unlink()
    assert find(str(folder)).path == f"{Path(sys.executable).parent}:/nowhere"


@pytest.mark.parametrize("path", [".", "", "bin"])
def test_a_python_of_the_current_folder_is_not_the_one_of_that_name(
    path: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative PATH finds no --python, and no tool of the judge's."""
    for place in (home, home / "bin"):
        marks(place / "python9", home / "mark")
    done = judge("fight", "hunter", "hunt", "--python", "python9", PATH=f"{path}:{os.defpath}")
    assert done.returncode == 2
    assert "python9" in done.stderr
    monkeypatch.setenv("PATH", path)
    assert on_path("python9") is None
    assert not (home / "mark").exists()


def test_the_list_is_of_folders_and_not_of_what_leads_there(home: Path) -> None:
    """A link to a program of the list is not of the list, nor a program beside it."""
    using = Interpreters(sys.executable, f"{home}/bin:/usr/bin")
    write(home / "bin" / "lua", "#!/bin/sh\n", 0o755)
    link(home / "secret" / "lua", home / "bin" / "lua")
    assert using.starts(f"{home}/bin/lua") == (f"{home}/bin/lua",)
    assert using.starts(f"{home}/secret/lua") is None
    assert using.starts(f"{home}/bin/../bin/lua") is None
    assert using.starts(f"{home}/bin/") is None
    assert using.starts("lua") is None
    assert using.starts("") is None


LEAKS = (
    *("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE", "LD_BIND_NOW", "GCONV_PATH"),
    *("LOCPATH", "NLSPATH", "BASH_ENV", "ENV", "PERL5LIB", "RUBYLIB", "NODE_PATH", "TZDIR", "IFS"),
    *("JAVA_TOOL_OPTIONS", "SSH_AUTH_SOCK", "SECRET"),
)
PRINTS = "#!/bin/sh\ntr '\\0' '\\n' </proc/$$/environ | sed 's/=.*//' | sort\n"


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_gets_nothing_of_the_users_environment(
    level: str, bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither what loaders and interpreters obey, nor what is secret."""
    write(bot / "run.sh", PRINTS, 0o755)
    for name in LEAKS:  # LD_PRELOAD and its like are of the same kind, but the test would obey them
        monkeypatch.setenv(name, "/nowhere")
    names = run(find(str(bot)), level).stdout.decode().split()
    assert "BOT_SEED" in names
    assert set(names) <= {"PATH", "HOME", "LANG", "TMPDIR", "BOT_SEED", "BOT_RULES", "PWD"}


# Bots that run as before


COFFEE = """#!/usr/bin/env node
. "$(dirname "$(readlink -f "$0")")/../lib/compiler.sh"
"""


@pytest.mark.parametrize("level", ["bwrap", "limits"])
@pytest.mark.parametrize("start", ["run.sh", "manifest", "line"])
def test_an_interpreter_that_is_a_script_runs_with_its_library(
    start: str, level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As CoffeeScript's, which npm puts beside node: on PATH, a link to a script of node's whose
    library lies in the prefix of both.
    """
    prefix = tmp_path / "npm"
    package = prefix / "lib" / "node_modules" / "coffee"
    (prefix / "bin").mkdir(parents=True)
    node = Path(need("bash"))
    (prefix / "bin" / "node").write_bytes(node.read_bytes())
    (prefix / "bin" / "node").chmod(0o755)
    write(package / "bin" / "coffee", COFFEE, 0o755)
    write(package / "lib" / "compiler.sh", 'echo "brewed $(cat "$1")"\n')
    link(prefix / "bin" / "coffee", "../lib/node_modules/coffee/bin/coffee")
    monkeypatch.setenv("PATH", f"{prefix}/bin:{os.environ['PATH']}")
    folder = tmp_path / "home" / "bots" / "x"
    write(folder / "bot.coffee", "beans")
    if start == "run.sh":
        write(folder / "run.sh", "#!/bin/sh\nexec coffee bot.coffee $1\n", 0o755)
    elif start == "manifest":
        manifest(folder, "coffee", "bot.coffee")
    else:
        write(folder / "run.sh", "#!/usr/bin/env -S coffee bot.coffee\n", 0o755)
    done = run(find(str(folder)), level)
    assert done.stdout == b"brewed beans\n", done.stderr


@pytest.mark.parametrize("level", ["bwrap", "limits"])
@pytest.mark.parametrize("given", ["--python", "typed"])
def test_a_venv_that_the_user_names_has_its_libraries(given: str, level: str, home: Path) -> None:
    """By --python, or as the program of a command line."""
    venv = home / "env"
    real = Path(sys.executable).resolve()
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    write(venv / "pyvenv.cfg", f"home = {real.parent}\n")
    link(venv / "bin" / "python3", real)
    write(venv / "lib" / version / "site-packages" / "helper.py", "answer = 42\n")
    write(home / "bots" / "bot.py", "import helper; print(helper.answer)\n")
    python = venv / "bin" / "python3"
    if given == "--python":
        named = find("bots/bot.py", python=python)
    else:
        named = find(f"{python} bots/bot.py")
    done = run(named, level)
    assert done.stdout == b"42\n", done.stderr


# Manifests; those that are refused are a transcript of tests/cli, manifest-refused


def test_a_command_may_hold_whatever_a_program_can_be_given(home: Path) -> None:
    """Programs of a line, tabs and signs: it is run inside, and never by a shell of the judge's."""
    code = "import sys\nprint(sys.argv[1:-1])"
    words = ["$(touch mark)", "`touch mark`", "; touch mark", "\t\x1b[2J\n", "-rf", "=1+1"]
    folder = manifest(home / "bots" / "x", "python3", "-c", code, *words)
    assert run(find(str(folder))).stdout.decode().strip() == str(words)
    assert not (folder / "mark").exists()


# One walk


def test_what_is_digested_is_what_is_copied(bot: Path) -> None:
    """The digest, the size and a copy elsewhere come from the same parts, sorted by name."""
    write(bot / "a" / "go", "x", 0o700)
    write(bot / "a.b", "y", 0o640)
    link(bot / "b", "a/go")
    write(bot / ".git" / "HEAD", "z")
    named = find(str(bot))
    read = list(parts(named.files, named.folder, shown="x", most_bytes=named.size))
    assert [(part.name, part.data, part.is_link, part.is_executable) for part in read] == [
        ("a.b", b"y", False, False),
        ("a/go", b"x", False, True),
        ("b", b"a/go", True, False),
        ("run.sh", b"#!/bin/sh\necho ok\n", False, True),
    ]
    assert named.size == sum(len(part.data) for part in read)
    with moved(named) as copy:
        assert copy is not None
        again = contents(copy.files, copy.folder, shown="x", most_bytes=named.size)
        assert again.digest == named.digest
        assert not (copy.folder / ".git").exists()


def test_a_bot_is_bounded_when_it_is_read_again(bot: Path) -> None:
    """A file that has grown since it was named is refused, and a large one is not read."""
    named = find(str(bot))
    with (bot / "large").open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(UsageError, match="over the limit"):
        list(parts(named.files, named.folder, shown="x", most_bytes=named.size))


def test_no_part_of_a_path_is_followed(home: Path, bot: Path) -> None:
    """A folder or a file that has become a link is not opened, nor a root that has."""
    write(bot / "data" / "key", "its own")
    os.close(opened(bot, "data/key"))
    (bot / "data" / "key").unlink()
    (bot / "data").rmdir()
    link(bot / "data", home / "secret")
    with pytest.raises(OSError, match="Not a directory") as caught:
        opened(bot, "data/key")
    assert caught.value.filename == str(bot / "data" / "key")
    link(bot / "key", home / "secret" / "key")
    with pytest.raises(OSError, match="Too many levels"):
        opened(bot, "key")
    link(home / "root", bot)
    with pytest.raises(OSError, match=r"Not a directory|Too many levels"):
        opened(home / "root", "run.sh")


@pytest.mark.parametrize("becomes", ["a link", "a FIFO", "nothing"])
def test_a_single_file_that_is_swapped_is_not_read(becomes: str, home: Path) -> None:
    """Its own link was the user's; another that comes in its place is nobody's."""
    file = write(home / "bots" / "bot.py")
    named = find(str(file))
    file.unlink()
    if becomes == "a link":
        link(file, home / "secret" / "key")
    elif becomes == "a FIFO":
        fifo(file)
    with pytest.raises(UsageError, match=r"not a file any more|cannot be read"):
        list(parts(named.files, named.folder, shown="x", most_bytes=100))
