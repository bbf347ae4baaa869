"""A table of a tally: what the games under the same conditions came to. Pure.

Games of more than two players are counted by the pairs of players that they contain, those of as
many players together, for how much their pairs say depends on that number: see
`judge.stats.strength.worth_of_pairs`.

Games are counted by *stints*: those of one version of a bot. Points go on by name. Points, and what
strength is computed from, count *units*: games, or whole matches where the rules say so. A match
counts with its last game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple, TypeVar

from judge.contest.formats.units import UnitResult, UnitTally
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.results import Counts
from judge.documents.game import OfMatch
from judge.documents.ledger import Count, GameResult
from judge.stats.percentage_rule import START, percentage_rule

Pair = TypeVar("Pair")


@dataclass(slots=True)
class BotTally:
    """A bot's points in a table, and the ``version`` of it that played last."""

    name: str
    version: int
    points: float = START


@dataclass(slots=True)
class VersionTally:
    """The results of a version of a bot: its ``units``, and the ``counts`` of the games that these are
    made of."""

    name: str
    version: int
    units: Counts = field(default_factory=Counts)
    counts: Counts = field(default_factory=Counts)


@dataclass(slots=True)
class PairTally:
    """The units of two stints, as the first of them sees it."""

    won: Count = 0
    lost: Count = 0
    tied: Count = 0


class MatchKey(NamedTuple):
    """A match by its id and its two bots, with the version of each; ``one`` is the bot whose name
    sorts first. An id by itself may be that of other bots' match."""

    id: str
    one: str
    one_version: int
    other: str
    other_version: int


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


@dataclass(slots=True)
class TallyTable:
    """The games of a ledger; all were played under the same ``conditions``, None before the first.

    ``games`` are those that count; ``void`` those that count for nobody by how they ended, and
    ``voided`` and ``disqualified`` those that an order takes out of the count. ``open`` are the
    matches that are not over, as where one of their games was taken out of the count. ``pairs`` has
    each two stints that played a unit of two once, by their numbers among the ``version_tallies``, first the
    one that sat in seat 0 when they first met; ``groups`` has the games of more than two.
    """

    conditions: ConditionSet | None = None
    games: Count = 0
    void: Count = 0
    voided: Count = 0
    disqualified: Count = 0
    bots: dict[str, BotTally] = field(default_factory=dict)
    version_tallies: list[VersionTally] = field(default_factory=list)
    pairs: dict[tuple[int, int], PairTally] = field(default_factory=dict)
    open: dict[MatchKey, UnitTally] = field(default_factory=dict)
    groups: dict[GroupKey, GroupTally] = field(default_factory=dict)
    # The numbers of the stints, by name and version.
    _numbers: dict[tuple[str, int], int] = field(default_factory=dict)

    @property
    def recorded(self) -> int:
        return self.games + self.void + self.voided + self.disqualified + self.unfinished

    @property
    def unfinished(self) -> int:
        """The games of matches that are not over."""
        return sum(match.games for match in self.open.values())

    @property
    def counts_matches(self) -> bool:
        """Whether the unit is a match by these rules."""
        return self.conditions is not None and self.conditions.rules.match > 1

    def points_of(self, name: str) -> float:
        return self.bots[name].points if name in self.bots else START

    def versions_of(self, name: str) -> list[int]:
        """The versions of a bot that have played here."""
        return [version for known, version in self._numbers if known == name]

    def number_of(self, name: str, version: int) -> int | None:
        """The place of a stint among all; None if it has not played."""
        return self._numbers.get((name, version))

    def results_of(self, name: str, version: int) -> VersionTally:
        """The results of one version of a bot."""
        number = self.number_of(name, version)
        return VersionTally(name, version) if number is None else self.version_tallies[number]

    def met(self, one: tuple[str, int], other: tuple[str, int]) -> tuple[int, int, int]:
        """The units of two versions of bots, each a name and a number, from the side of the first: won,
        lost and tied."""
        first, second = self._numbers.get(one, -1), self._numbers.get(other, -1)
        if pair := self.pairs.get((first, second)):
            return pair.won, pair.lost, pair.tied
        pair = self.pairs.get((second, first), PairTally())
        return pair.lost, pair.won, pair.tied

    def count(self, game: GameResult, versions: Sequence[int]) -> None:
        """Count a game that no order takes out of the count."""
        numbers = [self._version_tally(*key) for key in zip(game.names, versions, strict=True)]
        players = [self.version_tallies[number] for number in numbers]
        for seat, player in enumerate(players):
            bot = self.bots.setdefault(player.name, BotTally(player.name, player.version))
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
        """The result, seat by seat, of the match that is over with this game; None if it goes on."""
        turned = game.names[1] < game.names[0]
        one, other = players[::-1] if turned else players
        match = MatchKey(of.id, one.name, one.version, other.name, other.version)
        unit = self.open.setdefault(match, UnitTally((one.version, other.version)))
        unit.add(game, swapped=turned)
        if (result := unit.result(of.games)) is None:
            return None
        del self.open[match]
        self.void += unit.void
        self.games += unit.games - unit.void
        one.counts.score(won=unit.won, lost=unit.lost, tied=unit.tied)
        other.counts.score(won=unit.lost, lost=unit.won, tied=unit.tied)
        return result.swapped if turned else result

    def _count_unit(self, game: GameResult, numbers: Sequence[int], winner: int | None) -> None:
        """Count the unit that is over with a game of these stints: a win over each of the others, in the
        order of their seats; or a tie of those who share the best mark, and of all without marks."""
        if len(numbers) > 2:
            key = GroupKey(len(numbers), ranked=game.marks is not None)
            self.groups.setdefault(key, GroupTally()).count(numbers, game.marks, winner)
        else:
            pair, turned = of_two(self.pairs, numbers[0], numbers[1], PairTally)
            pair.tied += winner is None
            pair.won += winner == int(turned)
            pair.lost += winner == 1 - turned
        for seat, number in enumerate(numbers):
            self.version_tallies[number].units.end(winner, seat, game.marks)
        if winner is not None:
            won, *lost = (self.bots[name] for name in (game.names[winner], *game.names))
            for bot in lost:
                if bot is not won:
                    won.points, bot.points = percentage_rule(won.points, bot.points)

    def _version_tally(self, name: str, version: int) -> int:
        """The number of a stint, which begins with its first game."""
        number = self._numbers.setdefault((name, version), len(self.version_tallies))
        if number == len(self.version_tallies):
            self.version_tallies.append(VersionTally(name, version))
        return number
