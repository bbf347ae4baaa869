"""Bots to start from: a folder with a bot in a language of one's choice, that works at once.

The templates lie in `judge/templates`, a folder each, beside the README of those that have none of
their own.
A new bot is made whole in a hidden folder beside its place, built if it has to be, and only then
put there; nothing that is there already is touched.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from string import Template

from judge.errors import JudgeFault, UsageError
from judge.game.variants import VARIANTS
from judge.process.bots.files import quoted
from judge.process.bots.interpreters import on_path
from judge.waiting import apart
from judge.wire import WIRES

TEMPLATES = Path(__file__).parents[2] / "templates"
README = "README.md"
BUILD_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Starter:
    """A language as the judge writes it, the source of its bot, and the command that builds it.
    ``rules`` are those that it plays; the bot may play others as well."""

    language: str
    source: str
    build: str = ""
    rules: str = "brainjar"


SCAFFOLDS = {
    "python": Starter("Python", "bot.py"),
    "javascript": Starter("JavaScript", "bot.js"),
    "typescript": Starter("TypeScript", "bot.ts", "tsc --strict --target es2020 bot.ts"),
    "bash": Starter("Bash", "bot.sh"),
    "perl": Starter("Perl", "bot.pl"),
    "c": Starter("C", "bot.c", "cc -O2 -Wall -Wextra -o bot bot.c"),
    "go": Starter("Go", "bot.go", 'go build -trimpath -ldflags "-s -w" -o bot bot.go'),
    "rust": Starter("Rust", "bot.rs", "rustc -O -C strip=symbols -o bot bot.rs"),
    "java": Starter("Java", "Bot.java", "javac -XDstringConcat=inline Bot.java"),
    "ruby": Starter("Ruby", "bot.rb"),
    "lua": Starter("Lua", "bot.lua"),
    "broadsides-ruby": Starter("Ruby", "bot.rb", rules="broadsides"),
    "contest-python": Starter("Python", "bot.py", rules="contest"),
    "contest-c": Starter("C", "bot.c", "cc -O2 -Wall -Wextra -o bot bot.c", rules="contest"),
    "open-python": Starter("Python", "bot.py"),
}


@dataclass(frozen=True, slots=True)
class Made:
    """A bot that has been made: its files by name, and why it is not built, if it is not."""

    folder: Path
    files: tuple[str, ...]
    unbuilt: str | None


def make(template: str, folder: Path) -> Made:
    """Make the bot of that template in that folder, which must be new, or empty.

    Raises `UsageError` if it must not be made there, and `JudgeFault` if it cannot be; then nothing
    is changed.
    """
    starter = SCAFFOLDS[template]
    path = _checked(folder)
    _check_name(template, path.name)
    with _working_on(folder, path) as work:
        _write(TEMPLATES / template, work, starter, path.name)
        unbuilt = _build(starter.build, work) if starter.build else None
        files = tuple(sorted(path.name for path in work.iterdir()))
        _put(work, path)
    return Made(folder, files, unbuilt)


def _checked(folder: Path) -> Path:
    """The place of a new bot: its absolute path."""
    shown = quoted(folder)
    try:
        path = folder.expanduser().absolute()
        if is_there := os.path.lexists(path):
            path = path.resolve()
        if is_there and not (path.is_dir() and not any(path.iterdir())):
            raise UsageError(
                f"{shown} is there already, and not an empty folder; name a folder that is not there yet"
            )
        if not path.parent.is_dir():
            parent = quoted(path.parent if folder.is_absolute() else folder.parent)
            raise UsageError(f"{shown} cannot be made: {parent} is not a folder; make that first")
    except OSError as error:
        raise JudgeFault(f"{shown} cannot be made: {error.strerror}") from None
    except (ValueError, RuntimeError) as error:
        raise UsageError(f"{shown} cannot be made: {error}") from None
    return path


_ODD = re.compile(r"\W", re.ASCII)  # what a name in a narrow protocol may not hold


def _check_name(template: str, name: str) -> None:
    """The bot is called as its folder is, and what it speaks must be able to tell that name."""
    wire = WIRES[VARIANTS[SCAFFOLDS[template].rules].wire]
    if reason := wire.unsayable(name):
        fit = _ODD.sub("_", name)
        raise UsageError(
            f"a {template} bot cannot be called {quoted(name)}: it speaks {wire.name}, where "
            f"{reason}; name another folder, such as {fit}"
        )


@contextlib.contextmanager
def _working_on(folder: Path, path: Path) -> Iterator[Path]:
    """A folder in which to make what is to be put there, gone at the end."""
    try:
        # On the same file system, so that what is made can be renamed into its place.
        beside = tempfile.mkdtemp(prefix=".judge-new-", dir=path.parent)
        try:
            work = Path(beside, "bot")
            work.mkdir()  # with the usual modes of the user's folders
            yield work
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise UsageError(f"{quoted(folder)} is there already, as of just now") from None
        raise JudgeFault(f"{quoted(folder)} cannot be made: {error.strerror}") from None


def _write(template: Path, work: Path, starter: Starter, name: str) -> None:
    for path in template.iterdir():
        if path.is_file():
            shutil.copyfile(path, work / path.name)
    build = f"After a change, build it: `{starter.build}`." if starter.build else _NO_BUILD
    own = template / README
    text = (own if own.is_file() else TEMPLATES / README).read_text(encoding="utf-8")
    filled = Template(text).substitute(
        name=" ".join(name.split()), language=starter.language, source=starter.source, build=build
    )
    (work / README).write_text(filled, encoding="utf-8")


_NO_BUILD = "There is nothing to build: a change holds from its next start on."


def _build(command: str, work: Path) -> str | None:
    """Why the bot could not be built, if so."""
    program, *arguments = shlex.split(command)
    found = on_path(program)
    if found is None:
        return f"there is no {program} on PATH"
    try:
        building = subprocess.Popen(
            [found, *arguments],
            cwd=work,
            # Its own files, too, are gone at the end, however that comes.
            env={**os.environ, "TMPDIR": str(work.parent)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
    except OSError as error:
        return f"{program} could not be started: {error.strerror}"
    with building:
        try:
            out, err = apart(partial(building.communicate, timeout=BUILD_SECONDS))
        except subprocess.TimeoutExpired:
            return f"{program} did not end within {BUILD_SECONDS} s"
        finally:
            building.kill()
    if building.returncode == 0:
        return None
    said = next(iter((err or out).strip().splitlines()), "nothing")
    return f"{program} failed, and said: {said}"


def _put(work: Path, place: Path) -> None:
    """Move the made bot to its place; where that is an empty folder, its files into that."""
    if not place.is_dir():
        work.rename(place)
        return
    if any(place.iterdir()):
        raise OSError(errno.ENOTEMPTY, "it is not empty any more")
    # The manifest last: with it the folder is a bot.
    for path in sorted(work.iterdir(), key=lambda path: path.suffix == ".json"):
        path.rename(place / path.name)
