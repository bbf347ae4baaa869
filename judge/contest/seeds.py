"""The seeds of a run: all of them come from one, typed or drawn, and none tells of another.

A bot knows its BOT_SEED, this file, and its opponent's program. If it could find the run's seed, or
the opponent's, it would know the opponent's fleet. So the way from the run's seed to the others

- begins with a slow step, scrypt: a seed that somebody typed can be guessed, but only at some 0.2 s
  and 32 MiB a guess, and a drawn one has 128 bits;
- ends with a keyed hash of what the seed is for: each is independent of all others, and leads back
  to nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache

from judge.waiting import awaited

DRAWN_BITS = 128
MOST_DIGITS = 39  # digits of a run's seed; a drawn seed has no more
GUESSABLE = 2**64  # what people type lies below: the year, a date, a telephone number
SEED_LIMIT = 2**53  # derived seeds stay below it: a number of any language, and of JSON, holds them
HASHED_LIMIT = 2**31

_SALT = b"battleships-judge, seeds 2"
_COST, _BLOCK, _PASSES = 2**15, 8, 1  # 32 MiB; some 0.2 s
_KEY_BYTES = 32
_NUMBER = re.compile(rf"0*([0-9]{{1,{MOST_DIGITS}}})")
_BASE_32 = "0123456789abcdefghjkmnpqrstvwxyz"  # no i, l, o, u: they look like others
_CHARACTERS = 26  # characters of base 32, for 128 bits
_SPELLED = re.compile(rf"[{_BASE_32}]{{{_CHARACTERS}}}")


def spelled(seed: int) -> str:
    """The text of a run's seed. A seed below `GUESSABLE` is a number; any other has 26 characters
    of base 32, at least one of them a letter."""
    if seed < GUESSABLE:
        return str(seed)
    shifts = range(5 * (_CHARACTERS - 1), -1, -5)
    text = "".join(_BASE_32[seed >> shift & 31] for shift in shifts)
    return str(seed) if text.isdecimal() else text


def parsed(text: str) -> int:
    """The seed that is spelled so; digits alone are a number. Raises ValueError for other texts."""
    if digits := _NUMBER.fullmatch(text):
        return int(digits[1])
    if not _SPELLED.fullmatch(text):
        raise ValueError(
            f"{text!r} is not a seed: a whole number of at most {MOST_DIGITS} digits, or a drawn seed, "
            f"{_CHARACTERS} characters with a letter among them"
        )
    return sum(_BASE_32.index(one) << 5 * at for at, one in enumerate(reversed(text)))


def derive(seed: int, *purpose: str | int) -> int:
    """The seed below `SEED_LIMIT` of a run with this seed, for one purpose.

    The first call for a run takes as long as `begin` has left.
    """
    return int.from_bytes(_digest(seed, purpose)) % SEED_LIMIT


def contest_name(seed: int) -> str:
    """The name of a contest in the ids of its games: 12 letters, for ids are published and the seed
    is not."""
    digest = _digest(seed, ("contest",))[:6]
    return "".join(chr(ord("a") + half) for byte in digest for half in divmod(byte, 16))


@lru_cache(maxsize=64)
def begin(seed: int) -> Future[bytes]:
    """Derive the key of a run in another thread: the slow step, beside whatever else is set up."""
    pool = ThreadPoolExecutor(1, thread_name_prefix="seeds")
    try:
        return pool.submit(_key, seed)
    finally:
        pool.shutdown(wait=False)


def hashed(seed: int, *purpose: str | int) -> int:
    """A number below `HASHED_LIMIT` that orders what a format draws: bots, and who meets whom. It is
    quick and no secret, so no seed of a game comes from it."""
    text = ":".join(map(str, (seed, *purpose)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) % HASHED_LIMIT


def _digest(seed: int, purpose: tuple[str | int, ...]) -> bytes:
    # As JSON, in which two purposes never give the same text.
    text = json.dumps(purpose).encode()
    return hashlib.blake2b(text, digest_size=8, key=awaited(begin(seed))).digest()


def _key(seed: int) -> bytes:
    return hashlib.scrypt(
        str(seed).encode(),
        salt=_SALT,
        n=_COST,
        r=_BLOCK,
        p=_PASSES,
        maxmem=2 * 128 * _COST * _BLOCK,
        dklen=_KEY_BYTES,
    )
