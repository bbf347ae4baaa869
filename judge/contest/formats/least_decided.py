"""The meetings that say the most about ranks that are still open: what a time budget is spent on.
Pure.

The first place comes first: half of the games are the leader's against those whom it is least shown
to be stronger than. The others go down the table, to each bot that is not shown to be stronger than
some bot below it, against the closest of those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judge.stats.strength import BradleyTerry

SURE = 0.975  # the chance of a difference whose 95% interval ends at 0


def least_decided(strength: BradleyTerry, most: int) -> list[tuple[int, int]]:
    """At most ``count`` couples, by their numbers, no couple twice; empty if all ranks are decided."""
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
    """Those that a bot is not shown to be stronger than, from the closest."""
    sure = {other: strength.likelihood_of_superiority(bot, other) for other in below}
    return sorted(
        (other for other in below if sure[other] < SURE), key=lambda other: (sure[other], other)
    )
