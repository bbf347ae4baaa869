"""Whom bots run as where root runs the judge: nobody, who owns nothing and may do nothing.

Under bwrap, bots are nobody wherever they lie (`judge.process.sandbox.fork_server`). Elsewhere
nobody must be able to reach what they are made of and what runs them.
"""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path

from judge.errors import UsageError
from judge.process.bots.bot import Bot
from judge.process.bots.files import quoted
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


@cache
def closed_to_nobody(bots: tuple[Bot, ...], become: tuple[str, ...]) -> str | None:
    """What the user keeps from nobody of all that these bots need, and how that is changed, if
    there is anything; ``become`` is `setpriv`.

    The folders of their PATH too: where one of them is closed, a name would mean another program.
    """
    tried = subprocess.run(
        [*become, "/bin/sh", "-c", _FIRST_CLOSED, "sh", *dict.fromkeys(_entered(bots))],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    where = os.fsdecode(tried.stdout)
    if not where:
        return None
    return (
        f"the user nobody cannot reach {quoted(where)}; others need the right to (chmod o+rx), and to "
        "enter the folders around it"
    )


def require_readable(bots: Iterable[Bot]) -> None:
    """Raise `UsageError` for a bot that keeps a file of its own from others.

    That is its author's doing, and no reason to run it, or its opponents, as root.
    """
    for bot in bots:
        if path := next(_unreadable([bot]), None):
            raise UsageError(
                f"{bot.name} runs as the user nobody, who may not read {quoted(path)}; "
                "chmod -R o+rX on the bot lets that user"
            )


_FIRST_CLOSED = 'for one; do test -x "$one" || { printf %s "$one"; exit; }; done'


def _entered(bots: Iterable[Bot]) -> Iterator[str]:
    """Folders and programs that somebody must be allowed to enter or execute."""
    for bot in bots:
        yield from (folder for folder in bot.path.split(os.pathsep) if Path(folder).is_dir())
        program = Path(bot.command[0])
        if not any(program.is_relative_to(file) for file in bot.files):
            yield str(program)
        yield from (str(file.parent) for file in bot.files)


def _unreadable(bots: Iterable[Bot]) -> Iterator[str]:
    """What only its owner, or a group, may read of the bots' own files."""
    for file in (file for bot in bots for file in bot.files):
        inside = ((path, name) for path, *names in os.walk(file) for name in chain(*names))
        for path in (file, *(Path(path, name) for path, name in inside)):
            mode = path.lstat().st_mode
            wanted = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(mode) else 0)
            if mode & wanted != wanted and path.name not in IGNORED:
                yield str(path)
