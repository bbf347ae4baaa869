#!/usr/bin/env python3
"""How well each format finds the best bot, simulated: no program is run.

Strengths are drawn from a normal distribution with --sd as its standard deviation in Elo, and a
game is won with the chance that the Elo model gives. Every format gets about as many games. The
first table says how often the strongest bot ends first (alone; shared places count as their share)
and in the first three, and how far the ranks agree with the strengths (Spearman's correlation).
Below it stand contests of the usual length, which have fewer games, and random pairs of as many as
the Swiss one. The last table says after how many games the first place is certain, with rounds and
with --for. The very last says how soon the ranks that a new version of a ladder's bot may have are few.

    scripts/formats.py [--repeat 200] [--seed 1] [--bots 20,200] [--sd 100,200] [--only table|for|new]
"""

from __future__ import annotations

import math
import os
import random
import statistics
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count as count_from
from itertools import islice, product
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import click
import numpy as np
import scipy  # type: ignore[import-untyped] # scipy has no stubs
from msgspec import structs

from judge.contest.formats.every_pair import circle
from judge.contest.formats.least_decided import least_decided
from judge.contest.formats.newcomers import ENOUGH, SPREAD, next_opponent
from judge.contest.formats.registry import Progress
from judge.contest.formats.swiss import swiss_rounds
from judge.contest.formats.units import WON, Meeting, UnitResult
from judge.contest.ladder import FEWEST_CHOSEN, LadderRule
from judge.documents.ledger import Plan
from judge.stats.intervals import expected_score
from judge.stats.percentage_rule import START, percentage_rule
from judge.stats.strength import BradleyTerry, bradley_terry
from measuring import table_head, table_row

CERTAIN = 0.95
SETTLED = 60  # pairs of each bot before a newcomer comes
HOURS = 60  # of a ladder, which has a new version in each
GAMES_AN_HOUR, NEW_SHARE = 3000, 0.5  # of a ladder; the share is that of --share-new
FEW = 0.1  # of all ranks
LOOKED_AT = (60, 120, 250, 500, 1000)  # games of a new version
BUDGET = {20: 380, 200: 4000}  # games


class World:
    """Bots whose strengths are known, and all games that they have played."""

    def __init__(self, elo: Sequence[float], luck: random.Random) -> None:
        self.elo, self.luck, self.games = elo, luck, 0
        self.wins = np.zeros((len(elo), len(elo)), dtype=np.int64)
        self.points = [START] * len(elo)

    @property
    def strength(self) -> BradleyTerry:
        """How strong the bots seem to be."""
        return bradley_terry(self.wins)

    def play(self, one: int, other: int) -> bool:
        """A game; whether the first wins."""
        is_won = self.luck.random() < expected_score(self.elo[one] - self.elo[other])
        winner, loser = (one, other) if is_won else (other, one)
        self.wins[winner, loser] += 1
        self.points[winner], self.points[loser] = percentage_rule(
            self.points[winner], self.points[loser]
        )
        self.games += 1
        return is_won

    def pair(self, one: int, other: int) -> None:
        """Two games."""
        self.play(one, other)
        self.play(other, one)


Ranks = Sequence[float]  # a bot's rank; those that share places have the mean of them
Play = Callable[[World, int], Ranks | None]  # about this many games; None if it needs more
Chosen = Callable[[World], Iterator[None]]  # plays a batch of games at each step
Sized = Callable[[int, int], Mapping[str, int]]  # the numbers of a plan, by the bots and the games


def mean_ranks(keys: Sequence[float]) -> Ranks:
    """The largest key is first."""
    return [float(rank) for rank in scipy.stats.rankdata([-key for key in keys])]


def name(bot: int) -> str:
    return f"{bot:05}"


def by_format(format_: str, sized: Sized, world: World, games: int) -> Ranks | None:
    """Play a contest out, and rank by its places; None where it has no games."""
    numbers = sized(len(world.elo), games)
    if not numbers["units"]:
        return None
    bots = [name(bot) for bot in range(len(world.elo))]
    world.luck.shuffle(bots)  # seeds of a knock-out are drawn
    draw = str(world.luck.getrandbits(53))
    plan = structs.replace(Plan(format=format_, bots=tuple(bots), draw=draw), **numbers)
    results: dict[Meeting, UnitResult] = {}
    while not (progress := Progress(plan, results.get)).is_over:
        for meeting in progress.missing:
            is_won = world.play(int(meeting.one), int(meeting.other))
            results[meeting] = WON if is_won else WON.swapped
    rank_of = {place.name: place.rank for place in progress.places}
    return mean_ranks([-rank_of[bot] for bot in sorted(bots)])


def couples(count: int) -> Iterator[tuple[int, int]]:
    """Everyone against everyone, again and again, in the order of rounds."""
    while True:
        for one, other in circle([name(bot) for bot in range(count)]):
            yield int(one), int(other)


def ranked(
    play: Chosen, keys: Callable[[World], Sequence[float]], world: World, games: int
) -> Ranks:
    """The ranks by these keys, once that number of games is played."""
    next(None for _ in play(world) if world.games >= games)
    return mean_ranks(keys(world))


def as_many(play: Play, world: World, _: int) -> Ranks | None:
    """As many games as a Swiss contest of the usual length has."""
    return play(world, len(world.elo) * swiss_rounds(len(world.elo)))


def at_random(world: World) -> Iterator[None]:
    """Round by round everyone meets somebody drawn."""
    bots = list(range(len(world.elo)))
    while True:
        world.luck.shuffle(bots)
        for one, other in zip(bots[::2], bots[1::2], strict=True):
            world.pair(one, other)
        yield


def as_with_rounds(world: World) -> Iterator[None]:
    """Round by round everyone meets the next of all others."""
    following = couples(len(world.elo))
    while True:
        for one, other in islice(following, len(world.elo) // 2):
            world.pair(one, other)
        yield


def as_with_for(world: World) -> Iterator[None]:
    """Games as --for chooses them."""
    count = len(world.elo)
    half = count // 2
    following = couples(count)
    batch = list(islice(following, half * max(1, math.ceil(math.log2(count)))))
    while True:
        for one, other in batch or islice(following, half):
            world.pair(one, other)
        yield
        batch = least_decided(world.strength, max(2, count // 4))


def by_games_won(world: World) -> Sequence[float]:
    return [*world.wins.sum(axis=1)]


def by_points(world: World) -> Sequence[float]:
    return world.points


def by_elo(world: World) -> Sequence[float]:
    return world.strength.elo


def sized(format_: str, size: Sized) -> Play:
    return partial(by_format, format_, size)


FORMATS: dict[str, Play] = {
    "random pairs, by games won": partial(ranked, at_random, by_games_won),
    "rounds, by points of the 5% rule": partial(ranked, as_with_rounds, by_points),
    "rounds, by Elo": partial(ranked, as_with_rounds, by_elo),
    "--for, by Elo": partial(ranked, as_with_for, by_elo),
    "tournament": sized("tournament", lambda bots, games: {"units": games // math.comb(bots, 2)}),
    "swiss": sized("swiss", lambda bots, games: {"units": 2, "rounds": max(1, games // bots)}),
    "knockout": sized("knockout", lambda bots, games: {"units": max(1, games // (bots - 1))}),
    # About 2.4 units a bot are played by the time that three lives each are gone.
    "lives 3": sized(
        "lives", lambda bots, games: {"units": max(1, round(games / (3 * bots))), "lives": 3}
    ),
    "lives, one game each": sized(
        "lives", lambda bots, games: {"units": 1, "lives": games // bots}
    ),
    "random pairs, as many": partial(as_many, partial(ranked, at_random, by_games_won)),
    "rounds, as many, by Elo": partial(as_many, partial(ranked, as_with_rounds, by_elo)),
    "swiss, as usual": sized("swiss", lambda bots, _: {"units": 2, "rounds": swiss_rounds(bots)}),
    "knockout, as usual": sized("knockout", lambda *_: {"units": 3}),
    "lives, as usual": sized("lives", lambda *_: {"units": 1, "lives": 3}),
}


def worlds(count: int, sd: float, repeat: int, seed: int) -> Iterator[World]:
    for number in range(repeat):
        luck = random.Random(f"{seed} {count} {sd} {number}")
        yield World([luck.gauss(0, sd) for _ in range(count)], luck)


class Found(NamedTuple):
    """The results of contests of one format: the mean number of ``games``, how often the best bot
    was ``first`` and in the ``top`` three, and how far all ranks agreed with the strengths."""

    games: float
    first: float
    top: float
    agreement: float


def found(play: Play, worlds: Iterable[World], games: int) -> Found | None:
    """By a contest in each of the worlds; None if the format needs more games."""
    each = []
    for world in worlds:
        if (ranks := play(world, games)) is None:
            return None
        best = int(np.argmax(world.elo))
        sharing = sum(rank == ranks[best] for rank in ranks)
        # Of those who share a rank, each is as likely before the others.
        before = ranks[best] - (sharing + 1) / 2
        first, top = (max(0.0, min(1.0, (room - before) / sharing)) for room in (1, 3))
        agreement = float(np.corrcoef(ranks, mean_ranks(world.elo))[0, 1])
        each.append(Found(world.games, first, top, agreement))
    return Found(*np.mean(each, axis=0))


def table(count: int, sd: float, repeat: int, seed: int) -> None:
    games = BUDGET.get(count, 20 * count)
    columns = ("format", "games", "best is first", "best in first 3", "rank correlation")
    print(f"\n{count} bots, sd {sd:g} Elo, {games:,} games, {repeat} contests each\n")
    table_head(*columns)
    for called, play in FORMATS.items():
        one = found(play, worlds(count, sd, repeat, seed), games)
        if one is not None:
            shares = (f"{one.first:.0%}", f"{one.top:.0%}", f"{one.agreement:.3f}")
            table_row(called, f"{one.games:,.0f}", *shares)


def games_until_certain(play: Chosen, world: World, most: int) -> tuple[int, int]:
    """After how many games, ``most`` at most, the first place is certain, and who then has it."""
    for _ in play(world):
        strength = world.strength
        first = int(np.argmax(strength.elo))
        others = {*range(len(world.elo))} - {first}
        sure = min(strength.likelihood_of_superiority(first, other) for other in others)
        if sure >= CERTAIN or world.games >= most:
            break
    return world.games, first


def until_certain(count: int, sd: float, repeat: int, seed: int) -> None:
    most = 100 * BUDGET.get(count, 20 * count)
    print(f"\n{count} bots, sd {sd:g} Elo: games until the first place is {CERTAIN:.0%} certain\n")
    table_head("", "median games", "quarter to three quarters", "it was the best")
    for called, play in (("rounds", as_with_rounds), ("--for", as_with_for)):
        spent, right = [], 0
        for world in worlds(count, sd, repeat, seed):
            games, first = games_until_certain(play, world, most)
            spent.append(games)
            right += world.elo[first] == max(world.elo)
        low, middle, high = np.quantile(spent, [0.25, 0.5, 0.75])
        between = f"{low:,.0f} to {high:,.0f}"
        table_row(called, f"{middle:,.0f}", between, f"{right / repeat:.0%}")


def by_neighbours(newcomer: int, elo: Sequence[float], met: Sequence[int]) -> int:
    """The nearest at once: what `next_opponent` does after its first opponents."""
    return next_opponent(newcomer, elo, [*met[:newcomer], SPREAD, *met[newcomer + 1 :]])


def known(strength: BradleyTerry) -> np.ndarray:
    """How much is known of each bot, a row each: half its interval of Elo, and the share of all
    ranks that it may have."""
    elo, ranks = np.array(strength.elo_95), np.array(strength.rank_95)
    return np.column_stack((np.ptp(elo, axis=1) / 2, (np.ptp(ranks, axis=1) + 1) / len(ranks)))


Opponent = Callable[[int, Sequence[float], Sequence[int]], int]
Looks = dict[int, dict[int, np.ndarray]]  # what is known of new versions, after that many games


def ladder(world: World, count: int, opponent: Opponent) -> tuple[Looks, int]:
    """A ladder of ``count`` bots that have met, each in `SETTLED` pairs. Every hour the next of them
    gets a new version, which is a further bot of the world. Returns what is known of each new
    version, and how many games had a newcomer."""
    for one, other in islice(couples(count), SETTLED * count // 2):
        world.pair(one, other)
    games = Counter({name(bot): 2 * SETTLED for bot in range(count)})
    looks: Looks = {number: {} for number in LOOKED_AT}
    playing, by_newcomers = [*range(count)], 0
    for latest in range(count, len(world.elo)):
        playing[latest % count] = latest
        names = [name(bot) for bot in playing]
        rule = LadderRule(NEW_SHARE, deque(circle(names)), opponent)
        left = GAMES_AN_HOUR // 2
        while left:
            strength = bradley_terry(world.wins, playing)
            for (place, bot), number in product(enumerate(playing), LOOKED_AT):
                if bot >= count and bot not in looks[number] and games[name(bot)] >= number:
                    looks[number][bot] = known(strength)[place]
            # Chosen as often as a ladder does while there are newcomers, and less often after.
            is_new = min(games[one] for one in names) < ENOUGH
            most = min(left, max(FEWEST_CHOSEN, len(names) // 8) if is_new else 2 * len(names))
            before = games.copy()
            for couple in rule.next_couples(names, strength, games, most):
                world.pair(*map(int, couple))
                by_newcomers += 2 * (min(before[bot] for bot in couple) < ENOUGH)
            left -= most
    return looks, by_newcomers


def games_until_few(count: int, sd: float, repeat: int, seed: int) -> float:
    """After how many games of every bot with all others the median interval of a rank is under
    `FEW` of the field: the median of ladders."""
    found = []
    for world in worlds(count, sd, repeat, seed):
        luck = np.random.default_rng(world.luck.getrandbits(32))
        chance = [[expected_score(one - other) for other in world.elo] for one in world.elo]
        for games in (round(10 * 1.1**step) for step in count_from()):  # of each couple
            won = np.triu(luck.binomial(games, chance), 1)
            strength = bradley_terry(won + np.tril(games - won.T, -1))
            if np.median(known(strength)[:, 1]) < FEW:
                found.append(games * (count - 1))
                break
    return statistics.median(found)


def newcomers(count: int, sd: float, repeat: int, seed: int) -> None:
    """New versions of a ladder's bots, one an hour."""
    print(
        f"\n{count} bots, sd {sd:g} Elo, {GAMES_AN_HOUR:,} games and a new version an hour: after each "
        "number of games of a version, Elo ± and the median share of the ranks that it may have\n"
    )
    table_head("opponents", *(f"{games} games" for games in LOOKED_AT), "games of newcomers")
    rules = {"all over the table, then neighbours": next_opponent, "neighbours": by_neighbours}
    for called, rule in rules.items():
        several = worlds(count + HOURS, sd, max(1, repeat // 100), seed)
        looks, of_newcomers = zip(*(ladder(world, count, rule) for world in several), strict=True)
        cells = []
        for games in LOOKED_AT:
            seen = [one for look in looks for one in look[games].values()]
            elo, share = np.median(seen, axis=0)
            cells.append(f"± {elo:.0f}, {share:.0%}")
        lost = statistics.mean(of_newcomers) / (HOURS * GAMES_AN_HOUR)
        table_row(called, *cells, f"{lost:.1%}")
    alike = games_until_few(count, sd, max(1, repeat // 20), seed)
    print(
        f"\nWithout new versions that share is under {FEW:.0%} after {alike:,.0f} games of each bot."
    )


TABLES = {"table": table, "for": until_certain, "new": newcomers}


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.option("--repeat", default=200)
@click.option("--seed", default=1)
@click.option("--bots", default="20,200")
@click.option("--sd", default="100,200")
@click.option("--only", type=click.Choice([*TABLES]))
def main(repeat: int, seed: int, bots: str, sd: str, only: str | None) -> None:
    for count, spread in product(map(int, bots.split(",")), map(float, sd.split(","))):
        for name, print_table in TABLES.items():
            if only in (None, name):
                print_table(count, spread, repeat, seed)


if __name__ == "__main__":
    main()
