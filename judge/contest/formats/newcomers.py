"""The next opponent of a newcomer in a contest without an end. Pure.

A newcomer first meets bots all over the table, so that a few games show roughly where it ranks.
Then it meets the bots nearest in strength, whose games with it decide its rank.
`scripts/formats.py` measures this rule.
"""

from __future__ import annotations

from collections.abc import Sequence

SPREAD = 6
"""The number of pairs of games that a newcomer first plays against bots all over the table."""
NEIGHBOURS = 12
"""The number of bots nearest in strength among which a newcomer's next opponent is chosen."""
ENOUGH = 60
"""The number of games after which a version is not a newcomer any more."""


def next_opponent(newcomer: int, elo: Sequence[float], met: Sequence[int]) -> int:
    """The index of the bot that a newcomer meets next. ``elo`` has each bot's Elo, and ``met`` how
    many pairs of games the newcomer has played with each bot."""
    others = [bot for bot in range(len(elo)) if bot != newcomer]
    table = sorted(others, key=lambda bot: (-elo[bot], bot))
    times = sum(met)
    if times < SPREAD:
        return table[int(_spread(times) * len(table))]
    near = sorted(others, key=lambda bot: (abs(elo[bot] - elo[newcomer]), bot))[:NEIGHBOURS]
    return min(near, key=lambda bot: met[bot])


def _spread(number: int) -> float:
    """The point of this number, from 0, in van der Corput's sequence 1/2, 1/4, 3/4, 1/8, …. Each
    point lies in the middle of a widest gap that the earlier points leave between 0 and 1."""
    at, step, number = 0.0, 0.5, number + 1
    while number:
        at, step, number = at + step * (number & 1), step / 2, number >> 1
    return at
