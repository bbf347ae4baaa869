"""Which bots can be forked: Python programs, whose interpreter can be started before their move.

This file only looks at commands. `judge.process.kept` starts the process that forks, and
`judge.process.as_main` says what a program then finds.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from functools import cache

from judge.errors import UsageError
from judge.process.bot import Bot
from judge.process.files import quoted
from judge.process.interpreters import ASK_SECONDS, language_of

LAUNCHES = ("exec", "fork")

OLDEST = (3, 11)  # with which as_main.py and keeper.py run

# Of an interpreter's flags, those that change nothing in how a program is found and ended.
_FLAGS = frozenset("bBdEIOPqRsSu")
_WITH_A_VALUE = ("-W", "-X")

_KIND = f"import sys; print(sys.implementation.name, sys.version_info >= {OLDEST})"


def is_forkable(bot: Bot) -> bool:
    """Whether it is a Python program: its command is ``python FLAGS… FILE``."""
    interpreter, *words = bot.command
    flags, files = words[:-1], words[-1:]
    return (
        language_of(interpreter) == "Python"
        and all(map(_is_harmless, flags))
        and bool(files)
        and not files[0].startswith("-")
    )


def require_forkable(bots: Iterable[Bot]) -> None:
    """Raise `UsageError`, before anything is started, if one of these bots cannot be forked."""
    for bot in bots:
        if not is_forkable(bot):
            raise UsageError(
                f"--launch fork is for Python bots, and {bot.name} is started by "
                f"{quoted(' '.join(bot.command))}; {_mend(bot)}"
            )
        if problem := _problem(bot.command[0]):
            raise UsageError(
                f"--launch fork: {bot.name} runs with {quoted(bot.command[0])}, {problem}; "
                "choose another with --python, or leave --launch fork out"
            )


def _is_harmless(flag: str) -> bool:
    """Whether it is a flag at all, and of one word."""
    if flag.startswith(_WITH_A_VALUE):
        return len(flag) > 2
    return flag[:1] == "-" and flag != "-" and set(flag[1:]) <= _FLAGS


def _mend(bot: Bot) -> str:
    if bot.language == "Python":
        return 'name its .py file, or write a bot.json with "command": ["python3", "FILE.py"]'
    return "leave --launch fork out, or leave that bot out"


@cache
def _problem(python: str) -> str | None:
    """Why programs of this interpreter cannot be forked, if so."""
    try:
        done = subprocess.run(
            [python, "-I", "-S", "-c", _KIND],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=ASK_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"which does not start: {error}"
    if done.stdout.split() == ["cpython", "True"]:
        return None
    return f"which is not CPython {'.'.join(map(str, OLDEST))} or newer"
