"""Finds and reads the file in which a player that learns keeps data from game to game.

The file lies beside the player's program, with the program's base name and another suffix. In a
game, a copy of it lies in the player's working folder.

Only a player that is a single file may have a data file. The file is a stranger's: the judge opens
it without following a link, and reads it only if it is a regular file, not executable and not too
large.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from judge.errors import UsageError
from judge.process.bots.files import names_in, opened, quoted
from judge.process.bots.interpreters import KINDS

if TYPE_CHECKING:
    from judge.process.bots.bot import Bot

DATA_BYTES = 10 * 2**20

_SUFFIX = re.compile(r"\.[A-Za-z0-9_-]{1,20}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}(\.[A-Za-z0-9_-]{1,20})")


@dataclass(frozen=True)
class Data:
    """The content of a data file, and the file's ``suffix``, such as ``.txt``."""

    suffix: str
    content: bytes

    @cached_property
    def digest(self) -> str:
        """The digest of the data: ``sha256:``, 64 hexadecimal digits and the suffix."""
        return f"sha256:{hashlib.sha256(self.content).hexdigest()}{self.suffix}"


@dataclass(frozen=True, slots=True)
class OwnData:
    """The data beside a player, or the data that it has left in a game. ``data`` is None if there
    is no data file or none that is valid, and ``problem`` then says why. ``dropped`` is the name of
    another file that the player has left."""

    data: Data | None = None
    problem: str = ""
    dropped: str = ""


def stem_of(bot: Bot) -> str | None:
    """The base name of a player's program, or None if the player is not a single file."""
    if not bot.files or bot.files[0] == bot.folder or bot.files[0].parent != bot.folder:
        return None
    return bot.files[0].stem


def is_data_suffix(suffix: str) -> bool:
    """Whether a file with this suffix can be a player's data: it is short and plain, and not that
    of a script."""
    return bool(_SUFFIX.fullmatch(suffix)) and suffix.lower() not in KINDS


def suffix_in(digest: str) -> str | None:
    """The suffix in a digest of data, or None if the text is not such a digest."""
    found = _DIGEST.fullmatch(digest)
    return found[1] if found and is_data_suffix(found[1]) else None


def suffixes(stem: str, program: str, names: Iterable[str]) -> list[str]:
    """The suffixes, sorted, of those files among ``names`` that can be the data of a program."""
    named = (name.removeprefix(stem) for name in names if name.startswith(f"{stem}."))
    return sorted(one for one in named if stem + one != program and is_data_suffix(one))


class DataSuffixes:
    """Finds the files that can be players' data. Each folder is listed only once, since thousands
    of players may lie in it."""

    def __init__(self) -> None:
        # File names by folder, then by base name.
        self._names: dict[Path, defaultdict[str, list[str]]] = {}

    def of(self, bot: Bot) -> list[str]:
        """The suffixes of the possible data files beside a player; empty for a player that is not a
        single file. Raises `UsageError` if the folder cannot be listed."""
        stem = stem_of(bot)
        if stem is None:
            return []
        if bot.folder not in self._names:
            named = self._names[bot.folder] = defaultdict(list)
            for name in names_in(bot.folder, quoted(bot.folder)):
                named[name.rpartition(".")[0]].append(name)
        return suffixes(stem, bot.files[0].name, self._names[bot.folder].get(stem, ()))


def within(bot: Bot) -> str | None:
    """A path in a player's folder that the player needs besides its own file and data, or None. The
    new folder that a game mounts over the player's folder would hide such a path. Returns another
    text if the player's folder is / or /tmp."""
    if bot.folder in (Path("/"), Path("/tmp")):  # noqa: S108 - bwrap shows more in these folders
        return "what every program needs"
    needed = (*bot.interpreters, *bot.typed, *map(str, bot.files[1:]))
    places = (place for one in needed for place in (one, os.path.realpath(one)))
    return next((place for place in places if Path(place).is_relative_to(bot.folder)), None)


def own_data(bots: Iterable[Bot]) -> dict[str, OwnData]:
    """The data beside each of these players, by the players' names."""
    beside = DataSuffixes()
    return {bot.name: _own(bot, beside) for bot in bots}


def _own(bot: Bot, beside: DataSuffixes) -> OwnData:
    stem = stem_of(bot)
    try:
        found = beside.of(bot)
    except UsageError:  # a folder that can be entered may still be unreadable
        return OwnData()
    if stem is None or not found:
        return OwnData()
    if len(found) > 1:
        listing = ", ".join(stem + suffix for suffix in found)
        return OwnData(problem=f"several files could be its data: {listing}")
    return _read(bot.folder, stem, found[0])


def _read(folder: Path, stem: str, suffix: str) -> OwnData:
    name = stem + suffix
    try:
        fd = opened(folder, name)
    except OSError as error:
        kind = "a link" if error.errno == errno.ELOOP else error.strerror
        return OwnData(problem=f"{quoted(name)} cannot be its data: it is {kind}")
    with os.fdopen(fd, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            return OwnData(problem=f"{quoted(name)} cannot be its data: it is not a regular file")
        if status.st_mode & stat.S_IXUSR:
            return OwnData(problem=f"{quoted(name)} cannot be its data: it is a program")
        content = file.read(DATA_BYTES + 1)
    if len(content) > DATA_BYTES:
        return OwnData(problem=f"{quoted(name)} cannot be its data: it has more than 10 MB")
    return OwnData(Data(suffix, content))
