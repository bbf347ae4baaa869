"""The interpreters that start bots, by suffix, by name or by a #! line.

A command returned here can be started, as far as that can be told without starting it; otherwise a
`UsageError` says what is missing, or None is returned. "The list" means the programs on PATH, the
judge's own Python, and that of --python.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from judge.errors import UsageError
from judge.process.bots.files import head, is_executable, is_folder, quoted
from judge.quoting import word

# Folders of a distribution's programs and libraries.
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")

# Flags that keep java within the default 256 MiB: without them it takes up to a quarter of the
# machine's memory. As java runs for one move, they also choose the quick compiler and the shared
# archive.
JAVA_FLAGS = (
    "-XX:+UseSerialGC",
    "-Xmx64m",
    "-Xss1m",
    "-XX:TieredStopAtLevel=1",
    "-Xshare:auto",
)

ASK_SECONDS = 10.0  # seconds, enough for a Python on a slow disk


@dataclass(frozen=True, slots=True)
class ScriptKind:
    """A kind of script: its language, and the program and flags that usually run it."""

    language: str
    program: str
    flags: tuple[str, ...] = ()


PYTHON = ScriptKind("Python", "python3", ("-B",))  # -B: no __pycache__ in the bot's folder

KINDS = {
    ".py": PYTHON,
    ".js": ScriptKind("JavaScript", "node"),
    ".rb": ScriptKind("Ruby", "ruby"),
    ".pl": ScriptKind("Perl", "perl"),
    ".php": ScriptKind("PHP", "php"),
    ".jar": ScriptKind("Java", "java", (*JAVA_FLAGS, "-jar")),
    ".sh": ScriptKind("Bash", "bash"),
}

# In a #! line or a command, these names mean the judge's own Python or that of --python.
_OUR_PYTHON = frozenset({"python", "python3"})


def language_of(program: str) -> str:
    """The language of an interpreter, given as a name such as ``ruby3.1`` or as a path; empty if it
    is not known."""
    name = _unversioned(program)
    kinds = KINDS.values()
    return next((kind.language for kind in kinds if _unversioned(kind.program) == name), "")


# How to flush output in languages that buffer it when they write into a pipe.
_FLUSHING = {
    "Python": "print(…, flush=True)",
    "Ruby": "$stdout.sync = true",
    "Perl": "$| = 1",
    "C": "fflush(stdout)",
    "C++": "std::flush",
}


def flushing(language: str, command: Sequence[str]) -> str:
    """A hint, to be added to a sentence, that a program of this language may not have flushed its
    output; empty if it flushes by itself, or if that is not known."""
    way = _FLUSHING.get(language)
    if way is None or (language == "Python" and "-u" in command):
        return ""
    return f"; what it printed may still be in its own buffer, which it has to flush: {way}"


# A function from a path in a bot to the regular file of the bot to which it leads, or None.
Own = Callable[[str], Path | None]


def nothing_own(_: str) -> None:
    """The `Own` of a single-file bot: no path leads to another file of it."""


@dataclass(frozen=True, slots=True)
class StartCommand:
    """The command that starts a program. ``interpreters`` are the paths of those interpreters that
    the program needs and that are on the list of `Interpreters`."""

    command: tuple[str, ...]
    interpreters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Interpreters:
    """The list of interpreters that may start bots. ``python`` is an absolute path. ``path`` is a
    ``PATH`` of absolute folders, and its first folder is that of ``python``."""

    python: str
    path: str

    @classmethod
    def of(cls, python: Path | None) -> Interpreters:
        """The interpreters of this machine, with the judge's own Python or the given one.

        A ``python`` without a slash is looked up on ``PATH``. Raises `UsageError` if there is no
        such Python.
        """
        folders = folders_of_path()
        chosen = sys.executable if python is None else _given_python(python, folders)
        own = str(Path(chosen).parent)
        return cls(chosen, os.pathsep.join([own, *(folder for folder in folders if folder != own)]))

    def without(self, folder: Path) -> Interpreters:
        """The list of interpreters without the folders of PATH that lie in ``folder``, which is a
        bot. The folder of ``python`` stays, since the user chose it."""
        first, *folders = self.path.split(os.pathsep)
        kept = [f for f in folders if not Path(os.path.realpath(f)).is_relative_to(folder)]
        return replace(self, path=os.pathsep.join([first, *kept]))

    def named(self, word: str) -> tuple[str, ...] | None:
        """The command that starts a program named without a slash, or None if it is not in
        ``path``. Raises `UsageError` for an interpreter that is only a script."""
        if word in _OUR_PYTHON:
            return (self.python, *PYTHON.flags)
        found = _on_path(word, self.path.split(os.pathsep))
        # Other programs may be scripts themselves.
        is_binary = language_of(word) in ("Python", "JavaScript", "Ruby", "Perl", "PHP")
        if found and is_binary and head(Path(found), quoted(found)).startswith(b"#!"):
            raise UsageError(
                f"{quoted(found)} is a script that looks for {language_of(word)} at each start; put "
                "the folder of the program itself first on PATH"
            )
        return (found,) if found else None

    def lists(self, program: str) -> bool:
        """Whether an absolute path names a program of the list. The path must be in a folder of
        ``path``, as written or as its real path, or be the judge's own Python. A link from
        elsewhere, as in /proc, does not count."""
        folder, _ = os.path.split(program)
        folders = [f.rstrip("/") or "/" for f in self.path.split(os.pathsep)]
        is_there = folder in {*folders, *map(os.path.realpath, folders)}
        return (is_there or program == sys.executable) and is_executable(Path(program))

    def starts(self, program: str) -> tuple[str, ...] | None:
        """The interpreters that a bot must see to start a program, given by its absolute path: the
        program itself if it is on the list, or an empty tuple if it is the system's, which every
        bot sees. None if it is neither."""
        if self.lists(program):
            return (program,)
        folder = Path(program).parent
        is_the_systems = ".." not in folder.parts and all(
            any(map(path.is_relative_to, SYSTEM))
            for path in (folder, Path(os.path.realpath(folder)))
        )
        return () if is_the_systems and is_executable(Path(program)) else None

    def usual(self, kind: ScriptKind, shown: str) -> tuple[str, ...]:
        """The command that starts scripts of this kind. Raises `UsageError` if the interpreter is
        missing."""
        if kind is PYTHON:
            return (self.python, *kind.flags)
        command = self.named(kind.program)
        if command is None:
            raise UsageError(
                f"{shown} needs {kind.program}, which is not on PATH; install {kind.language}, "
                "or add the folder of its program to PATH"
            )
        return (*command, *kind.flags)

    def script(self, path: Path, shown: str, suffix: str, own: Own) -> StartCommand:
        """The command that starts a file as a bot's program.

        An executable file that has a #! line or no known suffix is started as it is. A #! line that
        asks for any Python gets the list's Python, unless the suffix is that of another language.
        Any other file is started by the interpreter of its suffix. Raises `UsageError` if the file
        cannot be read or cannot be started.
        """
        first = head(path, shown)
        kind = KINDS.get(suffix)
        if kind in (None, PYTHON) and is_executable(path) and _asks_for_python(first):
            kind = PYTHON
        elif is_executable(path) and (kind is None or first.startswith(b"#!")):
            return StartCommand((str(path),), self._check_start(first, shown, own))
        if kind is None:
            raise UsageError(
                f"{shown} is not executable and of no known kind ({' '.join(KINDS)}); "
                f"if it is a program: `chmod +x {_as_typed(path)}`"
            )
        if kind.program == "bash":
            _refuse_windows_line_ends(first, shown)
        command = self.usual(kind, shown)
        return StartCommand((*command, str(path)), command[:1])

    def check_program(self, path: Path, shown: str, own: Own) -> tuple[str, ...]:
        """Check that a program can be started by its path, and return the interpreters of the list
        that its #! line needs.

        Raises `UsageError` if the program cannot be started.
        """
        if is_folder(path):
            raise UsageError(f"{shown} is a folder, not a program; it takes no arguments")
        if not is_executable(path):
            kind = KINDS.get(path.suffix.lower())
            instead = f", or write {kind.program} in front of it" if kind else ""
            raise UsageError(f"{shown} is not executable: `chmod +x {_as_typed(path)}`{instead}")
        return self._check_start(head(path, shown), shown, own)

    def _check_start(self, first: bytes, shown: str, own: Own) -> tuple[str, ...]:
        if first.startswith(b"#!"):
            return self._check_own_interpreter(first, shown, own)
        if not first:
            raise UsageError(f"{shown} is an empty file")
        if b"\0" not in first:  # a text file; the kernel may know other binaries
            raise UsageError(
                f"{shown} is executable, but has no #! line to say what runs it; "
                "begin it with one, like #!/usr/bin/env python3"
            )
        return ()

    def _check_own_interpreter(self, first: bytes, shown: str, own: Own) -> tuple[str, ...]:
        """Check the #! line of a file, and return the interpreters of the list that it needs.
        Besides these, a line may name only programs of the system and of the bot."""
        _refuse_windows_line_ends(first, shown)
        interpreter, argument = _own_interpreter(first)
        if (file := own(interpreter)) and is_executable(file):
            return ()
        name = Path(interpreter).name
        shows = self.starts(interpreter)
        if shows is None:
            raise UsageError(
                f"the #! line of {shown} names {quoted(interpreter)}, which is not there, or not "
                "on PATH; install it, or correct the line"
            )
        program = _split(argument) if argument.startswith("-S") else argument
        if name != "env" or not program or program[0] in "-/" or "=" in program:
            return shows
        command = None if "/" in program else self.named(program)
        if command is None and not own(program):
            split = " (several words need env -S)" if " " in program else ""
            raise UsageError(
                f"the #! line of {shown} needs {quoted(program)}, which is not on PATH{split}; "
                "install it, or correct the line"
            )
        return (*shows, *(command or ())[:1])


def _own_interpreter(first: bytes) -> tuple[str, str]:
    """The path and the one argument of a #! line, split as the kernel does."""
    line = os.fsdecode(first[2:].partition(b"\n")[0].partition(b"\0")[0])
    interpreter, _, argument = line.replace("\t", " ").strip(" ").partition(" ")
    return interpreter, argument.strip(" ")


def _split(argument: str) -> str:
    """The program that ``env -S`` would start."""
    return next(iter(argument.removeprefix("-S").split()), "")


def _asks_for_python(first: bytes) -> bool:
    if not first.startswith(b"#!"):
        return False
    interpreter, argument = _own_interpreter(first)
    name = Path(interpreter).name
    return (argument if name == "env" else name) in _OUR_PYTHON and (name == "env" or not argument)


def _refuse_windows_line_ends(first: bytes, shown: str) -> None:
    if first.partition(b"\n")[0].endswith(b"\r"):
        raise UsageError(
            f"{shown} has Windows line ends (CRLF), with which its first line means something "
            "else; sed -i 's/\\r$//' on it takes them out"
        )


def on_path(word: str) -> str | None:
    """The absolute path of the program with this name on the user's ``PATH``, or None if it is not
    there."""
    return _on_path(word, folders_of_path())


def active_python() -> str | None:
    """The Python of the active virtual environment, or None if no environment is active or the
    judge itself runs in it."""
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        folder = os.environ.get(name, "")
        program = Path(folder, "bin", "python3")
        is_another = os.path.realpath(folder) != os.path.realpath(sys.prefix)
        if folder[:1] == "/" and is_another and is_executable(program):
            return str(program)
    return None


def folders_of_path() -> list[str]:
    """The absolute folders of ``PATH``. A relative folder would depend on the current folder, which
    may be a stranger's."""
    return [f for f in os.environ.get("PATH", os.defpath).split(os.pathsep) if f[:1] == "/"]


def _on_path(word: str, folders: list[str]) -> str | None:
    paths = (Path(folder, word) for folder in folders)
    return next((str(path) for path in paths if is_executable(path)), None)


def _unversioned(program: str) -> str:
    return Path(program).name.rstrip("0123456789.")


def _given_python(given: Path, folders: list[str]) -> str:
    """Ask a given Python for its path, and return the path. Raises `UsageError` if there is no such
    program, or if it is not a Python."""
    import subprocess

    shown = f"--python {quoted(given)}"
    program = str(given.absolute()) if "/" in str(given) else _on_path(str(given), folders)
    if program is None:
        raise UsageError(f"{shown} is not on PATH; give the path of a Python interpreter")
    if not is_executable(Path(program)):
        raise UsageError(
            f"{shown} is not a program that can be executed; give a Python interpreter"
        )
    try:
        done = subprocess.run(
            [program, "-c", "import sys; print(sys.executable)"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=ASK_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"{shown} was asked for its path, and failed: {error}") from None
    answer = _last_line(done.stdout)
    if done.returncode == 0 and answer.startswith("/") and is_executable(Path(answer)):
        return answer
    said = _last_line(done.stderr) or answer or "nothing"
    raise UsageError(
        f"{shown} was asked for its path, and answered {quoted(said)}; it is not Python"
    )


def _last_line(output: bytes) -> str:
    return os.fsdecode(output).strip().rpartition("\n")[2].strip()


def _as_typed(path: Path) -> str:
    """A path as a word for a shell in the current folder."""
    said = str(path)
    with contextlib.suppress(OSError):  # the current folder may be gone
        here = os.path.relpath(path)
        said = said if here.startswith("..") else here
    return word(f"./{said}" if said.startswith("-") else said)
