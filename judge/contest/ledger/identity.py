"""When two records are of the same game: nothing that shapes a game differs between them.

A game is shaped by the rules, the limits, the seed, who moves first, and by each seat's name, the
digest of the bot's files and of its data, what it speaks, and its seed. How programs are launched
and held, and what a clock shows, shape nothing.

If players keep what they learn, each game has other data, and the data do not say which game it is.

A game of a person is like no other, and neither is one whose course no seed says: they have no
key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec.structs import replace

from judge.documents.codec import builtins
from judge.documents.game import GameRecord, Limits
from judge.documents.rules import Rules
from judge.game.variants import undrawn

KEY_BYTES = 16


class Seat(NamedTuple):
    """The properties of a seat that determine the game."""

    name: str
    digest: str | None
    wire: str | None
    dialect: str | None
    seed: int
    data_digest: str | None = None


def key(
    rules: Rules, limits: Limits, seed: int | None, first: int, seats: Iterable[Seat]
) -> bytes | None:
    """The key of a game, by which it is found again; None if it is like no other. If the ``rules``
    draw a fleet, the seed says which."""
    seats = list(seats)
    if seed is None or any(seat.digest is None and seat.wire is None for seat in seats):
        return None
    if limits.data_bytes:  # data that it has learned do not identify a game
        seats = [seat._replace(data_digest=None) for seat in seats]
    shaped = [_as_text(rules), builtins(limits), seed, first, seats]
    text = json.dumps(shaped, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=KEY_BYTES).digest()


def key_of(record: GameRecord) -> bytes | None:
    """The key of a game that was played."""
    seats = [
        Seat(seat.name, seat.digest, seat.wire, seat.dialect, seat.seed, seat.data_digest)
        for seat in record.seats
    ]
    return key(record.rules, record.limits, record.seed, record.first, seats)


def difference(earlier: GameRecord, later: GameRecord) -> str | None:
    """How the same game went otherwise when it was played again, in a clause; None if it went the
    same way. The time on a clock makes no difference."""
    what = _first_difference(earlier, later)
    won = [_winner(record) for record in (earlier, later)]
    if what is None or won[0] == won[1]:
        return what
    return f"{what}, and it was won by {won[0]} then and by {won[1]} now"


def _first_difference(earlier: GameRecord, later: GameRecord) -> str | None:
    for before, now in zip(earlier.seats, later.seats, strict=True):
        if before.fleet != now.fleet:
            return f"{now.name} had another fleet"
    shots, others = ([replace(shot, ms=0) for shot in record.shots] for record in (earlier, later))
    for number, (shot, other) in enumerate(zip(shots, others, strict=False), 1):
        if shot != other:
            return f"shot {number} was another"
    if len(shots) != len(others) or _end(earlier) != _end(later):
        return f"after shot {min(len(shots), len(others))} the games differ"
    return None


def _end(record: GameRecord) -> tuple[Any, ...]:
    """The other events and the end, without the sentence, in which there may be times."""
    outcome = record.outcome
    return (
        record.incidents,
        outcome.winner,
        outcome.loser,
        outcome.termination,
        outcome.scores,
    )


def _winner(record: GameRecord) -> str:
    winner = record.outcome.winner
    return "nobody" if winner is None else record.seats[winner].name


@lru_cache(maxsize=256)
def _as_text(rules: Rules) -> str:
    return json.dumps(builtins(undrawn(rules)), sort_keys=True, separators=(",", ":"))
