"""Mounts the bot's files as one game finds them: a copy in memory that no other game sees.

This runs inside, as `judge.process.sandbox.fork_server` does. Whatever can be left in a file
without writing to it, as locks, marks, or its being in memory at all, belongs to that copy and ends
with it. The fork server reads none of the bytes: the kernel copies them from a file in memory,
which the judge has filled (`judge.process.sandbox.copied_files`).
"""

from __future__ import annotations

import os

from judge.process.sandbox.kernel import hide, mount_memory, show_there, shut
from judge.process.sandbox.own_folder import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    # A name in bytes, below the place and empty for that itself; whether it is a folder, a file,
    # an executable one or a link; and the bytes of a file, or the target of a link.
    Entry = tuple[bytes, str, int | bytes]
    Place = tuple[bytes, Sequence[Entry]]

STAGE = "/.copy"  # bubblewrap makes it; it is empty between two games

_TIME = 946684800  # the time of all files, in seconds


class Copy:
    """The bot's files at their places, made anew for each game."""

    def __init__(self, places: Sequence[Place], content: int, most_bytes: int) -> None:
        """``content`` is a descriptor of all files' bytes, one after another in that order."""
        self.places = places
        self.content = content
        self.most_bytes = most_bytes

    def put(self) -> None:
        """Put a new copy at the places, of this process's namespace and those made of it."""
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
        """Have the places be as before; nobody may be using the copy any more."""
        for place, _ in reversed(self.places):
            hide(place)

    def _fill(self, root: bytes, entries: Sequence[Entry], offset: int) -> int:
        """Make files and folders, outer ones first; returns where the next file's bytes begin."""
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
