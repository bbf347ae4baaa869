"""Words sentences for users of the library: the judge's sentences name options of commands, and the
library's sentences name arguments."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from judge.contest.formats.registry import FORMATS
from judge.errors import JudgeFault, UsageError
from judge.game.variants import VARIANTS
from judge.process.bots.forkable import LAUNCHES
from judge.process.sandbox.levels import LEVELS


class _Argument(NamedTuple):
    """The argument in the place of an option. ``values`` is a pattern of the values that may follow
    the option, and ``written`` writes a value as Python."""

    name: str
    values: str = ""
    written: Callable[[str], str] = '"{}"'.format


_UNITS = {"K": 2**10, "M": 2**20, "ms": 1, "s": 1000}


def _number(amount: str) -> str:
    """The bytes of a size or the milliseconds of a duration, each without a fraction."""
    digits = amount.rstrip("KMms")
    return str(int(digits) * _UNITS.get(amount[len(digits) :], 1))


_NUMBER, _SIZE, _DURATION = r"\d{1,20}", r"\d{1,20}[KM]?", r"\d{1,20}m?s"
_ARGUMENTS = {
    "launch": _Argument("launch", "|".join(LAUNCHES)),
    "isolation": _Argument("isolation", "|".join(LEVELS)),
    "learning": _Argument("learning", "on|off", lambda value: str(value == "on")),
    "rules": _Argument("rules", rf"contest-\d{{1,2}}|{'|'.join(VARIANTS)}"),
    "format": _Argument("format", "|".join(FORMATS)),
    "ledger": _Argument("ledger", r"OTHER\.json"),
    "no-ledger": _Argument("ledger=None"),
    "timeout": _Argument("timeout_ms", _DURATION, _number),
    "memory": _Argument("memory_bytes", _SIZE, _number),
    "output-limit": _Argument("output_bytes", _SIZE, _number),
    "bot-size": _Argument("bot_size_bytes", _SIZE, _number),
    "for": _Argument("seconds"),
    "trust-bots": _Argument("trust_bots=True"),
    **{
        name: _Argument(name, _NUMBER, str)
        for name in ("seats", "rounds", "games", "lives", "cores")
    },
    **{
        name: _Argument(name)
        for name in ("bot", "cluster", "final", "insist", "io", "jobs", "python", "seed", "share")
    },
}
# After "install" stands a command of another program, which has a --python of its own.
_OPTION = re.compile(
    r"(?<![\w-])(?<!install )--(?:"
    + "|".join(
        rf"{option}(?: (?:{row.values}))?" if row.values else option
        for option, row in _ARGUMENTS.items()
    )
    + r")(?![\w-])"
)


def in_python(sentence: str) -> str:
    """The sentence with arguments of the library in the place of options, as in ``launch="fork"``
    for ``--launch fork``."""
    return _OPTION.sub(_argument, sentence)


def _argument(found: re.Match[str]) -> str:
    option, _, value = found[0].removeprefix("--").partition(" ")
    row = _ARGUMENTS[option]
    return f"{row.name}={row.written(value)}" if value else row.name


@contextlib.contextmanager
def arguments() -> Iterator[None]:
    """A ``with`` block, or the decorator of a function, whose errors name arguments of the
    library."""
    try:
        yield
    except (UsageError, JudgeFault) as error:
        error.args = tuple(
            in_python(part) if isinstance(part, str) else part for part in error.args
        )
        raise
