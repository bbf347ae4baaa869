"""Whether a bot can be forked: only a Python program can, since its interpreter can start before
the move.

`judge.process.sandbox.fork_client` starts the process that forks, and
`judge.process.sandbox.forked_program` says what a forked program finds.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from judge.errors import UsageError
from judge.process.bots.files import quoted
from judge.process.bots.interpreters import ASK_SECONDS, language_of

if TYPE_CHECKING:
    from judge.process.bots.bot import Bot

LAUNCHES = ("auto", "exec", "fork")
FEW = 10  # so few games, boards or checks are not worth a fork server

OLDEST = (3, 11)  # the version that the forked interpreter runs

# Flags of the interpreter that a forked program may have. Other flags would let a bot choose what
# the fork server reads, imports or prints.
_FLAGS = frozenset("bBdEIOPqRsSu")

_KIND = f"import sys; print(sys.implementation.name, sys.version_info >= {OLDEST})"


def is_forkable(bot: Bot) -> bool:
    """Whether a bot's command is ``python FLAGS… FILE``, with flags that a forked program may have.
    The Python must be one of the bot's ``interpreters``: the judge does not start a program of the
    bot's own to ask its version."""
    interpreter, *words = bot.command
    flags, files = words[:-1], words[-1:]
    return (
        interpreter in bot.interpreters
        and language_of(interpreter) == "Python"
        and all(flag[:1] == "-" and flag != "-" and _FLAGS.issuperset(flag[1:]) for flag in flags)
        and bool(files)
        and not files[0].startswith("-")
    )


def require_forkable(bots: Iterable[Bot]) -> None:
    """Raise `UsageError` if one of these bots cannot be forked."""
    for bot in bots:
        if problem := unforkable(bot):
            raise UsageError(problem)


def unforkable(bot: Bot) -> str | None:
    """Why a bot cannot be forked, in a sentence with what mends it, or None if it can."""
    why = why_unforkable(bot)
    if why is None:
        return None
    if not is_forkable(bot):
        return f"--launch fork is for Python bots, and {bot.name} {why}; {_mend(bot)}"
    return (
        f"--launch fork: {bot.name} {why}; choose another with --python, or leave --launch fork out"
    )


def why_unforkable(bot: Bot) -> str | None:
    """Why a bot cannot be forked, in words that follow its name, or None if it can."""
    if not is_forkable(bot):
        return f"is started by {quoted(' '.join(bot.command))}"
    if problem := _problem(bot.command[0]):
        return f"runs with {quoted(bot.command[0])}, {problem}"
    return None


def _mend(bot: Bot) -> str:
    if bot.command[0] in bot.typed:
        return "name its .py file, and that interpreter by --python"
    return (
        "leave --launch fork out, or leave that bot out; if it is in Python, name its .py file, or "
        'write a bot.json with "command": ["python3", "FILE.py"]'
    )


@cache
def _problem(python: str) -> str | None:
    """Why programs of this interpreter cannot be forked, or None if they can."""
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
