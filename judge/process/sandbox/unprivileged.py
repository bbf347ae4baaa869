"""The user nobody: bots run as this user if root runs the judge.

Under bwrap, bots run as nobody wherever they lie (`judge.process.sandbox.fork_server`). At the
level limits, the user nobody must be able to reach a bot's files and interpreters.
"""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from judge.process.bots.bot import Bot
from judge.process.bots.files import quoted
from judge.process.bots.interpreters import PYTHON, language_of
from judge.process.bots.tree import IGNORED

NOBODY = 65534  # the number of the user and of its group


def setpriv(program: str) -> tuple[str, ...]:
    """The command before a bot's own that changes the user to nobody, for good."""
    return (
        program,
        f"--reuid={NOBODY}",
        f"--regid={NOBODY}",
        "--clear-groups",
        "--inh-caps=-all",
        "--bounding-set=-all",
        "--no-new-privs",
        "--",
    )


def closed_to_nobody(bots: tuple[Bot, ...], become: tuple[str, ...]) -> str | None:
    """Why these bots cannot run as nobody: a folder or program that the judge's user chose is
    closed to the user nobody, with a mend. None if the bots can. ``become`` is the command of
    `setpriv`.

    The folders of the bots' PATH count too: if one is closed, a name could mean another program.
    Programs that a bot's own files name do not count.
    """
    where = _first_closed(tuple(_users_own(bots)), become)
    if not where:
        return None
    return f"the user nobody cannot reach {quoted(where)}; {_instead_of_opening(where, bots)}"


def _instead_of_opening(where: str, bots: Iterable[Bot]) -> str:
    """A mend that does not open a closed folder, which may be a home folder."""
    folders = [bot.path.split(os.pathsep) for bot in bots]
    if any(python in (where, str(Path(where).parent)) for python, *_ in folders):
        return "name a Python that all users may execute by --python"
    if any(where in others for _, *others in folders):
        return "take that folder off PATH"
    return "keep bots and their programs where all users may go, below /srv for example"


def refusal(bot: Bot, become: tuple[str, ...]) -> str | None:
    """Why a bot's own files keep it from running as nobody, with a mend, or None if they do not.

    The bot's author chose these permissions, so they are not a reason to run bots as root.
    """
    said = f"{bot.name} runs as the user nobody, who may not"
    if path := next(_unreadable(bot), None):
        return f"{said} read {quoted(path)}; chmod -R o+rX on the bot lets that user"
    if program := _first_closed((bot.command[0], *bot.interpreters), become):
        return f"{said} execute {quoted(program)}; name a program that every user may execute"
    return None


@cache
def _first_closed(paths: tuple[str, ...], become: tuple[str, ...]) -> str:
    """The first of these folders and programs that the user nobody may not enter or execute; empty
    if that user may use all."""
    tried = subprocess.run(
        [*become, "/bin/sh", "-c", _FIRST_CLOSED, "sh", *dict.fromkeys(paths)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return os.fsdecode(tried.stdout)


_FIRST_CLOSED = 'for one; do test -x "$one" || { printf %s "$one"; exit; }; done'


def _users_own(bots: Iterable[Bot]) -> Iterator[str]:
    """Yield the folders and programs that the judge's user chose and that a bot's user must be able
    to enter or execute."""
    for bot in bots:
        yield from (folder for folder in bot.path.split(os.pathsep) if Path(folder).is_dir())
        yield from (str(file.parent) for file in bot.files)
        yield from bot.typed
        yield from (program for program in bot.interpreters if _is_chosen_python(program, bot))


def _is_chosen_python(program: str, bot: Bot) -> bool:
    """Whether a program is the judge's own Python or that of ``--python``: its folder is the first
    of the bot's PATH."""
    first, *_ = bot.path.split(os.pathsep)
    return str(Path(program).parent) == first and language_of(program) == PYTHON.language


def _unreadable(bot: Bot) -> Iterator[str]:
    """Yield the bot's own files and folders that not all users may read."""
    for file in bot.files:
        for path in (file, *_inside(file)):
            mode = path.lstat().st_mode
            wanted = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(mode) else 0)
            if mode & wanted != wanted:
                yield str(path)


def _inside(folder: Path) -> Iterator[Path]:
    """Yield all files and folders in a bot's folder, without ignored ones; nothing for a single
    file."""
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in IGNORED]
        yield from (Path(place, name) for name in (*folders, *names) if name not in IGNORED)
