"""What is to be played, and in what order. A schedule plays nothing.

Every game knows its seed before it starts, so the same schedule gives the same games in the
same order, however many are played at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

SEED_LIMIT = 2**31  # seeds stay below it, so that a bot in any language can read its own


class First(StrEnum):
    """Who moves first."""

    RANDOM = "random"  # drawn from each game's seed
    A = "a"
    B = "b"
    ALTERNATE = "alternate"  # A in the odd games, B in the even ones, two to a pair


@dataclass(frozen=True, slots=True)
class Pairing:
    """One game to play: which of the run's bots sit where, who is first, and the seed.

    ``seats`` holds the bots' numbers in the run, seat by seat. The two games of a pair have one
    ``round`` and one ``seed``.
    """

    id: str
    round: int
    seats: tuple[int, ...]
    first: int
    seed: int

    @property
    def bot_seeds(self) -> tuple[int, ...]:
        """The BOT_SEED of each seat: in both games of a pair the same for a bot."""
        return tuple(derive(self.seed, "bot", bot) for bot in self.seats)


@dataclass(frozen=True, slots=True)
class Fight:
    """``games`` games of bot 0, always in seat 0, against bot 1.

    First movers alternate in pairs unless ``first`` says otherwise; without pairs every game
    has a seed of its own, or two games would be one and the same.
    """

    games: int
    seed: int
    first: First

    def __len__(self) -> int:
        return self.games

    def __iter__(self) -> Iterator[Pairing]:
        paired = self.first is First.ALTERNATE
        for number in range(self.games):
            round_ = number // 2 if paired else number
            seed = derive(self.seed, "game", round_)
            match self.first:
                case First.ALTERNATE:
                    first = number % 2
                case First.RANDOM:
                    first = derive(seed, "first") % 2
                case First.A | First.B:
                    first = int(self.first is First.B)
            yield Pairing(f"{self.seed}-{number + 1}", round_ + 1, (0, 1), first, seed)


def derive(seed: int, *purpose: str | int) -> int:
    """A seed below `SEED_LIMIT` for one purpose, independent of those for all others."""
    text = ":".join(map(str, (seed, *purpose)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % SEED_LIMIT
