"""Chooses who meets next in a contest without an end, to which new bots and versions come at any
time."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence

from judge.contest.contest import Contest
from judge.contest.formats.every_pair import circle
from judge.contest.formats.least_decided import least_decided
from judge.contest.formats.newcomers import ENOUGH, next_opponent
from judge.contest.ledger.tally import Tally
from judge.contest.standings.standings import strength_among
from judge.process.bots.bot import Bot

FEWEST_CHOSEN = 4  # the fewest couples for one estimate of all strengths


def couples(contest: Contest, new_share: float) -> Iterator[tuple[str, str]]:
    """The couples that meet next. While there are newcomers, a share ``new_share`` of the couples
    has a newcomer and its `next_opponent`. The other couples are settled bots whose ranks are least
    decided."""
    credit = 1 - new_share if new_share else 0.0  # so that a newcomer has the first couple
    in_turn = deque(circle(sorted(bot.name for bot in contest.setup.bots)))
    met: dict[str, Counter[str]] = {}
    while True:
        hopeless = contest.deferrals
        names = sorted(bot.name for bot in contest.setup.bots if not hopeless.concerns([bot.name]))
        if len(names) < 2:
            return
        games = _games_of(contest.tally, contest.setup.bots)
        found = strength_among(contest.tally, names, contest.digests)
        least = ((names[one], names[other]) for one, other in least_decided(found, len(names)))
        undecided = deque(couple for couple in least if _are_settled(couple, games))
        for _ in range(max(FEWEST_CHOSEN, len(names) // 8)):
            new = [name for name in names if games[name] < ENOUGH]
            credit += new_share if new else 0.0
            if new and (credit >= 1 or len(names) - len(new) < 2):
                credit = max(0.0, credit - 1)
                one = min(new, key=lambda name: (games[name], name))
                counts = met.setdefault(one, Counter())
                times = [counts[name] for name in names]
                other = names[next_opponent(names.index(one), found.elo, times)]
                counts[other] += 1
            elif undecided:
                one, other = undecided.popleft()
            else:  # every rank is decided, so all settled couples take turns
                in_turn.rotate(-1)
                while not _are_settled(in_turn[0], games):
                    in_turn.rotate(-1)
                one, other = in_turn[0]
            games[one] += 2
            games[other] += 2
            yield min(one, other), max(one, other)


def _are_settled(couple: tuple[str, str], games: Counter[str]) -> bool:
    """Whether both bots of a couple have played `ENOUGH` games, and so are not newcomers."""
    return all(games[name] >= ENOUGH for name in couple)


def _games_of(tally: Tally, bots: Sequence[Bot]) -> Counter[str]:
    """The number of games of each bot in its present version, or of matches if the unit is a
    match."""
    games: Counter[str] = Counter()
    for bot in bots:
        version = tally.version_of(bot.name, bot.digest)
        if version is not None:
            games[bot.name] = tally.table.results_of(bot.name, version).units.games
    return games
