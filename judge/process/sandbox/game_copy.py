"""Mounts a copy of the bot's files in memory for one game; no other game sees the copy.

This file runs inside of the sandbox, like `judge.process.sandbox.fork_server`. Locks, marks, and
the caching of a file could carry messages from game to game; in a copy they end with the game. The
fork server reads none of the bytes: the kernel copies them from a file in memory, which the judge
has filled (`judge.process.sandbox.plan.copied`).
"""

from __future__ import annotations

import os

from judge.process.sandbox.kernel import hide, mount_memory, show_there, shut
from judge.process.sandbox.own_folder import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    # A name in bytes below the place, or empty for the place itself; the kind ("folder", "file",
    # "executable" or "link"); and the number of a file's bytes, or a link's target.
    Entry = tuple[bytes, str, int | bytes]
    Place = tuple[bytes, Sequence[Entry]]

STAGE = "/.copy"  # made by bubblewrap, and empty between two games

_TIME = 946684800  # the time stamp of all files, in seconds


class Copy:
    """The copies of the bot's files, made anew for each game."""

    def __init__(self, places: Sequence[Place], content: int, most_bytes: int) -> None:
        """``content`` is a descriptor of the bytes of all files, in the order of ``places``."""
        self.places = places
        self.content = content
        self.most_bytes = most_bytes

    def put(self) -> None:
        """Mount a new copy at the places, in this process's namespace and in those made from it."""
        if not self.places:
            return
        mount_memory(STAGE, self.most_bytes, sum(len(inner) for _, inner in self.places) + 1)
        offset = 0
        for number, (_, entries) in enumerate(self.places):
            offset = self._fill(f"{STAGE}/{number}".encode(), entries, offset)
        shut(STAGE)
        for number, (place, _) in enumerate(self.places):
            show_there(f"{STAGE}/{number}".encode(), place)
        hide(STAGE.encode())

    def take_away(self) -> None:
        """Unmount the copy, which no process may be using any more."""
        for place, _ in reversed(self.places):
            hide(place)

    def _fill(self, root: bytes, entries: Sequence[Entry], offset: int) -> int:
        """Make folders and files, outer ones first. Returns the offset of the next file's bytes."""
        made = []
        for name, kind, value in entries:
            path = root + b"/" + name if name else root
            if isinstance(value, bytes):
                os.symlink(value, path)
                os.utime(path, (_TIME, _TIME), follow_symlinks=False)
            elif kind == "folder":
                os.mkdir(path)
                made.append((path, 0o555))
            else:
                write(path, self.content, value, 0o600, offset)
                offset += value
                made.append((path, 0o555 if kind == "executable" else 0o444))
        for path, mode in reversed(made):
            os.chmod(path, mode)
            os.utime(path, (_TIME, _TIME))
        return offset
