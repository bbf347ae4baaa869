"""A bot's folder as its files are read: nothing but files, folders, and links that stay inside.

No link is followed by the kernel here. Folders are opened one below the other, each without
following a link, and where a link leads is worked out from the texts of the links. So what lies
outside of the folder is neither read nor looked at, whoever swaps a file for a link meanwhile.
"""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from judge.errors import UsageError
from judge.process.bots.files import opened, quoted, reading
from judge.process.bots.look import stamp_of

# What tools leave in a folder of their own accord; a bot is no other bot for it.
IGNORED = frozenset({"__pycache__", ".git", ".hg", ".svn", ".bzr", ".jj"})

MOST_FILES = 10_000  # in one bot's folder, folders included
MOST_DEPTH = 64  # of folders in each other: each is a file descriptor while it is walked
LONGEST_NAME = 1024  # bytes of a path in the folder; the kernel takes 4,096 of a whole path
MOST_NAME_BYTES = 2**20  # of all such paths, and of what links say, together
MOST_LINKS = 40  # on the way to a file; more than the kernel follows

_KINDS = {
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """A file or a link, by its name relative to the folder; ``target`` is a link's text, ``stamp``
    as in `judge.process.bots.look.Look`."""

    name: str
    mode: int
    size: int
    target: str | None = None
    stamp: tuple[int, ...] = ()


@dataclass(slots=True)
class Tree:
    """What a folder holds, by relative names with ``/``; what is `IGNORED` is not in it.

    ``shown`` is what messages call the folder.
    """

    root: Path
    shown: str
    entries: dict[str, Entry] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    _name_bytes: int = 0
    _led: dict[str, tuple[str, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, root: Path, shown: str) -> Tree:
        """The folder at a path without links.

        Raises `UsageError` if it cannot be read, holds too much, or anything but files, folders,
        and relative links that stay in it at each step.
        """
        tree = cls(root, shown)
        with reading(shown):
            tree._walk("", opened(root, ".", os.O_DIRECTORY), 0)
        for entry in tree.entries.values():
            if entry.target is not None:
                tree._lead(entry.name, 0)
        return tree

    def top(self) -> list[str]:
        """What lies in the folder itself, sorted."""
        return sorted(name for name in (*self.entries, *self.folders) if "/" not in name)

    def inside(self, path: str) -> str | None:
        """Where a path that is relative to the folder, or begins with it, leads: a name without
        links, of something that need not be there. None if it leads out at any step.
        """
        if path.startswith("/"):
            absolute = Path(path)
            if not absolute.is_relative_to(self.root):
                return None
            path = str(absolute.relative_to(self.root))
        with contextlib.suppress(_LeadsOut):
            return self._follow("", path, 0)[0]
        return None

    def file(self, path: str) -> Path | None:
        """The regular file that a path leads to, by a path without links; None if it is none."""
        name = self.inside(path)
        return self.root / name if name is not None and name in self.entries else None

    def _walk(self, prefix: str, folder: int, depth: int) -> None:
        """Take in what the folder with that descriptor holds, which is closed then."""
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
                f"{self.shown} holds {quoted(name)}, which is {_KINDS.get(kind, 'no file')}; "
                "a bot is made of files and folders: take it out"
            )
        if found.name in IGNORED:
            # A link cannot be covered by an empty folder, as what is ignored is for a bot.
            if kind == stat.S_IFLNK:
                raise UsageError(
                    f"{self.shown} holds {quoted(name)}, which is a link; what is called so is "
                    "no part of a bot, and may be a folder or a file: take it out"
                )
            return
        if len(self.entries) + len(self.folders) == MOST_FILES:
            raise UsageError(
                f"{self.shown} holds more than {MOST_FILES:,} files and folders; "
                "give the bot a folder of its own, with no more in it than it needs"
            )
        self._take_name(name)
        if kind == stat.S_IFDIR:
            if depth == MOST_DEPTH:
                raise UsageError(
                    f"{self.shown} holds folders more than {MOST_DEPTH} deep; make it flatter"
                )
            self.folders.add(name)
            within = opened(self.root, found.name, os.O_DIRECTORY, at=folder, whole=name)
            self._walk(f"{name}/", within, depth + 1)
        elif kind == stat.S_IFLNK:
            target = os.readlink(found.name, dir_fd=folder)
            size = len(os.fsencode(target))
            self._count(size)
            self.entries[name] = Entry(name, status.st_mode, size, target, stamp_of(status))
        else:
            self.entries[name] = Entry(name, status.st_mode, status.st_size, stamp=stamp_of(status))

    def _take_name(self, name: str) -> None:
        length = len(os.fsencode(name))
        if length > LONGEST_NAME:
            raise UsageError(
                f"{self.shown} holds a path of {length:,} bytes, {quoted(name)}; "
                f"shorten its names to {LONGEST_NAME:,} bytes in all"
            )
        self._count(length)

    def _count(self, name_bytes: int) -> None:
        self._name_bytes += name_bytes
        if self._name_bytes > MOST_NAME_BYTES:
            raise UsageError(
                f"{self.shown} holds files and folders whose paths have more than "
                f"{MOST_NAME_BYTES:,} bytes together; shorten their names, or take some out"
            )

    def _lead(self, name: str, depth: int) -> tuple[str, int]:
        """Where a link leads, and through how many links; raises `UsageError` if out of the folder.

        Each link is worked out once, so the time is that of all their texts together.
        """
        if name in self._led:
            return self._led[name]
        target = self.entries[name].target
        assert target is not None, "a link"
        said = f"{self.shown} holds a link, {quoted(name)} to {quoted(target)}, that"
        if target.startswith("/"):
            raise _LeadsOut(
                f"{said} is an absolute path; make it relative, or put the file in its place"
            )
        try:
            led, count = self._follow(name.rpartition("/")[0], target, depth + 1)
        except _LeadsOut:
            raise _LeadsOut(
                f"{said} leads out of the folder; put what it leads to in its place"
            ) from None
        if count >= MOST_LINKS:
            raise UsageError(f"{said} leads through more than {MOST_LINKS} links; shorten the way")
        self._led[name] = led, count + 1
        return self._led[name]

    def _follow(self, at: str, path: str, depth: int) -> tuple[str, int]:
        """Where a relative path leads from a folder in here, and through how many links."""
        if depth > MOST_LINKS:
            raise UsageError(f"{self.shown} holds links that lead in a circle; take one out")
        count = 0
        missing: list[str] = []  # the parts below the last that is there, not joined one by one
        for part in path.split("/"):
            if part in ("", "."):
                continue
            if part == "..":
                if missing:
                    missing.pop()
                elif at:
                    at = at.rpartition("/")[0]
                else:
                    raise _LeadsOut(f"{quoted(path)} leads out of {self.shown}")
                continue
            inner = None if missing else f"{at}/{part}" if at else part
            entry = self.entries.get(inner) if inner else None
            if inner is None or (entry is None and inner not in self.folders):
                missing.append(part)
                continue
            at = inner
            if entry and entry.target is not None:
                at, more = self._lead(at, depth)
                count += more
        return "/".join((*filter(None, [at]), *missing)), count


class _LeadsOut(UsageError):
    """A path that leaves the folder."""
