"""Chooses who meets next in a ladder: a contest without an end, which new bots and versions join at
any time. `scripts/formats.py` simulates the rule."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from judge.contest.contest import Contest
from judge.contest.formats.every_pair import circle
from judge.contest.formats.least_decided import least_decided
from judge.contest.formats.newcomers import ENOUGH, next_opponent
from judge.contest.ledger.tally import Tally
from judge.contest.standings.standings import strength_among
from judge.process.bots.bot import Bot

if TYPE_CHECKING:
    from judge.stats.strength import BradleyTerry

FEWEST_CHOSEN = 4  # the fewest couples for one estimate of all strengths


@dataclass(slots=True)
class LadderRule:
    """Chooses the couples of bots that meet in a ladder. While there are newcomers, bots with fewer
    than ``enough`` games, a share ``new_share`` of the couples has one."""

    new_share: float
    in_turn: deque[tuple[str, str]]
    """All couples, which take turns once every rank is decided."""
    opponent: Callable[[int, Sequence[float], Sequence[int]], int] = next_opponent
    enough: int = ENOUGH
    _credit: float = field(init=False)  # at 1 a newcomer has its turn
    _met: dict[str, Counter[str]] = field(default_factory=dict)  # how often newcomers met others

    def __post_init__(self) -> None:
        self._credit = 1 - self.new_share if self.new_share else 0.0  # the first couple is theirs

    def next_couples(
        self, names: Sequence[str], strength: BradleyTerry, games: Counter[str], most: int
    ) -> Iterator[tuple[str, str]]:
        """Yield the next ``most`` couples of the bots ``names``, which have this fitted
        ``strength``. Add 2 for both bots of a couple to ``games``, the number of each bot's
        games."""
        # Twice as many as bots, since the leader has up to half of them; then every bot is there.
        found = least_decided(strength, 2 * len(names))
        least = [(names[one], names[other]) for one, other in found]
        # The fewest games first: else the top of the table, where ranks are never decided, would
        # have them all.
        least.sort(key=lambda couple: min(games[couple[0]], games[couple[1]]))
        undecided = deque(couple for couple in least if self._are_settled(couple, games))
        for _ in range(most):
            new = [name for name in names if games[name] < self.enough]
            self._credit += self.new_share if new else 0.0
            if new and (self._credit >= 1 or len(names) - len(new) < 2):
                self._credit = max(0.0, self._credit - 1)
                one = min(new, key=lambda name: (games[name], name))
                counts = self._met.setdefault(one, Counter())
                times = [counts[name] for name in names]
                other = names[self.opponent(names.index(one), strength.elo, times)]
                counts[other] += 1
            elif undecided:
                one, other = undecided.popleft()
            else:
                self.in_turn.rotate(-1)
                while not self._are_settled(self.in_turn[0], games):
                    self.in_turn.rotate(-1)
                one, other = self.in_turn[0]
            games[one] += 2
            games[other] += 2
            yield min(one, other), max(one, other)

    def _are_settled(self, couple: tuple[str, str], games: Counter[str]) -> bool:
        """Whether both bots of a couple have played enough games, and so are not newcomers."""
        return all(games[name] >= self.enough for name in couple)


def couples(contest: Contest, new_share: float) -> Iterator[tuple[str, str]]:
    """Yield the couples that meet next, as long as two bots play. While there are newcomers, a
    share ``new_share`` of the couples has a newcomer and its `next_opponent`. The others are
    settled bots whose ranks are least decided, fewest games first, or couples in turn if all are
    decided."""
    in_turn = deque(circle(sorted(bot.name for bot in contest.setup.bots)))
    rule = LadderRule(new_share, in_turn, enough=ENOUGH)
    while True:
        hopeless = contest.deferrals
        names = sorted(bot.name for bot in contest.setup.bots if not hopeless.concerns([bot.name]))
        if len(names) < 2:
            return
        games = _games_of(contest.tally, contest.setup.bots)
        strength = strength_among(contest.tally, names, contest.digests)
        yield from rule.next_couples(names, strength, games, max(FEWEST_CHOSEN, len(names) // 8))


def _games_of(tally: Tally, bots: Sequence[Bot]) -> Counter[str]:
    """The number of units, games or matches, that each bot has played in its present version."""
    games: Counter[str] = Counter()
    for bot in bots:
        version = tally.version_of(bot.name, bot.digest)
        if version is not None:
            games[bot.name] = tally.table.results_of(bot.name, version).units.games
    return games
