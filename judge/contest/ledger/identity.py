"""The key of a game. Two records with the same key are of the same game, played twice.

The key is a digest of all that determines a game: the rules, the limits, the seed, the first seat,
and each seat's name, digests of the bot's files and data, wire, dialect and seed. Launch, isolation
and times are not part of the key.

If players keep what they learn, their data differ in each game, so the key leaves the data out.

A game with a person and a game without a seed cannot be repeated, so they have no key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from operator import attrgetter

from judge.documents.codec import builtins
from judge.documents.game import GameRecord, Limits, RecordedSeat
from judge.documents.rules import Rules
from judge.game.variants import undrawn

KEY_BYTES = 16
_OF_SEAT = attrgetter("name", "digest", "wire", "dialect", "seed")


def key(
    rules: Rules, limits: Limits, seed: int | None, first: int, seats: Sequence[RecordedSeat]
) -> bytes | None:
    """The key of a game; None for a game with a person or without a seed. Ship lengths that the
    ``rules`` draw are not part of the key, since the seed determines them."""
    if seed is None or any(seat.digest is None and seat.wire is None for seat in seats):
        return None
    shaping = [
        # Learned data are not part of the key.
        (*_OF_SEAT(seat), None if limits.data_bytes else seat.data_digest)
        for seat in seats
    ]
    shaped = [_as_text(rules), builtins(limits), seed, first, shaping]
    text = json.dumps(shaped, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=KEY_BYTES).digest()


def key_of(record: GameRecord) -> bytes | None:
    """The key of the game of a record; None as for `key`."""
    return key(record.rules, record.limits, record.seed, record.first, record.seats)


@lru_cache(maxsize=256)
def _as_text(rules: Rules) -> str:
    return json.dumps(builtins(undrawn(rules)), sort_keys=True, separators=(",", ":"))
