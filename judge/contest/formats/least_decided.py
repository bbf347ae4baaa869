"""Chooses the couples whose games say most about undecided ranks, for a contest with a time budget.
Pure.

The bot with the highest Elo has up to half of the couples, with the bots that are least certain to
be weaker. Then each next bot by Elo meets the one bot below it that is least certain to be weaker.
A couple whose order is certain is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judge.stats.strength import BradleyTerry

SURE = 0.975  # the chance of superiority if the difference's 95% interval ends at 0


def least_decided(strength: BradleyTerry, most: int) -> list[tuple[int, int]]:
    """At most ``most`` different couples, as indices of bots; empty if all ranks are decided."""
    order = sorted(range(len(strength.elo)), key=lambda bot: (-strength.elo[bot], bot))
    couples: dict[tuple[int, int], None] = {}
    for place, bot in enumerate(order[:-1]):
        room = most - len(couples)
        if room <= 0:
            break
        open_ = _open(strength, bot, order[place + 1 :])
        for other in open_[: max(1, room // 2) if not place else 1]:
            couples[min(bot, other), max(bot, other)] = None
    return [*couples]


def _open(strength: BradleyTerry, bot: int, below: Sequence[int]) -> list[int]:
    """The bots of ``below`` that are not certain to be weaker, the least certain first."""
    sure = {other: strength.likelihood_of_superiority(bot, other) for other in below}
    return sorted(
        (other for other in below if sure[other] < SURE), key=lambda other: (sure[other], other)
    )
