"""Rewrites sentences for users of the library: the judge's sentences name options of commands, and
the library's sentences name the arguments that stand for these options."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from judge.contest.formats.registry import FORMATS
from judge.errors import JudgeFault, UsageError
from judge.game.variants import variant
from judge.process.bots.forkable import LAUNCHES
from judge.process.sandbox.levels import LEVELS


class _Argument(NamedTuple):
    """The argument that stands for an option. ``written`` turns a value of the option into Python,
    and returns None for a word that is to stay as it is."""

    name: str
    written: Callable[[str], str | None] = lambda _: None


def _text(is_known: Callable[[str], object]) -> Callable[[str], str | None]:
    return lambda word: f'"{word}"' if is_known(word) else None


def _number(word: str) -> str | None:
    """The digits of a number, of a size in bytes or of a duration in milliseconds. None for a word
    that is not one of these."""
    digits = word.rstrip("KMms")
    unit = _UNITS.get(word[len(digits) :])
    return str(int(digits) * unit) if unit and digits.isdecimal() else None


_UNITS = {"": 1, "K": 2**10, "M": 2**20, "ms": 1, "s": 1000}
_ARGUMENTS = {
    "launch": _Argument("launch", _text(LAUNCHES.__contains__)),
    "isolation": _Argument("isolation", _text(LEVELS.__contains__)),
    "learning": _Argument("learning", {"on": "True", "off": "False"}.get),
    "rules": _Argument("rules", _text(variant)),
    "format": _Argument("format", _text(FORMATS.get)),
    "ledger": _Argument("ledger", _text("OTHER.json".__eq__)),
    "no-ledger": _Argument("ledger=None"),
    "timeout": _Argument("timeout_ms", _number),
    "memory": _Argument("memory_bytes", _number),
    "output-limit": _Argument("output_bytes", _number),
    "bot-size": _Argument("bot_size_bytes", _number),
    "reason": _Argument("reason", _text("TEXT".__eq__)),
    "for": _Argument("seconds"),
    "trust-bots": _Argument("trust_bots=True"),
    **{name: _Argument(name, _number) for name in ("seats", "rounds", "games", "lives", "cores")},
    **{
        name: _Argument(name)
        for name in ("bot", "cluster", "final", "insist", "io", "jobs", "python", "seed", "share")
    },
}
# After "install" stands a command of another program, which has a --python of its own.
_OPTION = re.compile(r"(install |[\w-])?--([a-z-]+)( \w+(?:[.-]\w+)*)?")


def in_python(sentence: str) -> str:
    """The sentence with arguments of the library in the place of the options that have one, such as
    ``launch="fork"`` for ``--launch fork``."""
    return _OPTION.sub(_argument, sentence)


def _argument(found: re.Match[str]) -> str:
    before, option, word = found.groups(default="")
    if before or option not in _ARGUMENTS:
        return found[0]
    row = _ARGUMENTS[option]
    value = row.written(word.strip())
    return f"{row.name}{word}" if value is None else f"{row.name}={value}"


@contextlib.contextmanager
def arguments() -> Iterator[None]:
    """A ``with`` block or decorator that applies `in_python` to a `UsageError` or `JudgeFault`."""
    try:
        yield
    except (UsageError, JudgeFault) as error:
        error.args = tuple(
            in_python(part) if isinstance(part, str) else part for part in error.args
        )
        raise
