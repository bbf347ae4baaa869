"""What a bot leaves behind of a move, where the next one could find it.

Its own files are compared to the byte. In folders that everybody may write to, others write as
well, so there a trace counts only if it is made anew by every one of several moves, and by nobody
in the pauses between them.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from judge.process.bot import Bot
from judge.process.files import contents
from judge.process.launch import Stop

ROUNDS = 3
LEAST_PAUSE_SECONDS = 0.1
MOST_ENTRIES = 20_000
DEPTH = 2  # of folders below a place that are looked into

_State = dict[str, tuple[int, ...]]


def of_files(bot: Bot) -> str:
    """A digest of the bot's files as they are now; raises `UsageError` if one cannot be read."""
    now = contents(bot.files, bot.folder, shown=bot.name, most_bytes=2**62)
    return now.digest


def places(bot: Bot) -> tuple[str, ...]:
    """The folders in which a bot could leave something, but for one that is itself the bot."""
    home = pwd.getpwuid(os.getuid()).pw_dir
    usual = ["/tmp", "/var/tmp", "/dev/shm", tempfile.gettempdir(), home]  # noqa: S108 - looked at
    if bot.files != (bot.folder,):
        usual.append(str(bot.folder))
    real = (str(Path(place).resolve()) for place in usual if Path(place).is_dir())
    return tuple(dict.fromkeys(real))


def left_by(move: Callable[[], float], bot: Bot, stop: Stop) -> tuple[str, ...]:
    """The paths that change with every move of the bot and never without one.

    ``move`` lets the bot move, and says how many seconds that took. Raises `Interrupted` once
    ``stop`` is set.
    """
    suspects: set[str] | None = None
    where = places(bot)
    before = _seen(where)
    for _ in range(ROUNDS):
        seconds = move()
        after = _seen(where)
        changed = _changed(before, after)
        stop.wait(max(LEAST_PAUSE_SECONDS, seconds))
        before = _seen(where)
        changed -= _changed(after, before)
        suspects = changed if suspects is None else suspects & changed
    return tuple(sorted(suspects or ()))


def _seen(where: Iterable[str]) -> _State:
    state: _State = {}
    for place in where:
        state.update(_walked(place))
    return state


def _changed(before: _State, after: _State) -> set[str]:
    return {path for path, status in after.items() if before.get(path) != status}


def _walked(place: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """This user's files in a place, and what tells that one has been written."""
    folders = [(place, 0)]
    count = 0
    while folders and count < MOST_ENTRIES:
        folder, depth = folders.pop()
        # What goes away meanwhile, or may not be looked at, is nobody's trace.
        with contextlib.suppress(OSError), os.scandir(folder) as listing:
            for entry in listing:
                count += 1
                with contextlib.suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    if status.st_uid != os.getuid() or entry.name.startswith("judge-"):
                        continue  # the last is the scratch folder of this judge or of another
                    if not entry.is_dir(follow_symlinks=False):
                        yield entry.path, (status.st_ino, status.st_size, status.st_mtime_ns)
                    elif depth < DEPTH:
                        folders.append((entry.path, depth + 1))
