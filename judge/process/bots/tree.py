"""A bot's folder as a tree of files, folders, and links that stay inside.

The kernel follows no link here. Folders are opened one below the other without following links, and
the target of a link is worked out from its text. The target must lie in the folder, and the way to
it must have no other link. So nothing outside of the folder is read, even if somebody swaps a file
for a link meanwhile.
"""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from judge.errors import UsageError
from judge.process.bots.files import opened, quoted, reading
from judge.process.bots.stamps import stamp_of

# Files that tools leave behind; they do not change a bot's digest.
IGNORED = frozenset({"__pycache__", ".git", ".hg", ".svn", ".bzr", ".jj"})

MOST_FILES = 10_000  # files and folders of one bot
MOST_DEPTH = 64  # levels of folders; each takes a file descriptor while it is walked
LONGEST_NAME = 1024  # bytes of a path in the folder; the kernel takes 4,096 of a whole path
MOST_NAME_BYTES = 2**20  # bytes of all such paths and of link targets together

_KINDS = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file or a link in a tree, by its name relative to the folder. ``target`` is the text of a
    link, or None for a file. ``stamp`` is as in `judge.process.bots.stamps.FileStamp`."""

    name: str
    mode: int
    size: int
    target: str | None = None
    stamp: tuple[int, ...] = ()


@dataclass(slots=True)
class Tree:
    """The files, links and folders of a folder, by relative names with ``/``, without the `IGNORED`
    ones. ``display_name`` is the folder's name in messages."""

    root: Path
    display_name: str
    entries: dict[str, TreeEntry] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    _name_bytes: int = 0

    @classmethod
    def of(cls, root: Path, shown: str) -> Tree:
        """The tree of the folder ``root``, a path without links.

        Raises `UsageError` if the folder cannot be read, holds too much, or holds anything but
        files, folders, and relative links that stay in it and lead through no other link.
        """
        tree = cls(root, shown)
        with reading(shown):
            tree._walk("", opened(root, ".", os.O_DIRECTORY), 0)
        for entry in tree.entries.values():
            if entry.target is not None:
                tree._led(entry.name, entry.target)
        return tree

    def inside(self, path: str) -> str | None:
        """The name in the folder to which a path leads, with all links resolved. The path is
        relative to the folder, or absolute and in it. Nothing need exist at that name. None if the
        path leads out of the folder at any step."""
        if path.startswith("/"):
            absolute = Path(path)
            if not absolute.is_relative_to(self.root):
                return None
            path = str(absolute.relative_to(self.root))
        at = ""
        with contextlib.suppress(UsageError):
            for part in path.split("/"):
                at = self._below(at, part)
                if (entry := self.entries.get(at)) and entry.target is not None:
                    at = self._led(at, entry.target)
            return at
        return None

    def file(self, path: str) -> Path | None:
        """The regular file to which a path leads, as a path without links, or None if there is no
        such file in the folder."""
        name = self.inside(path)
        return self.root / name if name is not None and name in self.entries else None

    def _walk(self, prefix: str, folder: int, depth: int) -> None:
        """Read the folder with this descriptor into the tree, and close the descriptor."""
        try:
            with os.scandir(folder) as listing:
                for entry in listing:
                    self._take(prefix, folder, entry, depth)
        finally:
            os.close(folder)

    def _take(self, prefix: str, folder: int, found: os.DirEntry[str], depth: int) -> None:
        name = prefix + found.name
        status = found.stat(follow_symlinks=False)
        kind = stat.S_IFMT(status.st_mode)
        if kind not in (stat.S_IFDIR, stat.S_IFREG, stat.S_IFLNK):
            raise UsageError(
                f"{self.display_name} holds {quoted(name)}, which is {_KINDS.get(kind, 'no file')}; "
                "a bot is made of files and folders: take it out"
            )
        if found.name in IGNORED:
            # bwrap covers ignored folders by empty ones, which it cannot do with a link.
            if kind == stat.S_IFLNK:
                raise UsageError(
                    f"{self.display_name} holds {quoted(name)}, which is a link; what is called so is "
                    "no part of a bot, and may be a folder or a file: take it out"
                )
            return
        if len(self.entries) + len(self.folders) == MOST_FILES:
            raise UsageError(
                f"{self.display_name} holds more than {MOST_FILES:,} files and folders; "
                "give the bot a folder of its own, with no more in it than it needs"
            )
        self._take_name(name)
        if kind == stat.S_IFDIR:
            if depth == MOST_DEPTH:
                raise UsageError(
                    f"{self.display_name} holds folders more than {MOST_DEPTH} deep; make it flatter"
                )
            self.folders.add(name)
            within = opened(self.root, found.name, os.O_DIRECTORY, at=folder, whole=name)
            self._walk(f"{name}/", within, depth + 1)
        elif kind == stat.S_IFLNK:
            target = os.readlink(found.name, dir_fd=folder)
            size = len(os.fsencode(target))
            self._count(size)
            self.entries[name] = TreeEntry(name, status.st_mode, size, target, stamp_of(status))
        else:
            self.entries[name] = TreeEntry(
                name, status.st_mode, status.st_size, stamp=stamp_of(status)
            )

    def _take_name(self, name: str) -> None:
        length = len(os.fsencode(name))
        if length > LONGEST_NAME:
            raise UsageError(
                f"{self.display_name} holds a path of {length:,} bytes, {quoted(name)}; "
                f"shorten its names to {LONGEST_NAME:,} bytes in all"
            )
        self._count(length)

    def _count(self, name_bytes: int) -> None:
        self._name_bytes += name_bytes
        if self._name_bytes > MOST_NAME_BYTES:
            raise UsageError(
                f"{self.display_name} holds files and folders whose paths have more than "
                f"{MOST_NAME_BYTES:,} bytes together; shorten their names, or take some out"
            )

    def _led(self, name: str, target: str) -> str:
        """The name in the folder to which a link leads. Raises `UsageError` if the target is
        absolute, lies outside, or leads through another link."""
        said = f"{self.display_name} holds a link, {quoted(name)} to {quoted(target)}, that"
        mend = "put the file itself in its place"
        if target.startswith("/"):
            raise UsageError(f"{said} is an absolute path; {mend}")
        at = name.rpartition("/")[0]
        for part in target.split("/"):
            try:
                at = self._below(at, part)
            except UsageError:
                raise UsageError(f"{said} leads out of the folder; {mend}") from None
            if (entry := self.entries.get(at)) and entry.target is not None:
                raise UsageError(f"{said} leads through another link; {mend}")
        return at

    def _below(self, at: str, part: str) -> str:
        """The name that a ``part`` of a path leads to from the name ``at``. Raises `UsageError` if
        that is outside."""
        if part in ("", "."):
            return at
        if part != "..":
            return f"{at}/{part}" if at else part
        if not at:
            raise UsageError(f"a path leads out of {self.display_name}")
        return at.rpartition("/")[0]
