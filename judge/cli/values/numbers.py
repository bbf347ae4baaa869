"""Readers of typed numbers: counts, repeats, a seed, a share, the Elo bounds of a test, and
durations and sizes, whose units may be left out."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from judge.cli.values.value import Value
from judge.contest.seeds import parsed
from judge.contest.settings import LARGEST_BYTES, LEAST_MEMORY, LONGEST_MS

if TYPE_CHECKING:
    from judge.stats.sprt import Sprt

_MILLISECONDS = {"ms": 1, "s": 1000, "": 1000, "min": 60_000, "m": 60_000, "h": 3_600_000}
_BYTES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_WHOLE = re.compile(r"\d{1,40}", re.ASCII)
_AMOUNT = r"\d{1,18}(?:\.\d{1,18})?"
_OR_OFF = ", or off"
_DURATION = re.compile(rf"({_AMOUNT})\s*(ms|s|min|m|h|)", re.ASCII)
_SIZE = re.compile(rf"({_AMOUNT})\s*([kmgt]?)(?:i?b)?", re.ASCII | re.IGNORECASE)


def whole(least: int, most: int) -> Callable[[str], int]:
    """Return a reader of whole numbers from ``least`` to ``most``, in decimal digits."""

    def read(text: str) -> int:
        digits = text.strip()
        number = int(digits) if _WHOLE.fullmatch(digits) else -1
        if not least <= number <= most:
            raise ValueError(f"{text!r} is not a whole number from {least:,} to {most:,}")
        return number

    return read


def repeat(text: str) -> int | None:
    """Return a number of games, or None for ``forever``."""
    return None if text == "forever" else whole(1, 10**9)(text)


def milliseconds(text: str, besides: str = "") -> int:
    """Return the milliseconds of a duration such as ``500ms``, ``2s``, ``1min``, ``1m`` or ``2h``.
    A number without a unit means seconds. If the text is not a duration, ``besides`` ends the
    message with what else may be typed."""
    match = _DURATION.fullmatch(text.strip())
    amount = round(float(match[1]) * _MILLISECONDS[match[2]]) if match else 0
    if amount < 1:
        raise ValueError(f"{text!r} is not a duration above zero, such as 500ms or 2s{besides}")
    if amount > LONGEST_MS:
        raise ValueError(f"{text!r} is longer than a day")
    return amount


def pause(text: str) -> int:
    """Return the milliseconds of a duration, which may be zero."""
    match = _DURATION.fullmatch(text.strip())
    return 0 if match and not float(match[1]) else milliseconds(text)


def time_limit(text: str) -> int:
    """Return the milliseconds of a duration, or those of a day for ``off``."""
    return LONGEST_MS if text.strip() == "off" else milliseconds(text, _OR_OFF)


def grace(text: str) -> float | None:
    """Return the seconds of a duration, or None for ``off``, which has no end."""
    return None if text.strip() == "off" else milliseconds(text, _OR_OFF) / 1000


def bytes_(text: str) -> int:
    """Return the bytes of a size such as ``256M``, ``64k``, ``1.5GiB`` or ``4096``. Units are
    powers of 1024, and a number without a unit means bytes."""
    match = _SIZE.fullmatch(text.strip())
    amount = int(float(match[1]) * _BYTES[match[2].lower()]) if match else 0
    if amount < 1:
        raise ValueError(f"{text!r} is not a size above zero, such as 64K, 256M or 1G")
    if amount > LARGEST_BYTES:
        raise ValueError(f"{text!r} is larger than 1024T")
    return amount


def memory(text: str) -> int:
    """Return the bytes of a size. Raises ValueError if it is less than `LEAST_MEMORY`."""
    amount = bytes_(text)
    if amount < LEAST_MEMORY:
        raise ValueError(
            f"{text!r} is less than {LEAST_MEMORY // 2**20}M, in which hardly a bot can start"
        )
    return amount


def sprt(text: str) -> Sprt:
    """Return the sequential test of ``ELO0,ELO1`` or ``ELO0,ELO1,ALPHA,BETA``. Raises ValueError if
    the text is not two or four numbers, or if `Sprt` does not allow the numbers."""
    from judge.stats.sprt import Sprt

    try:
        numbers = [float(number) for number in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 4):
        raise ValueError(f"{text!r} is not ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA, such as 0,30")
    return Sprt(*numbers)


def share(text: str) -> float:
    """Return a whole percentage such as ``50%`` as a number from 0 to 1."""
    digits = text.strip().removesuffix("%")
    percent = int(digits) if _WHOLE.fullmatch(digits) else -1
    if not text.strip().endswith("%") or not 0 <= percent <= 100:
        raise ValueError(f"{text!r} is not a share from 0% to 100%")
    return percent / 100


DURATION = Value("DURATION", milliseconds)
PAUSE = Value("DURATION", pause)
TIME_LIMIT = Value("DURATION|off", time_limit, names=lambda: ["off"])
GRACE = Value("DURATION|off", grace, names=lambda: ["off"])
REPEAT = Value("N", repeat)
SIZE = Value("SIZE", bytes_)
MEMORY = Value("SIZE", memory)
SEED = Value("N", lambda text: parsed(text.strip()))
SHARE = Value("PERCENT", share)
SPRT = Value("ELO0,ELO1[,ALPHA,BETA]", sprt)


def count(least: int = 1, most: int = 10**9) -> Value:
    """Return the type of an option that counts something, from ``least`` to ``most``."""
    return Value("N", whole(least, most))
