"""How many rounds a contest in rounds, or one bot's gauntlet, has come to. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from judge.contest.formats.table import format_of
from judge.contest.ledger.tally_table import Table
from judge.documents.ledger import Plan


def rounds_played(plan: Plan | None, table: Table, current: Mapping[str, int]) -> int | None:
    """How many rounds, or matches where these count, every two bots have played in their
    ``current`` versions; of a gauntlet its bot and every other. None where some have played more
    than others, as before the contest is over, or where the contest is not held so."""
    if plan is None or format_of(plan).has_places or plan.table > 2:
        return None
    units = (
        sum(table.met(one, other))
        for one, other in combinations(current.items(), 2)
        if plan.bot in (None, one[0], other[0])
    )
    count = next(units, 0)
    rounds, rest = divmod(count, 1 if table.counts_matches else 2)
    return rounds if rounds and not rest and all(more == count for more in units) else None
