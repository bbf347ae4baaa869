"""Side effects of a bot's moves: files that its next move could find.

The bot's own files are compared by a digest. Other programs write into the other folders, too, so a
change there counts only if every round of moves makes it and no pause between rounds does. One
pause follows each of the first `ROUNDS` rounds. A random number of pauses follows each later round,
so a program that writes regularly cannot pass for the bot.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

from judge.errors import UsageError
from judge.process.bots.bot import Bot
from judge.process.bots.contents import contents
from judge.process.run.listening import Stop
from judge.process.run.scratch import of_this_run

ROUNDS = 3  # rounds of moves with one pause each
MORE_ROUNDS = 12  # further rounds before a bot is blamed
MOST_PAUSES = 4  # pauses after each further round
LEAST_PAUSE_SECONDS = 0.1
MOST_ENTRIES = 20_000
DEPTH = 2  # levels of folders that are inspected below a place

_State = dict[str, tuple[int, ...]]


def of_files(bot: Bot) -> str:
    """A digest of the bot's files, or the reason why they are not a bot any more."""
    try:
        return contents(bot.files, bot.folder, shown=bot.name, most_bytes=2**62).digest
    except UsageError as error:
        return str(error)


def places(bot: Bot) -> tuple[str, ...]:
    """The folders in which a bot could leave files: the folders for temporary files, the user's
    home, and the bot's own folder unless the whole folder counts as the bot's files."""
    home = pwd.getpwuid(os.getuid()).pw_dir
    usual = ["/tmp", "/var/tmp", "/dev/shm", tempfile.gettempdir(), home]  # noqa: S108 - looked at
    if bot.files != (bot.folder,):
        usual.append(str(bot.folder))
    real = (str(Path(place).resolve()) for place in usual if Path(place).is_dir())
    return tuple(dict.fromkeys(real))


def left_by(
    move: Callable[[], float], where: Sequence[str], rng: Random, stop: Stop
) -> tuple[str, ...]:
    """The paths that every round of moves writes and no pause does. If a folder gets a file with a
    new name in each round, the file of the first round stands for all of them.

    ``move`` has the bot make a round of moves and returns the seconds that they took. ``where``
    lists folders. Raises `Interrupted` once ``stop`` is set.
    """
    suspects: dict[str, str] | None = None
    state = _seen(where)
    for number in range(ROUNDS + MORE_ROUNDS):
        seconds = move()
        state, changed = _next(state, where)
        for _ in range(1 if number < ROUNDS else rng.randint(1, MOST_PAUSES)):
            stop.wait(max(LEAST_PAUSE_SECONDS, seconds))
            state, by_others = _next(state, where)
            changed = {what: path for what, path in changed.items() if what not in by_others}
        if suspects is None:
            suspects = changed
        suspects = {what: path for what, path in suspects.items() if what in changed}
        if not suspects:
            break
    return tuple(sorted(suspects.values())) if suspects else ()


def _next(before: _State, where: Iterable[str]) -> tuple[_State, dict[str, str]]:
    """The present state, and the paths changed since ``before``. A new or changed path maps to
    itself. A folder with new entries, its path ending in ``/``, maps to one of these entries."""
    after = _seen(where)
    changed = {path: path for path, status in after.items() if before.get(path) != status}
    news = {f"{Path(path).parent}/": path for path in changed if path not in before}
    return after, {**changed, **news}


def _seen(where: Iterable[str]) -> _State:
    state: _State = {}
    for place in where:
        state.update(_walked(place))
    return state


def _walked(place: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The path of each of this user's files and folders in a place, with numbers that change when a
    file is written or a folder is replaced. Files more than `DEPTH` folders below the place are
    left out, and no further folder is listed after `MOST_ENTRIES` entries."""
    folders = [(place, 0)]
    own = str(Path(of_this_run()).resolve())
    count = 0
    while folders and count < MOST_ENTRIES:
        folder, depth = folders.pop()
        # A file that goes away meanwhile, or may not be looked at, is not a trace of the bot.
        with contextlib.suppress(OSError), os.scandir(folder) as listing:
            for entry in listing:
                count += 1
                with contextlib.suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    if status.st_uid != os.getuid() or entry.path == own:
                        continue
                    if not entry.is_dir(follow_symlinks=False):
                        yield entry.path, (status.st_ino, status.st_size, status.st_mtime_ns)
                        continue
                    yield entry.path, (status.st_ino,)  # a folder's times change with its entries
                    if depth < DEPTH:
                        folders.append((entry.path, depth + 1))
