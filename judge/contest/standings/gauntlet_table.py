"""The table of a gauntlet: what one bot's units against each of the others came to. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from judge.contest.ledger.tally_table import Table
from judge.documents.ledger import Plan
from judge.stats.intervals import Interval, wilson


class Opponent(NamedTuple):
    """One of the others: the units that the bot of the gauntlet has ``won`` and ``lost`` against
    it, and those tied."""

    name: str
    version: int
    won: int
    lost: int
    tied: int

    @property
    def played(self) -> int:
        return self.won + self.lost + self.tied

    @property
    def win_rate(self) -> float | None:
        """A tie is half a win; None before the first unit."""
        return (self.won + self.tied / 2) / self.played if self.played else None

    @property
    def win_rate_95(self) -> Interval | None:
        return wilson(self.won + self.tied / 2, self.played) if self.played else None


@dataclass(frozen=True, slots=True)
class GauntletTable:
    """``bot`` is the one whose gauntlet it is, in this version."""

    bot: str
    version: int
    opponents: tuple[Opponent, ...]

    def to_json(self) -> dict[str, Any]:
        """The ``gauntlet`` of a ``standings`` document."""
        return {
            "bot": self.bot,
            "version": self.version,
            "opponents": [
                {
                    **one._asdict(),
                    "win_rate": one.win_rate,
                    "win_rate_95": one.win_rate_95 and list(one.win_rate_95),
                }
                for one in self.opponents
            ],
        }


def gauntlet_table(
    plan: Plan | None, table: Table, current: Mapping[str, int], order: Sequence[str]
) -> GauntletTable | None:
    """The table of a contest by this plan, with the opponents in this order and all bots in the
    ``current`` version; None if it is no gauntlet, or its bot is not among them."""
    bot = plan.bot if plan is not None and plan.format == "gauntlet" else None
    if bot is None or bot not in current:
        return None
    found = {name: [0, 0, 0] for name in order if name != bot}
    for (one, other), pair in table.pairs.items():
        first, second = table.stints[one], table.stints[other]
        versions = {first.name: first.version, second.name: second.version}
        if bot not in versions or any(current.get(n) != number for n, number in versions.items()):
            continue
        is_first = first.name == bot
        results = (pair.won, pair.lost) if is_first else (pair.lost, pair.won)
        counts = found[second.name if is_first else first.name]
        for at, count in enumerate((*results, pair.tied)):
            counts[at] += count
    opponents = tuple(Opponent(name, current[name], *counts) for name, counts in found.items())
    return GauntletTable(bot, current[bot], opponents)
