"""The interpreters that start bots: usual ones, real paths, #! lines.

This file knows no bot, only programs. Whatever it answers can be started, as far as that shows
without starting it; otherwise a `UsageError` says what is missing. Only programs of the list are
ever started from here: those on PATH, the judge's own Python, and the one of --python.
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

# Programs and libraries of distributions.
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")

# What keeps java within the default 256 MiB: by itself it lets garbage grow up to a quarter of the
# machine's memory. It lives for a move, so the quick compiler and the shared archive.
JAVA_FLAGS = (
    "-XX:+UseSerialGC",
    "-Xmx64m",
    "-Xss1m",
    "-XX:TieredStopAtLevel=1",
    "-Xshare:auto",
)

ASK_SECONDS = 10.0  # seconds for a Python that starts from a slow disk


@dataclass(frozen=True, slots=True)
class ScriptKind:
    """A kind of script: its language, and the program and flags that usually run it."""

    language: str
    program: str
    flags: tuple[str, ...] = ()


PYTHON = ScriptKind(
    "Python", "python3", ("-B",)
)  # -B: to run a bot leaves no __pycache__ in its folder

KINDS = {
    ".py": PYTHON,
    ".js": ScriptKind("JavaScript", "node"),
    ".rb": ScriptKind("Ruby", "ruby"),
    ".pl": ScriptKind("Perl", "perl"),
    ".php": ScriptKind("PHP", "php"),
    ".jar": ScriptKind("Java", "java", (*JAVA_FLAGS, "-jar")),
    ".sh": ScriptKind("Bash", "bash"),
}

# Under these names, a #! line or a command means the judge's own interpreter.
_OUR_PYTHON = frozenset({"python", "python3"})


def language_of(program: str) -> str:
    """The language whose interpreter has that name, ``ruby3.1`` or a path to it; or ``""``."""
    name = _unversioned(program)
    kinds = KINDS.values()
    return next((kind.language for kind in kinds if _unversioned(kind.program) == name), "")


# How a program has each line written at once: into a pipe, these write only what fills a buffer.
_FLUSHING = {
    "Python": "print(…, flush=True)",
    "Ruby": "$stdout.sync = true",
    "Perl": "$| = 1",
    "C": "fflush(stdout)",
    "C++": "std::flush",
}


def flushing(language: str, command: Sequence[str]) -> str:
    """The hint that a program of this language may not have flushed its output, to be added to a
    sentence; empty where it does so by itself, or where that is not known."""
    way = _FLUSHING.get(language)
    if way is None or (language == "Python" and "-u" in command):
        return ""
    return f"; what it printed may still be in its own buffer, which it has to flush: {way}"


# The path of a regular file among a bot's own that a path of the bot's leads to, if it is one.
Own = Callable[[str], Path | None]


def nothing_own(_: str) -> None:
    """The files of a bot that is given as a file: that file alone."""


@dataclass(frozen=True, slots=True)
class StartCommand:
    """How a program is started, and with which ``interpreters`` of the list, by their paths."""

    command: tuple[str, ...]
    interpreters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Interpreters:
    """The interpreters to start bots with, the list: ``python`` is an absolute path, ``path`` is a
    ``PATH`` of absolute folders, the first that of ``python``.
    """

    python: str
    path: str

    @classmethod
    def of(cls, python: Path | None) -> Interpreters:
        """Those of this machine, with the judge's own Python or the given one.

        A name without a slash is looked up on ``PATH``. Raises `UsageError` if it is not Python.
        """
        folders = folders_of_path()
        chosen = sys.executable if python is None else _given_python(python, folders)
        own = str(Path(chosen).parent)
        return cls(chosen, os.pathsep.join([own, *(folder for folder in folders if folder != own)]))

    def without(self, folder: Path) -> Interpreters:
        """Those for a bot that is this folder: what lies in it is on nobody's list, PATH or not.

        Except for ``python``, which the user chose by name.
        """
        first, *folders = self.path.split(os.pathsep)
        kept = [f for f in folders if not Path(os.path.realpath(f)).is_relative_to(folder)]
        return replace(self, path=os.pathsep.join([first, *kept]))

    def named(self, word: str) -> tuple[str, ...] | None:
        """How a program is started that is named by a word without a slash; None if not there."""
        if word in _OUR_PYTHON:
            return (self.python, *PYTHON.flags)
        found = _on_path(word, self.path.split(os.pathsep))
        # Others may be scripts themselves.
        is_binary = language_of(word) in ("Python", "JavaScript", "Ruby", "Perl", "PHP")
        if found and is_binary and head(Path(found), quoted(found)).startswith(b"#!"):
            raise UsageError(
                f"{quoted(found)} is a script that looks for {language_of(word)} at each start; put "
                "the folder of the program itself first on PATH"
            )
        return (found,) if found else None

    def lists(self, program: str) -> bool:
        """Whether a program is one of the list, by the very folder that is on it: a link to it
        from elsewhere, as in /proc, is not.
        """
        folder, _ = os.path.split(program)
        folders = [f.rstrip("/") or "/" for f in self.path.split(os.pathsep)]
        is_there = folder in {*folders, *map(os.path.realpath, folders)}
        return (is_there or program == sys.executable) and is_executable(Path(program))

    def starts(self, program: str) -> tuple[str, ...] | None:
        """The interpreters to be shown for a program by its absolute path: itself, if it is of the
        list; none, if it is the system's and is seen anyway; None if it is neither.
        """
        if self.lists(program):
            return (program,)
        folder = Path(program).parent
        is_the_systems = ".." not in folder.parts and all(
            any(map(path.is_relative_to, SYSTEM))
            for path in (folder, Path(os.path.realpath(folder)))
        )
        return () if is_the_systems and is_executable(Path(program)) else None

    def usual(self, kind: ScriptKind, shown: str) -> tuple[str, ...]:
        """How scripts of that kind are started; raises `UsageError` if this machine cannot."""
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
        """How a file is started that is a bot's program.

        An executable file starts itself, by its #! line if it is a script, even where its suffix
        has a usual interpreter; but a #! line that asks for just any Python gets the judge's.
        Without a #! line, or the right to execute, the suffix says what starts it.
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
        """The interpreters of the list that a program needs by its #! line.

        Raises `UsageError` unless this file can be started by its path.
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
        if b"\0" not in first:  # a text; of other binaries than ELF the kernel may know how
            raise UsageError(
                f"{shown} is executable, but has no #! line to say what runs it; "
                "begin it with one, like #!/usr/bin/env python3"
            )
        return ()

    def _check_own_interpreter(self, first: bytes, shown: str, own: Own) -> tuple[str, ...]:
        """The author of the line does not matter: it shows nothing that is not of the list."""
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
    """The path and the one argument of a #! line, taken apart as the kernel does it."""
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
    """The program of that name on the user's ``PATH``, by its absolute path."""
    return _on_path(word, folders_of_path())


def active_python() -> str | None:
    """The Python of the virtual environment that is active, if there is one and the judge runs in
    another."""
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        folder = os.environ.get(name, "")
        program = Path(folder, "bin", "python3")
        is_another = os.path.realpath(folder) != os.path.realpath(sys.prefix)
        if folder[:1] == "/" and is_another and is_executable(program):
            return str(program)
    return None


def folders_of_path() -> list[str]:
    """Without the relative ones, which would mean another for each bot, and strangers' files for
    who stands in a folder of theirs.
    """
    return [f for f in os.environ.get("PATH", os.defpath).split(os.pathsep) if f[:1] == "/"]


def _on_path(word: str, folders: list[str]) -> str | None:
    paths = (Path(folder, word) for folder in folders)
    return next((str(path) for path in paths if is_executable(path)), None)


def _unversioned(program: str) -> str:
    return Path(program).name.rstrip("0123456789.")


def _given_python(given: Path, folders: list[str]) -> str:
    """The path that the interpreter says that it has."""
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
    """A path as it can be typed here, a word for a shell."""
    said = str(path)
    with contextlib.suppress(OSError):  # the current folder may be gone
        here = os.path.relpath(path)
        said = said if here.startswith("..") else here
    return word(f"./{said}" if said.startswith("-") else said)
