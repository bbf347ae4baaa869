"""The user nobody, as whom bots run where root runs the judge.

Under bwrap, bots are nobody wherever they lie (`judge.process.sandbox.fork_server`). Elsewhere
nobody must be able to reach what they are made of and what runs them.
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

NOBODY = 65534  # the user, and its group


def setpriv(program: str) -> tuple[str, ...]:
    """The command that becomes nobody and then the bot, which can become nobody else."""
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
    """The files that these bots need and the user keeps from nobody, and what to do instead of
    opening them, if there is anything; ``become`` is `setpriv`.

    The folders of their PATH too: where one of them is closed, a name would mean another program.
    Only programs that the user chose count, and not those that a bot's files name.
    """
    where = _first_closed(tuple(_users_own(bots)), become)
    if not where:
        return None
    return f"the user nobody cannot reach {quoted(where)}; {_instead_of_opening(where, bots)}"


def _instead_of_opening(where: str, bots: Iterable[Bot]) -> str:
    """The mend that lets no others into what may be a home."""
    folders = [bot.path.split(os.pathsep) for bot in bots]
    if any(python in (where, str(Path(where).parent)) for python, *_ in folders):
        return "name a Python that all users may execute by --python"
    if any(where in others for _, *others in folders):
        return "take that folder off PATH"
    return "keep bots and their programs where all users may go, below /srv for example"


def refusal(bot: Bot, become: tuple[str, ...]) -> str | None:
    """Why nobody cannot be a bot by the bot's own files, if so, and what mends it.

    That is its author's doing, and no reason to run it, or its opponents, as root.
    """
    said = f"{bot.name} runs as the user nobody, who may not"
    if path := next(_unreadable(bot), None):
        return f"{said} read {quoted(path)}; chmod -R o+rX on the bot lets that user"
    if program := _first_closed((bot.command[0], *bot.interpreters), become):
        return f"{said} execute {quoted(program)}; name a program that every user may execute"
    return None


@cache
def _first_closed(paths: tuple[str, ...], become: tuple[str, ...]) -> str:
    """The first of these folders and programs that nobody may not enter or execute, if any."""
    tried = subprocess.run(
        [*become, "/bin/sh", "-c", _FIRST_CLOSED, "sh", *dict.fromkeys(paths)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return os.fsdecode(tried.stdout)


_FIRST_CLOSED = 'for one; do test -x "$one" || { printf %s "$one"; exit; }; done'


def _users_own(bots: Iterable[Bot]) -> Iterator[str]:
    """Folders and programs of the user's choice that somebody must be allowed to enter or
    execute."""
    for bot in bots:
        yield from (folder for folder in bot.path.split(os.pathsep) if Path(folder).is_dir())
        yield from (str(file.parent) for file in bot.files)
        yield from bot.typed
        yield from (program for program in bot.interpreters if _is_chosen_python(program, bot))


def _is_chosen_python(program: str, bot: Bot) -> bool:
    """Whether it is the judge's own Python or that of ``--python``, whose folder is the first of a
    bot's PATH."""
    first, *_ = bot.path.split(os.pathsep)
    return str(Path(program).parent) == first and language_of(program) == PYTHON.language


def _unreadable(bot: Bot) -> Iterator[str]:
    """The bot's own files that only their owner, or a group, may read."""
    for file in bot.files:
        for path in (file, *_inside(file)):
            mode = path.lstat().st_mode
            wanted = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(mode) else 0)
            if mode & wanted != wanted:
                yield str(path)


def _inside(folder: Path) -> Iterator[Path]:
    """All that is a bot's in its folder; nothing, of a file."""
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in IGNORED]
        yield from (Path(place, name) for name in (*folders, *names) if name not in IGNORED)
