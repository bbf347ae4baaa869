"""The mounts of a held bot: what of the file system it may read, as arguments of bubblewrap.

The system, the interpreters that bots are written for, and the bot itself; each under the very
path that it has outside, so that a bot runs inside as it does outside. Symbolic links on the way
to them are made anew, so nothing is shown for being passed through. No path is taken from what a
bot's files hold: neither from a word of its manifest or a #! line, nor from what lies beside its
program.
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

# Of the system's configuration, what programs do not start without; each costs a tenth of a
# millisecond a game.
CONFIGURATION = (
    *("alternatives", "ld.so.cache", "localtime", "java", "java-*", "php", "php.*"),
    # Of R and Mono no more: an organiser may have keys in Renviron.site or machine.config.
    *("R/Renviron", "R/ldpaths", "mono/config"),
)

# What an interpreter outside of the system may need of the folder that it is installed in.
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

MOST_LINKS = 40  # on the way to a file; more than the kernel follows


def arguments(bot: Bot, started_in: Path) -> tuple[str, ...]:
    """Everything that the bot may read, and places for its own files.

    Hidden in that is the judge's own package, with the bundled bots, who are opponents; and where
    all this happens below /usr, as in many a container, what lies beside the bot and where the
    judge was ``started_in``, as a ledger does.
    """
    around, shown = _around((*bot.interpreters, *bot.typed), bot.path)
    places = [path for path in (bot.folder.parent, started_in) if not _is_the_systems(path)]
    hiding, closing = shown.hiding([_JUDGES_OWN, *places])
    return (*around, *hiding, *_own(bot), *closing)


@cache
def _around(named: tuple[str, ...], path: str) -> tuple[tuple[str, ...], Mounts]:
    """All but the bot itself, for all its games, because it takes milliseconds to look."""
    shown = Mounts()
    shown.add_system()
    # The judge's own interpreter too, since it runs the fork server.
    programs = [os.path.realpath(sys.executable), *named, *_interpreters(path)]
    for program in dict.fromkeys(programs):
        shown.add_interpreter(Path(program))
    return tuple(shown.arguments()), shown


class Mounts:
    """Paths that are to be seen, where they really are, and the links that lead to them."""

    def __init__(self) -> None:
        self._shown: dict[Path, None] = {}
        self._links: dict[Path, str] = {}

    def add(self, path: Path) -> None:
        """Show what is there, if anything is, with all that is in it."""
        real = self.add_way_to(path)
        if real.exists():
            self._shown[real] = None

    def add_way_to(self, path: Path) -> Path:
        """Show the links on the way to a path, and return where they lead."""
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
        """Show a program, and what is installed with it; of a venv, its libraries too.

        A prefix shows only what is in it, or the system's: a link in it shows nothing else.
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
                continue  # a user's own program, whose lib and conf may hold anything
            for path in (prefix / name for name in OF_A_PREFIX):
                if _covered(_way(path)[1], (prefix, *map(Path, SYSTEM))):
                    self.add(path)

    def covers(self, path: Path) -> bool:
        return _covered(path, self._shown)

    def within(self, place: Path) -> Iterator[str]:
        """The places that are shown in a folder that is itself hidden, a venv above all."""
        for path in sorted(self._shown):
            if path.is_relative_to(place):
                yield from (*_folders(*path.parents), "--ro-bind", str(path), str(path))

    def hiding(self, places: Iterable[Path]) -> tuple[list[str], list[str]]:
        """The mounts that hide those of these places that are shown, and those that shut them at
        the end."""
        # Outer ones first: the judge may be installed in a venv that is shown again in one of them.
        hidden = sorted(path for path in {*places} if self.covers(path))
        return (
            [word for path in hidden for word in ("--tmpfs", str(path), *self.within(path))],
            [word for path in hidden for word in ("--remount-ro", str(path))],
        )

    def arguments(self) -> Iterator[str]:
        """Outer folders before inner ones."""
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
    """Whether programs may need what lies there."""
    if not path.is_relative_to("/usr"):
        return True
    parts = [part for part in path.relative_to("/usr").parts if part != "local"]
    return not parts or parts[0] in PROGRAMS


def _own(bot: Bot) -> Iterator[str]:
    """Places for the bot itself: its folder, or its single files in an otherwise empty folder.

    The folder there is not shown: each game gets a copy (`judge.process.sandbox.game_copy`).
    """
    if bot.folder not in bot.files:
        yield from _folders(bot.folder, *bot.folder.parents)
    for path in bot.files:
        if path.is_dir():
            yield from _folders(path, *path.parents)
        else:
            yield from (*_folders(*path.parents), "--ro-bind", os.devnull, str(path))


def _folders(*paths: Path) -> Iterator[str]:
    """Folders that all may enter, outer ones first, if they are missing; bubblewrap makes those on
    the way to something so that only their owner may.
    """
    for path in sorted({*paths} - {Path("/")}):
        yield from ("--perms", "0755", "--dir", str(path))


def _interpreters(path: str) -> Iterator[str]:
    """Those that a bot's script may call by name, every one of --python's folder among them; not a
    version manager's, which are scripts."""
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
    """The symbolic links that are followed to a path, with their targets, and the real path."""
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
