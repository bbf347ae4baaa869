"""The entry of a ledger on how its contest is held. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from judge.contest.formats.registry import USUAL, format_of
from judge.contest.ledger.tally import Tally
from judge.contest.seeds import spelled
from judge.documents.ledger import Contest, Plan


def entry_for(plan: Plan, tally: Tally, contest_key: str, seed: int) -> Contest | None:
    """The entry that tells the ledger how its contest is held; None if it needs none, as rounds
    do."""
    kept = tally.contest
    stored = plan if format_of(plan).is_closed else replace(plan, bots=())
    is_usual = (plan.format, plan.match, plan.seats) == (USUAL, 1, 2)
    if kept is None and is_usual:
        return None
    if kept is not None and (kept.plan, kept.contest_key) == (stored, contest_key):
        return None
    return Contest(seed=spelled(seed), contest_key=contest_key, plan=stored)
