"""Reads a bot's files for the copies that its games get.

The files are read once for each of the bot's fork servers, in the same way as for the digest
(`judge.process.bots.contents.parts`). `judge.process.sandbox.game_copy` makes the copies.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from judge.errors import LaunchFault, UsageError
from judge.process.bots.bot import MOST_BYTES, Bot
from judge.process.bots.contents import ContentPart, parts

_PAGE = 4096

Entry = tuple[bytes, str, int | bytes]


@dataclass(frozen=True, slots=True)
class Copied:
    """The files of a bot. ``places`` are as in `judge.process.sandbox.game_copy`, and ``content``
    are the bytes of all files."""

    places: tuple[tuple[bytes, tuple[Entry, ...]], ...]
    content: bytes

    @property
    def memory(self) -> int:
        """The bytes of memory that a copy takes: whole pages, and a page more for each entry."""
        entries = [entry for _, entries in self.places for entry in entries]
        sizes = (value for _, _, value in entries if isinstance(value, int))
        return sum(-(-size // _PAGE) * _PAGE for size in sizes) + _PAGE * (len(entries) + 1)


def copied(bot: Bot) -> Copied:
    """Read a bot's files as they are now. Raises `LaunchFault` if the files cannot be read."""
    places = []
    content = []
    most = max(bot.size, MOST_BYTES)
    try:
        for path in bot.files:
            whole = path.is_dir()
            read = list(parts((path,), bot.folder, shown=bot.name, most_bytes=most))
            entries = _in_folders(read) if whole else (_entry(part, "") for part in read)
            places.append((os.fsencode(path), tuple(entries)))
            content += [part.data for part in read if not part.is_link]
    except UsageError as error:
        raise LaunchFault(str(error)) from error
    return Copied(tuple(places), b"".join(content))


def _in_folders(read: Iterable[ContentPart]) -> Iterator[Entry]:
    """Yield the entries of files, each after the folders in which it lies."""
    yield b"", "folder", 0
    made = {PurePosixPath()}
    for part in read:
        for folder in reversed(PurePosixPath(part.name).parents):
            if folder not in made:
                made.add(folder)
                yield os.fsencode(folder), "folder", 0
        yield _entry(part, part.name)


def _entry(part: ContentPart, name: str) -> Entry:
    if part.is_link:
        return os.fsencode(name), "link", part.data
    return os.fsencode(name), "executable" if part.is_executable else "file", len(part.data)
