"""The table of a tally: the results of all games that no order takes out of the count. Pure.

A game of more than two players is counted by its pairs of players. Such games form groups by their
number of players, and by whether all players are ranked. The weight of a pair depends on both: see
`judge.stats.strength.worth_of_pairs`.

Results are counted for each version of a bot, and points for each bot. Points, pairs and groups
count *units*: games, or whole matches if the rules have matches. A match counts once it is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeVar

from judge.contest.formats.units import UnitResult, unit_result
from judge.contest.ledger.condition_set import ConditionSet
from judge.documents.game import OfMatch
from judge.documents.ledger import (
    BotTally,
    Count,
    GameResult,
    Group,
    GroupPair,
    OpenRow,
    VersionTally,
    WonLostTied,
)
from judge.stats.percentage_rule import START, percentage_rule

Pair = TypeVar("Pair", bound=WonLostTied)


Pairs = Mapping[int, Mapping[int, WonLostTied]]
"""The tallies of each two versions of bots, from the side of the first: by the index of the first,
and then by that of the other. Two versions stand in one order only."""


def each_pair(*tallies: Pairs) -> Iterator[tuple[int, int, WonLostTied]]:
    """Every two versions, by their indices, and their tally."""
    for pairs in tallies:
        for one, others in pairs.items():
            for other, pair in others.items():
                yield one, other, pair


def of_two(
    pairs: dict[int, dict[int, Pair]], one: int, other: int, new: Callable[[], Pair]
) -> tuple[Pair, bool]:
    """The tally of two versions, and whether it is from the side of ``other``. If they have no
    tally, a ``new`` one is added to ``pairs``."""
    if (pair := pairs.get(other, {}).get(one)) is not None:
        return pair, True
    return pairs.setdefault(one, {}).setdefault(other, new()), False


@dataclass(slots=True)
class TallyTable:
    """The results of a ledger's games. All games have the same ``conditions``, which are None
    before the first game.

    ``games`` is the number of games that count, and ``void`` the number of games that were not
    rated. ``voided`` and ``disqualified`` are the numbers of games that an order of this kind takes
    out of the count. ``open`` are the matches that are not over, by their ids and the names and
    versions of their bots: two matches of different bots may have one id. ``pairs`` has each two
    versions that played a unit of two seats, by their indices in ``version_tallies``; the version
    that had seat 0 in their first unit stands first. ``groups`` has the games of more than two
    seats, by the number of seats and by whether all seats are ranked.
    """

    conditions: ConditionSet | None = None
    games: Count = 0
    void: Count = 0
    voided: Count = 0
    disqualified: Count = 0
    bots: dict[str, BotTally] = field(default_factory=dict)
    version_tallies: list[VersionTally] = field(default_factory=list)
    pairs: dict[Count, dict[Count, WonLostTied]] = field(default_factory=dict)
    open: dict[tuple[str, str, int, str, int], OpenRow] = field(default_factory=dict)
    groups: dict[tuple[int, bool], Group] = field(default_factory=dict)
    # The indices of the versions in version_tallies, by name and version.
    _numbers: dict[tuple[str, int], int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """A table from a cache knows its versions by their tallies alone."""
        self._numbers = {(one.name, one.version): at for at, one in enumerate(self.version_tallies)}

    @property
    def all_pairs(self) -> list[Pairs]:
        """The pairs of games of two, and those of each group."""
        return [self.pairs, *(group.pairs for group in self.groups.values())]

    @property
    def unfinished(self) -> int:
        """The number of games in matches that are not over."""
        return sum(match.games for match in self.open.values())

    @property
    def counts_matches(self) -> bool:
        """Whether the rules make matches the units."""
        return self.conditions is not None and self.conditions.rules.match > 1

    def points_of(self, name: str) -> float:
        return self.bots[name].points if name in self.bots else START

    def versions_of(self, name: str) -> list[int]:
        """The numbers of a bot's versions in this table."""
        return [version for known, version in self._numbers if known == name]

    def results_of(self, name: str, version: int) -> VersionTally:
        """The results of one version of a bot; empty results if it has not played."""
        number = self._numbers.get((name, version))
        return VersionTally(name, version) if number is None else self.version_tallies[number]

    def met(self, one: tuple[str, int], other: tuple[str, int]) -> tuple[int, int, int]:
        """The numbers of units won, lost and tied between two versions of bots, from the first
        one's side. A version is a name and a number."""
        first, second = self._numbers.get(one, -1), self._numbers.get(other, -1)
        if pair := self.pairs.get(first, {}).get(second):
            return pair.won, pair.lost, pair.tied
        pair = self.pairs.get(second, {}).get(first, WonLostTied())
        return pair.lost, pair.won, pair.tied

    def count(self, game: GameResult, versions: Sequence[int]) -> None:
        """Count a game that no order takes out of the count. ``versions`` are the versions of its
        bots, seat by seat."""
        numbers = [self._version_tally(*key) for key in zip(game.names, versions, strict=True)]
        players = [self.version_tallies[number] for number in numbers]
        for seat, player in enumerate(players):
            bot = self.bots.setdefault(player.name, BotTally(player.name, START, player.version))
            bot.version = player.version
            player.counts.play(game, seat)
        if game.match is not None:
            result = self._over(game, game.match, players)
            if result is None or not any(result.points):
                return
            one, other = result.points
            winner = None if one == other else int(one < other)
        elif game.rated:
            self.games += 1
            winner = game.winner
            for seat, player in enumerate(players):
                player.counts.end(winner, seat, game.marks)
        else:
            self.void += 1
            return
        self._count_unit(game, numbers, winner)

    def _over(
        self, game: GameResult, of: OfMatch, players: Sequence[VersionTally]
    ) -> UnitResult | None:
        """Count a game of a match. Return the match's result, seat by seat, if the match is over
        with this game; None otherwise."""
        turned = game.names[1] < game.names[0]
        one, other = players[::-1] if turned else players
        match = of.id, one.name, one.version, other.name, other.version
        new = OpenRow(one.name, other.name, (one.version, other.version), id=of.id)
        unit = self.open.setdefault(match, new)
        unit.add(game)
        if (result := unit_result(unit, of.games)) is None:
            return None
        del self.open[match]
        self.void += unit.void
        self.games += unit.games - unit.void
        one.counts.score(won=unit.won, lost=unit.lost, tied=unit.tied)
        other.counts.score(won=unit.lost, lost=unit.won, tied=unit.tied)
        return result.swapped if turned else result

    def _count_unit(self, game: GameResult, numbers: Sequence[int], winner: int | None) -> None:
        """Count the unit that this game of these versions ends. The winner has won over each other
        player, and takes points from them in the order of their seats. Without a winner the unit is
        a tie of the players with the best mark, or of all if there are no marks."""
        if len(numbers) > 2:
            self._count_group(numbers, game.marks, winner)
        else:
            pair, turned = of_two(self.pairs, numbers[0], numbers[1], WonLostTied)
            pair.end(winner, int(turned))
        for seat, number in enumerate(numbers):
            self.version_tallies[number].units.end(winner, seat, game.marks)
        if winner is not None:
            won, *lost = (self.bots[name] for name in (game.names[winner], *game.names))
            for bot in lost:
                if bot is not won:
                    won.points, bot.points = percentage_rule(won.points, bot.points)

    def _count_group(
        self, numbers: Sequence[int], marks: Sequence[int] | None, winner: int | None
    ) -> None:
        """Count each two versions of a game of more than two. The best seat has the greatest of the
        ``marks``, which are None if only the winner is known: then each other seat has lost to the
        winner, and no other two are compared."""
        key = len(numbers), marks is not None
        group = self.groups.setdefault(key, Group(*key))
        group.games += 1
        values = marks or [int(seat == winner) for seat in range(len(numbers))]
        for first, second in combinations(range(len(numbers)), 2):
            if marks is None and winner not in (first, second):
                continue
            pair, turned = of_two(group.pairs, numbers[first], numbers[second], GroupPair)
            one, other = (second, first) if turned else (first, second)
            ahead = values[one] - values[other]
            pair.score(won=ahead > 0, lost=ahead < 0, tied=ahead == 0)
            pair.first_won += one == winner
            pair.other_won += other == winner

    def _version_tally(self, name: str, version: int) -> int:
        """The index of a version in ``version_tallies``, where a new version is added."""
        number = self._numbers.setdefault((name, version), len(self.version_tallies))
        if number == len(self.version_tallies):
            self.version_tallies.append(VersionTally(name, version))
        return number
