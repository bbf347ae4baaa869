"""What games of more than two players came to, by the pairs of players that they contain. Pure.

Games of as many players are counted together, for how much their pairs say depends on that number:
see `judge.stats.strength.worth_of_pairs`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, NamedTuple

PAIR_ROW = 7  # numbers in the row of a pair


class GroupKey(NamedTuple):
    """How many ``seats`` games have, and whether all seats are ``ranked``, by their scores: where
    they are not, it is only known who won."""

    seats: int
    ranked: bool


@dataclass(slots=True)
class GroupPair:
    """What the games of a group were to two stints, as the first of them sees it: in how many it
    came ``above`` or ``below`` the other, or was ``level`` with it, and in how many it ``won`` or
    ``lost`` to the other as the only winner. ``text`` is the row of the ``ledger`` document, as
    long as it is right."""

    above: int = 0
    below: int = 0
    level: int = 0
    won: int = 0
    lost: int = 0
    text: str | None = field(default=None, compare=False, repr=False)

    def write(self, one: int, other: int) -> str:
        """Its row, where ``one`` and ``other`` are the numbers of the stints."""
        row = (one, other, self.above, self.below, self.level, self.won, self.lost)
        self.text = f"[{','.join(map(str, row))}]"
        return self.text


@dataclass(slots=True)
class GroupTally:
    """The ``games`` of one `GroupKey`, and their ``pairs`` of stints, each once."""

    games: int = 0
    pairs: dict[tuple[int, int], GroupPair] = field(default_factory=dict)

    def count(self, stints: Sequence[int], marks: Sequence[int] | None, winner: int | None) -> None:
        """Count a game: its stints by their numbers, seat by seat, with the ``marks`` of the seats,
        the best the greatest; None if only the winner is known, or that there is none."""
        self.games += 1
        for first, second in combinations(range(len(stints)), 2):
            if marks is None and winner not in (first, second):
                continue
            pair, turned = self._pair(stints[first], stints[second])
            one, other = (second, first) if turned else (first, second)
            ahead = int(one == winner) - int(other == winner)
            if marks is not None:
                ahead = (marks[one] > marks[other]) - (marks[one] < marks[other])
            pair.above += ahead > 0
            pair.below += ahead < 0
            pair.level += ahead == 0
            pair.won += one == winner
            pair.lost += other == winner

    def rows(self) -> Iterator[str]:
        """The rows of the pairs. Those that have not changed are not written anew."""
        return (pair.text or pair.write(*stints) for stints, pair in self.pairs.items())

    def _pair(self, one: int, other: int) -> tuple[GroupPair, bool]:
        """The tally of these two, and whether it is as the other sees it."""
        turned = (other, one) in self.pairs
        pair = self.pairs.setdefault((other, one) if turned else (one, other), GroupPair())
        pair.text = None
        return pair, turned


def head(key: GroupKey, group: GroupTally) -> dict[str, Any]:
    """As the ``ledger`` document has it, but for the pairs."""
    return {"seats": key.seats, "ranked": key.ranked, "games": group.games}


def from_json(document: Mapping[str, Any]) -> tuple[GroupKey, GroupTally]:
    """Read what `problem` finds none in."""
    pairs = {(one, other): GroupPair(*counts) for one, other, *counts in document["pairs"]}
    return GroupKey(document["seats"], document["ranked"]), GroupTally(document["games"], pairs)


def problem(
    groups: Sequence[Mapping[str, Any]], names: Sequence[str], left: Sequence[Sequence[int]]
) -> str | None:
    """What does not add up in the groups of a table, in one sentence.

    ``names`` are those of its stints, and ``left`` the games of each that its pairs do not have:
    won, lost and tied. Numbers are whole and not negative."""
    won, games = [0] * len(names), 0
    for at, group in enumerate(groups):
        others, over = group["seats"] - 1, [0] * len(names)
        games += group["seats"] * group["games"]
        seen = set()
        for number, (one, other, above, below, level, wins, losses) in enumerate(group["pairs"]):
            if not max(one, other) < len(names) or names[one] == names[other]:
                return f"groups[{at}].pairs[{number}]: it is not two stints of two bots"
            if wins > above or losses > below or above + below + level > group["games"]:
                return f"groups[{at}].pairs[{number}]: it has more of one kind than games"
            seen.add(frozenset((one, other)))
            over[one] += wins
            over[other] += losses
        if len(seen) != len(group["pairs"]):
            return f"groups[{at}]: two stints are there twice"
        if any(wins % others for wins in over):
            return f"groups[{at}]: who wins a game wins it over {others} others"
        won = [had + wins // others for had, wins in zip(won, over, strict=True)]
        if (group["seats"], group["ranked"]) in [
            (one["seats"], one["ranked"]) for one in groups[:at]
        ]:
            return f"groups[{at}]: it is no group of its own"
    for name, wins, (wins_left, *_) in zip(names, won, left, strict=True):
        if wins != wins_left:
            return f"the games give {name} another number of wins than its own counts"
    if games != sum(map(sum, left)):
        return "groups: their games are not as many as the bots have"
    return None
