"""The results of games of more than two players, by the pairs of players that they contain. Pure.

Games of as many players are counted together, for how much their pairs say depends on that number:
see `judge.stats.strength.worth_of_pairs`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple, TypeVar

from judge.documents.ledger import Count

Pair = TypeVar("Pair")


class GroupKey(NamedTuple):
    """How many ``seats`` games have, and whether all seats are ``ranked``, by their scores: where
    they are not, it is only known who won."""

    seats: int
    ranked: bool


@dataclass(slots=True)
class GroupPair:
    """The games of a group between two stints, as the first of them sees it: in how many it came
    ``above`` or ``below`` the other, or was ``level`` with it, and in how many it ``won`` or
    ``lost`` to the other as the only winner."""

    above: Count = 0
    below: Count = 0
    level: Count = 0
    won: Count = 0
    lost: Count = 0


@dataclass(slots=True)
class GroupTally:
    """The ``games`` of one `GroupKey`, and their ``pairs`` of stints, each once."""

    games: Count = 0
    pairs: dict[tuple[int, int], GroupPair] = field(default_factory=dict)

    def count(self, stints: Sequence[int], marks: Sequence[int] | None, winner: int | None) -> None:
        """Count a game: its stints by their numbers, seat by seat, with the ``marks`` of the seats,
        the best the greatest; None if only the winner is known, or that nobody won."""
        self.games += 1
        for first, second in combinations(range(len(stints)), 2):
            if marks is None and winner not in (first, second):
                continue
            pair, turned = of_two(self.pairs, stints[first], stints[second], GroupPair)
            one, other = (second, first) if turned else (first, second)
            ahead = int(one == winner) - int(other == winner)
            if marks is not None:
                ahead = (marks[one] > marks[other]) - (marks[one] < marks[other])
            pair.above += ahead > 0
            pair.below += ahead < 0
            pair.level += ahead == 0
            pair.won += one == winner
            pair.lost += other == winner


def of_two(
    pairs: dict[tuple[int, int], Pair], one: int, other: int, new: Callable[[], Pair]
) -> tuple[Pair, bool]:
    """The tally of two stints, a ``new`` one if they have none, and whether it is as the other sees
    it."""
    is_turned = (other, one) in pairs
    couple = (other, one) if is_turned else (one, other)
    if couple not in pairs:
        pairs[couple] = new()
    return pairs[couple], is_turned
