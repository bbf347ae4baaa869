"""The ledger of a shard, and whether two shards are of one contest.

It reads and never writes. A shard may come from a stranger's machine: it is checked before it is
used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from judge import schemas
from judge.contest.formats.kept import KeptContest, entry_of
from judge.contest.formats.plan import Plan
from judge.contest.formats.shard import Shard
from judge.contest.formats.table import FORMATS
from judge.contest.journal.journal import Journal, Line
from judge.contest.ledger.condition_set import ConditionSet, difference
from judge.contest.ledger.files import located
from judge.contest.ledger.fold import counting_games
from judge.contest.ledger.ledger import read
from judge.contest.ledger.played import MOST_GAMES
from judge.contest.ledger.tally import Tally
from judge.errors import LedgerError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

_MOST_NAMED = 5  # bots in one sentence
_OPTIONS = {  # by which a plan gets what it has under these names
    "name": "--format",
    "units": "--rounds or --games",
    "rounds": "--rounds",
    "match": "--games",
    "lives": "--lives",
    "bot": "--bot",
    "bots": "bots",
    "draw": "--seed",
    "table": "--table",
}


@dataclass(frozen=True, slots=True)
class ShardLedger:
    """The ledger of a shard, and where in its journal each game is that counts."""

    path: Path
    journal: Journal
    tally: Tally
    plan: Plan
    shard: Shard
    called: str
    seed: int
    conditions: ConditionSet | None
    lines: dict[str, Line]

    @classmethod
    def at(cls, path: Path) -> ShardLedger:
        """Raises `UsageError` if it is not the ledger of a shard."""
        place, journal = located(path)
        if place.exists() and not journal.path.exists():
            raise LedgerError(
                f"{path} is there, but its journal {journal.path} is not, and holds the games of the "
                "shard: bring it here as well"
            )
        tally = read(path)
        contest, seed = tally.contest, tally.seed
        if contest is None or contest.plan.shard is None or seed is None:
            raise UsageError(
                f"{path} is not the ledger of a shard, as `judge rank FOLDER --shard 3/8` makes one"
            )
        if not _is_sound(contest, seed):
            raise LedgerError(
                f"{path} is damaged: there can be no contest such as its shard is of; bring back a "
                "copy of it and of its journal"
            )
        for number, order in enumerate(tally.orders.given, 1):
            if not order.undone and order.bot is not None:
                raise UsageError(
                    f"{path} has order {number}, to {order.kind} {order.bot}; take it back with "
                    f"`judge ledger undo`, and give it to the merged ledger"
                )
        return cls(
            path=place,
            journal=journal,
            tally=tally,
            plan=contest.plan,
            shard=contest.plan.shard,
            called=contest.called,
            seed=seed,
            conditions=_conditions_of(tally, path),
            lines=counting(journal, tally),
        )


def require_alike(first: ShardLedger, other: ShardLedger) -> None:
    """Raise `UsageError` if two shards are not of one contest."""
    names = f"{first.path} and {other.path}"
    rules = [one.called.rpartition(":")[0] for one in (first, other)]
    if rules[0] != rules[1]:
        raise UsageError(
            f"{names} are no shards of one contest: one is by the rules {rules[0]}, the other by "
            f"{rules[1]}"
        )
    if (first.seed, first.called) != (other.seed, other.called):
        raise UsageError(
            f"{names} are no shards of one contest: they have different seeds, and all shards need "
            "the same --seed"
        )
    mine, theirs = first.conditions, other.conditions
    if mine and theirs and mine != theirs:
        here, there = difference(mine, theirs)
        raise UsageError(
            f"{names} are no shards of one contest: one has games with {here}, the other with "
            f"{there}; play all shards with the same options"
        )
    if first.shard.of != other.shard.of:
        raise UsageError(
            f"{names} are no shards of one contest: one is shard {first.shard}, the other "
            f"{other.shard}"
        )
    if set(first.plan.bots) != set(other.plan.bots):
        odd = ", ".join(sorted({*first.plan.bots} ^ {*other.plan.bots})[:_MOST_NAMED])
        raise UsageError(
            f"{names} are no shards of one contest: only one of them is with {odd}; play all "
            "shards with the same bots"
        )
    if replace(first.plan, shard=None) != replace(other.plan, shard=None):
        held, wanted = first.plan.to_json(), other.plan.to_json()
        field = next(key for key in held | wanted if held.get(key) != wanted.get(key))
        raise UsageError(
            f"{names} are no shards of one contest: they were played with different "
            f"{_OPTIONS[field]}; play all shards with the same options"
        )


def _conditions_of(tally: Tally, path: Path) -> ConditionSet | None:
    """The conditions of the games of a ledger; None before the first one. Raises `UsageError` if
    they differ."""
    held = list(tally.tables)
    for other in held[1:]:
        if held[0] != other:
            some, others = difference(held[0], other)
            raise UsageError(
                f"{path} holds games with {some}, and others with {others}; a shard has the same "
                "conditions in all its games, so play it anew"
            )
    return held[0] if held else None


def _is_sound(contest: KeptContest, seed: int) -> bool:
    """Whether there can be such a contest in shards: a journal is looked at no further than what is
    counted."""
    plan = contest.plan
    entry = entry_of(plan, contest.called, str(seed))
    return (
        schemas.problem("journal-entry", entry) is None
        and not FORMATS[plan.format].is_closed
        and plan.match <= MOST_GAMES
        and 2 <= plan.table <= len(plan.bots)
        and (plan.format != "gauntlet" or plan.bot in plan.bots)
    )


def counting(journal: Journal, tally: Tally) -> dict[str, Line]:
    """The lines of the games that no order takes out of the count, by their ids."""
    return {game.id: replace(game.line, data=b"") for game in counting_games(journal, tally)}
