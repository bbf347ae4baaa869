"""A shard: the part of a contest's schedule that one machine plays into a ledger of its own. Pure.

The schedule is cut into blocks of as many games as there are shards, or matches where the unit is
one, and each shard has one of every block. Which one is drawn for each block: otherwise all games
of the bot that stays in place in a schedule could come to one shard.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple, Self, TypeVar

from judge.contest.seeds import hashed

MOST_SHARDS = 1000

T = TypeVar("T")


class Shard(NamedTuple):
    """One of several shards, by its number from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Raises LookupError, TypeError or ValueError if there is none in it."""
        shard = cls(int(document["number"]), int(document["of"]))
        if not 1 <= shard.number <= shard.of <= MOST_SHARDS:
            raise ValueError(f"there is no shard {shard}")
        return shard

    def games(self, schedule: Iterable[T]) -> Iterator[T]:
        """What of a schedule this shard plays, in the order of the schedule."""
        return (one for number, one in numbered(schedule, self.of) if number == self.number)

    def share(self, count: int) -> int:
        """How many of so many games, or matches, it plays."""
        blocks, rest = divmod(count, self.of)
        return blocks + sum(
            number == self.number for number in islice(_block(blocks, self.of), rest)
        )


def numbered(schedule: Iterable[T], shards: int) -> Iterator[tuple[int, T]]:
    """All of a schedule, in its order, each with the number of the shard that plays it."""
    left, block = iter(schedule), 0
    while games := list(islice(left, shards)):
        yield from zip(_block(block, shards), games, strict=False)
        block += 1


def _block(block: int, shards: int) -> Iterator[int]:
    """The numbers of the shards that play the games of a block, in order."""
    turned = hashed(block, "shard", shards)
    return (1 + (place + turned) % shards for place in range(shards))
