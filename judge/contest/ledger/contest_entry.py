"""What a ledger is told of how its contest is held. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from judge.contest.formats.kept import entry_of
from judge.contest.formats.plan import Plan
from judge.contest.formats.table import FORMATS
from judge.contest.ledger.tally import Tally

ALIKE = frozenset({"rounds", "gauntlet"})  # one contest, of which one plays a part


def entry_for(plan: Plan, tally: Tally, called: str, seed: int) -> Mapping[str, Any] | None:
    """What the ledger has to be told of how its contest is held, if anything. Rounds need no
    word."""
    kept, has_field = tally.contest, FORMATS[plan.format].is_closed or plan.shard is not None
    stored = plan if has_field else replace(plan, bots=())
    is_usual = (plan.format, plan.match, plan.table, plan.shard) == ("rounds", 1, 2, None)
    if kept is None and is_usual:
        return None
    if kept is not None and (kept.plan, kept.called) == (stored, called):
        return None
    return entry_of(stored, called, str(seed))
