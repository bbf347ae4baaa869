#!/usr/bin/env python3
"""Simulate contests of games of more than two players, and print how often the Elo intervals hold
the truth: as the judge has them, and as they would be if the pairs of a game were independent.

The test suite runs these same simulations at a small size. All of it is seeded. Nothing is timed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

from judge.contest.formats import groups
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.played import Played
from judge.contest.ledger.tally_table import Table
from judge.contest.standings.standings import Version, strength_of
from judge.game.limits import Limits
from judge.game.variants import VARIANTS
from judge.stats.intervals import ELO_PER_NAT
from judge.stats.strength import bradley_terry, worth_of_pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

Scores = Callable[[np.random.Generator, "NDArray[np.float64]"], "NDArray[np.float64]"]
LONG = 30_000  # games, after which what is fitted is the truth


def ranked(luck: np.random.Generator, strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every pair by the Elo model: Luce's and Plackett's ranking."""
    return strengths + luck.gumbel(size=strengths.shape)


def hits(luck: np.random.Generator, strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points that are counted one by one, so that there are ties."""
    return luck.poisson(8 * np.exp(strengths / 3)).astype(float)


def one_favoured(luck: np.random.Generator, strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """A ranking in which one of the seats is lucky, so that who meets it loses to it together."""
    scores = ranked(luck, strengths)
    seats = scores.shape[-1]
    return np.asarray(scores + 2 * np.eye(seats)[luck.integers(seats, size=scores.shape[:-1])])


class Arena(NamedTuple):
    """Contests of so many ``bots``, whose strengths have the standard deviation ``sd`` in Elo, in
    so many ``rounds`` of games of so many ``seats``."""

    bots: int
    seats: int
    sd: float
    rounds: int
    scores: Scores


ARENAS = (
    Arena(6, 3, 200, 6, ranked),
    Arena(12, 4, 0, 3, ranked),
    Arena(12, 4, 200, 3, ranked),
    Arena(12, 4, 400, 3, ranked),
    Arena(12, 4, 100, 30, ranked),
    Arena(20, 9, 200, 3, ranked),
    Arena(12, 4, 0, 3, hits),
    Arena(12, 4, 200, 3, hits),
    Arena(20, 9, 200, 3, hits),
    Arena(12, 4, 0, 3, one_favoured),
    Arena(12, 4, 200, 3, one_favoured),
)


class Kept(NamedTuple):
    """How often intervals held the truth: Elo, Elo from independent pairs, ranks; and how wide
    those of Elo are, to either side."""

    elo: float
    independent: float
    rank: float
    reach: float


def coverage(arena: Arena, *, trials: int, seed: int) -> Kept:
    """Play so many contests of an arena by the judge's own groups, and count them as it does."""
    luck = np.random.default_rng(seed)
    strengths = luck.normal(size=arena.bots) * arena.sd / ELO_PER_NAT
    strengths -= strengths.mean()
    truth = ELO_PER_NAT * strengths
    if arena.scores is not ranked:
        truth = _long_run(arena, luck, strengths)
    true_ranks = 1 + (truth[None, :] > truth[:, None] + 1e-9).sum(axis=1)
    names = [f"b{number:02}" for number in range(arena.bots)]
    held = np.zeros(4)
    for trial in range(trials):
        table = Table(ConditionSet(VARIANTS["xbs"], Limits()))
        wins = np.zeros((arena.bots, arena.bots))
        for games in islice(groups.rounds(names, arena.seats, trial), arena.rounds):
            for game in games:
                seats = [names.index(name) for name in game]
                scores = arena.scores(luck, strengths[seats])
                _count(table, game, scores)
                wins[np.ix_(seats, seats)] += _ahead(scores)
        found = strength_of(table, [Version(name, 1) for name in names])
        naive = bradley_terry(wins)
        held += np.array(
            (
                _within(found.elo_95, truth),
                _within(naive.elo_95, truth),
                np.mean(
                    [
                        low <= rank <= high
                        for rank, (low, high) in zip(true_ranks, found.rank_95, strict=True)
                    ]
                    if arena.sd
                    else [low == 1 and high == arena.bots for low, high in found.rank_95]
                ),
                np.mean([(high - low) / 2 for low, high in found.elo_95]),
            )
        )
    return Kept(*(float(share) for share in held / trials))


def _long_run(
    arena: Arena, luck: np.random.Generator, strengths: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What the Elo of a contest without end comes to."""
    seats = luck.random((LONG, arena.bots)).argsort(axis=1)[:, : arena.seats]
    scores = arena.scores(luck, strengths[seats])
    wins = np.zeros((arena.bots, arena.bots))
    for first in range(arena.seats):
        for second in range(arena.seats):
            if first != second:
                ahead = (np.sign(scores[:, first] - scores[:, second]) + 1) / 2
                np.add.at(wins, (seats[:, first], seats[:, second]), ahead)
    return np.array(bradley_terry(wins * worth_of_pairs(arena.seats)).elo)


def _count(table: Table, names: Sequence[str], scores: NDArray[np.float64]) -> None:
    marks = tuple(np.unique(scores, return_inverse=True)[1].tolist())
    leaders = [seat for seat, mark in enumerate(marks) if mark == max(marks)]
    game = Played(
        id="",
        names=tuple(names),
        digests=(None,) * len(names),
        conditions=table.conditions,
        winner=leaders[0] if len(leaders) == 1 else None,
        termination="goal",
        forfeits={},
        shots=None,
        volleys=None,
        rated=True,
        marks=marks,
    )
    table.count(game, [1] * len(names), [0] * len(names))


def _ahead(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    ahead = (np.sign(scores[:, None] - scores[None, :]) + 1) / 2
    np.fill_diagonal(ahead, 0)
    return np.asarray(ahead)


def _within(intervals: Sequence[tuple[float, float]], truth: NDArray[np.float64]) -> float:
    return float(
        np.mean([low <= true <= high for true, (low, high) in zip(truth, intervals, strict=True)])
    )


def main() -> None:
    """Print a row for each arena."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("--trials", type=int, default=400, help="contests a row (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the chance (%(default)s)")
    options = parser.parse_args()
    print("bots seats sd  rounds scores         Elo 95%  independent  rank 95%  +-Elo")
    for arena in ARENAS:
        kept = coverage(arena, trials=options.trials, seed=options.seed)
        print(
            f"{arena.bots:4} {arena.seats:5} {arena.sd:3} {arena.rounds:6} "
            f"{arena.scores.__name__:13}  {kept.elo:7.1%}  {kept.independent:11.1%}  "
            f"{kept.rank:8.1%}  {kept.reach:5.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
