"""Makes a bot to start from: a folder with a working bot in a chosen language.

The templates lie in `judge/templates`, a folder each. The README there is for templates without a
README of their own. A new bot is made in a hidden folder beside its place, built if needed, and
then moved there. A place where files lie already is refused.
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
    """A template: its language, the name of its source file, and the command that builds it, if
    any. ``rules`` is the variant that it plays; it may play others as well. ``games`` are played
    within half a minute on two idle processors, the start of a move included."""

    language: str
    source: str
    build: str = ""
    rules: str = "brainjar"
    games: int = 20


SCAFFOLDS = {
    "python": Starter("Python", "bot.py"),
    "javascript": Starter("JavaScript", "bot.js", games=12),
    "typescript": Starter("TypeScript", "bot.ts", "tsc --strict --target es2020 bot.ts", games=12),
    "bash": Starter("Bash", "bot.sh"),
    "perl": Starter("Perl", "bot.pl"),
    "c": Starter("C", "bot.c", "cc -O2 -Wall -Wextra -o bot bot.c"),
    "go": Starter("Go", "bot.go", 'go build -trimpath -ldflags "-s -w" -o bot bot.go'),
    "rust": Starter("Rust", "bot.rs", "rustc -O -C strip=symbols -o bot bot.rs"),
    "java": Starter("Java", "Bot.java", "javac -XDstringConcat=inline Bot.java", games=12),
    "ruby": Starter("Ruby", "bot.rb"),
    "lua": Starter("Lua", "bot.lua"),
    "broadsides-ruby": Starter("Ruby", "bot.rb", rules="broadsides"),
    "contest-python": Starter("Python", "bot.py", rules="contest"),
    "contest-c": Starter("C", "bot.c", "cc -O2 -Wall -Wextra -o bot bot.c", rules="contest"),
    "open-python": Starter("Python", "bot.py"),
}


@dataclass(frozen=True, slots=True)
class Made:
    """A new bot: its folder, the names of its files, and why its build failed, or None."""

    folder: Path
    files: tuple[str, ...]
    unbuilt: str | None


def make(template: str, folder: Path) -> Made:
    """Make a bot from a template in a folder, which must be new or empty.

    Raises `UsageError` if the folder or the name is not allowed. Raises `JudgeFault` if the bot
    cannot be made. Nothing is changed then.
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
    """The absolute path of a new bot's folder. Raises `UsageError` if no bot can be made there, as
    when the folder is not empty or its parent is missing. Raises `JudgeFault` for an error of the
    file system."""
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


_ODD = re.compile(r"\W", re.ASCII)  # what a strict protocol does not allow in a name


def _check_name(template: str, name: str) -> None:
    """Raise `UsageError` if the bot's protocol cannot express the name, which is that of its
    folder."""
    wire = WIRES[VARIANTS[SCAFFOLDS[template].rules].wire]
    if reason := wire.unsayable(name):
        fit = _ODD.sub("_", name)
        raise UsageError(
            f"a {template} bot cannot be called {quoted(name)}: it speaks {wire.name}, where "
            f"{reason}; name another folder, such as {fit}"
        )


@contextlib.contextmanager
def _working_on(folder: Path, path: Path) -> Iterator[Path]:
    """A ``with`` block with a temporary folder beside the bot's place, in which the bot is made."""
    try:
        # On the same file system, so that the bot can be renamed into its place.
        beside = tempfile.mkdtemp(prefix=".judge-new-", dir=path.parent)
        try:
            work = Path(beside, "bot")
            work.mkdir()  # with the user's usual permissions
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
    make = "`make`, or " if (template / "Makefile").is_file() else ""
    build = f"After a change, build it: {make}`{starter.build}`." if starter.build else _NO_BUILD
    own = template / README
    text = (own if own.is_file() else TEMPLATES / README).read_text(encoding="utf-8")
    filled = Template(text).substitute(
        name=" ".join(name.split()), language=starter.language, source=starter.source, build=build
    )
    (work / README).write_text(filled, encoding="utf-8")


_NO_BUILD = "There is nothing to build: a change holds from its next start on."


def _build(command: str, work: Path) -> str | None:
    """Build a bot, and return why that failed, or None."""
    program, *arguments = shlex.split(command)
    found = on_path(program)
    if found is None:
        return f"there is no {program} on PATH"
    try:
        building = subprocess.Popen(
            [found, *arguments],
            cwd=work,
            # The compiler's temporary files are removed at the end too.
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
    """Move the new bot to its place, or its files into the empty folder that is there."""
    if not place.is_dir():
        work.rename(place)
        return
    if any(place.iterdir()):
        raise OSError(errno.ENOTEMPTY, "it is not empty any more")
    # The manifest comes last: it makes the folder a bot.
    for path in sorted(work.iterdir(), key=lambda path: path.suffix == ".json"):
        path.rename(place / path.name)
