"""The files that a bot may read in bubblewrap, as bubblewrap's arguments.

A bot sees the system, the usual interpreters, and itself, each under the same path as outside.
Symbolic links on the way to these are made anew, so that no whole folder on the way is shown. No
path comes from the contents of a bot's files: neither from its manifest, nor from a #! line, nor
from files beside its program.
"""

from __future__ import annotations

import os
import pwd
import shutil
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from judge import schemas
from judge.errors import UsageError
from judge.process.bots.bot import Bot
from judge.process.bots.files import is_executable
from judge.process.bots.interpreters import KINDS, SYSTEM, language_of

# The entries of /etc without which programs do not start. Each costs a tenth of a millisecond a
# game.
CONFIGURATION = (
    *("alternatives", "ld.so.cache", "localtime", "java", "java-*", "php", "php.*"),
    # Only these files of R and Mono: others, such as Renviron.site and machine.config, may hold an
    # organiser's keys.
    *("R/Renviron", "R/ldpaths", "mono/config"),
)

# The entries of an installation folder that an interpreter outside of the system may need.
OF_A_PREFIX = ("bin", "lib", "lib32", "lib64", "libexec", "conf", "jre", "pyvenv.cfg")

# Folders of /usr and /usr/local that hold programs' files and no user's work.
PROGRAMS = {
    "bin",
    "games",
    "include",
    "lib",
    "lib32",
    "lib64",
    "libexec",
    "libx32",
    "sbin",
    "share",
}

_JUDGES_OWN = Path(schemas.__file__).parent

MOST_LINKS = 40  # links on the way to a file; the kernel follows no more


def arguments(bot: Bot, started_in: Path) -> tuple[str, ...]:
    """The arguments that show all that a bot may read, with empty places for the bot's own files.

    The arguments hide the judge's own package, whose bundled bots may be opponents. They also hide
    the folder around the bot and the folder that the judge was ``started_in``, where a ledger may
    lie, if these lie in /usr outside of the folders of `PROGRAMS`.
    """
    around, shown = _around((*bot.interpreters, *bot.typed), bot.path)
    places = [path for path in (bot.folder.parent, started_in) if not _is_the_systems(path)]
    hiding, closing = shown.hiding([_JUDGES_OWN, *places])
    return (*around, *hiding, *_own(bot), *closing)


@cache
def _around(named: tuple[str, ...], path: str) -> tuple[tuple[str, ...], Mounts]:
    """The arguments that do not depend on the bot's own files, cached because the search takes
    milliseconds."""
    shown = Mounts()
    shown.add_system()
    # The judge's own interpreter runs the fork server.
    programs = [os.path.realpath(sys.executable), *named, *_interpreters(path)]
    for program in dict.fromkeys(programs):
        shown.add_interpreter(Path(program))
    return tuple(shown.arguments()), shown


class Mounts:
    """The real paths that are shown, and the links that lead to them."""

    def __init__(self) -> None:
        self._shown: dict[Path, None] = {}
        self._links: dict[Path, str] = {}

    def add(self, path: Path) -> None:
        """Show what is at a path, if anything is, with all that is in it."""
        real = self.add_way_to(path)
        if real.exists():
            self._shown[real] = None

    def add_way_to(self, path: Path) -> Path:
        """Show the links on the way to a path, and return its real path."""
        links, real = _way(path)
        self._links.update(links)
        return real

    def add_system(self) -> None:
        for name in SYSTEM:
            self.add(Path(name))
        for pattern in CONFIGURATION:
            for path in sorted(Path("/etc").glob(pattern)):
                self.add(path)

    def add_interpreter(self, program: Path) -> None:
        """Show a program; if it is an interpreter, also the files installed with it, and the
        libraries of a venv.

        A link in such an installation is shown only if it leads into the installation or the
        system.
        """
        links, real = _way(program)
        self.add(program)
        if not language_of(real.name):
            return
        venvs = [link.parent.parent for link in links]
        prefixes = [prefix for prefix in venvs if (prefix / "pyvenv.cfg").exists()]
        if real.parent.name in ("bin", "sbin"):
            prefixes.append(real.parent.parent)
        for prefix in prefixes:
            if prefix in _homes():
                continue  # in a home folder, lib and conf may hold anything
            for path in (prefix / name for name in OF_A_PREFIX):
                if _covered(_way(path)[1], (prefix, *map(Path, SYSTEM))):
                    self.add(path)

    def covers(self, path: Path) -> bool:
        return _covered(path, self._shown)

    def within(self, place: Path) -> Iterator[str]:
        """Yield the arguments that show paths within a hidden folder again, such as a venv."""
        for path in sorted(self._shown):
            if path.is_relative_to(place):
                yield from (*_folders(*path.parents), "--ro-bind", str(path), str(path))

    def hiding(self, places: Iterable[Path]) -> tuple[list[str], list[str]]:
        """The arguments that hide those of ``places`` that would be shown, and the arguments that
        make them read-only at the end."""
        # Outer folders come first: the judge may be installed in a venv that is shown again inside
        # one of them.
        hidden = sorted(path for path in {*places} if self.covers(path))
        return (
            [word for path in hidden for word in ("--tmpfs", str(path), *self.within(path))],
            [word for path in hidden for word in ("--remount-ro", str(path))],
        )

    def arguments(self) -> Iterator[str]:
        """Yield the arguments for all shown paths and links, outer folders first."""
        done: list[Path] = []
        for path in sorted(self._shown):
            if not _covered(path, done):
                done.append(path)
        links = [link for link in sorted(self._links) if not _covered(link, done)]
        yield from _folders(*(around for path in (*done, *links) for around in path.parents))
        for path in done:
            yield from ("--ro-bind", str(path), str(path))
        for link in links:
            yield from ("--symlink", self._links[link], str(link))


@cache
def _homes() -> frozenset[Path]:
    """The home folders of this machine's users."""
    return frozenset(Path(user.pw_dir) for user in pwd.getpwall()) - {Path("/"), Path("/usr")}


def _is_the_systems(path: Path) -> bool:
    """Whether a path is outside of /usr, or among the program files in /usr."""
    if not path.is_relative_to("/usr"):
        return True
    parts = [part for part in path.relative_to("/usr").parts if part != "local"]
    return not parts or parts[0] in PROGRAMS


def _own(bot: Bot) -> Iterator[str]:
    """Yield the arguments for empty places of the bot itself: its folder, or its single files in an
    otherwise empty folder.

    The real files are not shown, since each game gets a copy (`judge.process.sandbox.game_copy`).
    """
    if bot.folder not in bot.files:
        yield from _folders(bot.folder, *bot.folder.parents)
    for path in bot.files:
        if path.is_dir():
            yield from _folders(path, *path.parents)
        else:
            yield from (*_folders(*path.parents), "--ro-bind", os.devnull, str(path))


def _folders(*paths: Path) -> Iterator[str]:
    """Yield the arguments that make missing folders, outer ones first, which all users may enter.
    The folders that bubblewrap makes by itself are for their owner only."""
    for path in sorted({*paths} - {Path("/")}):
        yield from ("--perms", "0755", "--dir", str(path))


def _interpreters(path: str) -> Iterator[str]:
    """Yield the interpreters that a bot's script may call by name, and all Pythons in the first
    folder of ``path`` if that is not the system's. Scripts of a version manager are left out."""
    own, *_ = map(Path, path.split(os.pathsep))
    pythons = () if _covered(own, map(Path, SYSTEM)) else sorted(own.glob("python*"))
    chosen = (str(one) for one in pythons if language_of(one.name) and is_executable(one))
    names = (*(kind.program for kind in KINDS.values()), "env")
    named = (shutil.which(name, path=path) for name in names)
    for found in (*chosen, *named):
        if found and not _is_script(found):
            yield found


@cache
def _is_script(program: str) -> bool:
    with Path(program).open("rb") as file:
        return file.read(2) == b"#!"


def _covered(path: Path, shown: Iterable[Path]) -> bool:
    return any(path.is_relative_to(one) for one in shown)


def _way(path: Path) -> tuple[dict[Path, str], Path]:
    """The symbolic links on the way to a path, with their targets, and the real path. Raises
    `UsageError` for more than `MOST_LINKS` links."""
    links: dict[Path, str] = {}
    at = Path("/")
    ahead = list(path.absolute().parts[:0:-1])
    followed = 0
    while ahead:
        name = ahead.pop()
        if name == "..":
            at = at.parent
            continue
        at /= name
        if at.is_symlink():
            followed += 1
            if followed > MOST_LINKS:
                raise UsageError(f"{str(path)!r} leads through more than {MOST_LINKS} links")
            target = at.readlink()
            links[at] = str(target)
            at = at.parent
            if target.is_absolute():
                at = Path("/")
            ahead += [part for part in reversed(target.parts) if part != "/"]
    return links, at
