"""The seeds of a run. All seeds are derived from the run's seed, which is typed or drawn, and a
derived seed reveals no other.

A bot may know its BOT_SEED, this file and its opponent's program. If the bot could compute the
run's seed or the opponent's seed, it would know the opponent's fleet. So the derivation of a seed
from the run's seed

- begins with a slow step, scrypt: a guess of a typed seed costs some 0.2 s and 32 MiB, and a drawn
  seed has 128 bits;
- ends with a keyed hash of the derived seed's purpose: derived seeds are independent of each other,
  and the run's seed cannot be computed from them.
"""

from __future__ import annotations

import hashlib
import json
import re
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache

from judge.waiting import awaited

DRAWN_BITS = 128
MOST_DIGITS = 39  # the most digits of a run's seed; 128 bits have no more
GUESSABLE = 2**64  # people type seeds below this: a year, a date, a telephone number
SEED_LIMIT = 2**53  # a derived seed is below this: JSON and every language hold it exactly
HASHED_LIMIT = 2**31

_SALT = b"battleships-judge, seeds 2"
_COST, _BLOCK, _PASSES = 2**15, 8, 1  # 32 MiB; some 0.2 s
_KEY_BYTES = 32
_NUMBER = re.compile(rf"0*([0-9]{{1,{MOST_DIGITS}}})")
_BASE_32 = "0123456789abcdefghjkmnpqrstvwxyz"  # no i, l, o, u, which look like other characters
_CHARACTERS = 26  # characters of base 32 that spell 128 bits
_SPELLED = re.compile(rf"[{_BASE_32}]{{{_CHARACTERS}}}")


def spelled(seed: int) -> str:
    """The text of a run's seed. A seed below `GUESSABLE` is written as a number. Another seed is
    written as 26 characters of base 32, or as a number if none of the characters is a letter."""
    if seed < GUESSABLE:
        return str(seed)
    shifts = range(5 * (_CHARACTERS - 1), -1, -5)
    text = "".join(_BASE_32[seed >> shift & 31] for shift in shifts)
    return str(seed) if text.isdecimal() else text


def parsed(text: str) -> int:
    """The seed of a text: a number in digits, or 26 characters as `spelled` gives them, whose letters
    may be capitals. Raises ValueError for other texts."""
    if digits := _NUMBER.fullmatch(text):
        return int(digits[1])
    small = text.lower()
    if not _SPELLED.fullmatch(small):
        raise ValueError(
            f"{text!r} is not a seed: a whole number of at most {MOST_DIGITS} digits, or a drawn seed, "
            f"{_CHARACTERS} characters with a letter among them"
        )
    return sum(_BASE_32.index(one) << 5 * at for at, one in enumerate(reversed(small)))


def derive(seed: int, *purpose: str | int) -> int:
    """A seed below `SEED_LIMIT` for one purpose, derived from a run's seed.

    The first call for a run's seed waits for the key that `begin` derives.
    """
    return int.from_bytes(_digest(seed, purpose)) % SEED_LIMIT


def bot_seed(
    seed: int, game: str | int, seat: str | int | None, *salt: str, purpose: str = "bot"
) -> int:
    """The BOT_SEED of a bot in one game, derived from the run's seed.

    ``game`` is the game's round, board or pair. ``seat`` is the bot's seat or name, or None if all
    bots of the game get the same BOT_SEED.
    """
    own = () if seat is None else (seat,)
    return derive(seed, purpose, game, *own, *salt)


def contest_name(seed: int) -> str:
    """The name of a contest in the ids of its games: 12 letters, derived from its seed. Ids are
    published, and the name does not reveal the seed."""
    digest = _digest(seed, ("contest",))[:6]
    return "".join(chr(ord("a") + half) for byte in digest for half in divmod(byte, 16))


@lru_cache(maxsize=64)
def begin(seed: int) -> Future[bytes]:
    """Begin to derive the key of a run's seed in another thread, since that takes some 0.2 s. Later
    calls return the same future, for the last 64 seeds."""
    pool = ThreadPoolExecutor(1, thread_name_prefix="seeds")
    try:
        return pool.submit(_key, seed)
    finally:
        pool.shutdown(wait=False)


def hashed(seed: int, *purpose: str | int) -> int:
    """A number below `HASHED_LIMIT` that a format uses to draw lots: sorted by such numbers, the
    bots are in a random order that is the same for the same seed and purpose. The number is quick
    to compute and is not secret, so seeds of games do not come from it."""
    text = ":".join(map(str, (seed, *purpose)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) % HASHED_LIMIT


def _digest(seed: int, purpose: tuple[str | int, ...]) -> bytes:
    # The purpose is hashed as JSON, so that two purposes never give the same text.
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
