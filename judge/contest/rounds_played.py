"""How many rounds a contest in rounds, or one bot's gauntlet, has come to. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import combinations

from judge.contest.ledger.tally_table import Table
from judge.documents.ledger import Plan


def rounds_played(plan: Plan | None, table: Table, current: Mapping[str, int]) -> int | None:
    """How many rounds, or matches where these count, every two bots have played in their
    ``current`` versions; of a gauntlet its bot and every other. None where some have played more
    than others, as before the contest is over, or where the contest is not held so."""
    if plan is None or plan.format not in ("rounds", "gauntlet") or plan.table > 2:
        return None
    units: Counter[frozenset[str]] = Counter()
    for (one, other), pair in table.pairs.items():
        bots = table.stints[one], table.stints[other]
        if all(current.get(bot.name) == bot.version for bot in bots):
            units[frozenset(bot.name for bot in bots)] += pair.won + pair.lost + pair.tied
    couples = map(frozenset, combinations(current, 2))
    counts = {units[couple] for couple in couples if plan.bot is None or plan.bot in couple}
    rounds, rest = divmod(counts.pop() if len(counts) == 1 else 0, 1 if table.counts_matches else 2)
    return rounds if rounds and not rest else None
