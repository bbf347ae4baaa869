"""The seed of a contest whose entry somebody has removed from the journal.

The entry stands on the first line of most journals. Without it the games of the contest would not
be known again, and all of them would be played once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from judge.contest.games import GameId
from judge.contest.journal.journal import Journal
from judge.contest.ledger.fold import game_in
from judge.contest.ledger.tally import Tally
from judge.contest.seeds import contest_name
from judge.errors import LedgerError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


def seed_entry(seed: int) -> dict[str, Any]:
    """The entry of a journal that holds the seed of its contest."""
    return {"version": 1, "kind": "contest", "seed": str(seed)}


def require_seed(tally: Tally, journal: Journal, seed: int | None) -> None:
    """Raise `UsageError` if there are games of a contest and its seed is not known, unless it is
    ``seed``, which somebody typed."""
    if tally.seed is not None or not tally.recorded:
        return
    names = () if seed is None else (str(seed), contest_name(seed))
    for line in journal.lines():
        found = game_in(journal, line)
        game = None if found is None else GameId.read(found[0])
        if found is None or game is None:
            continue
        if game.called.rpartition(":")[2] in names:
            return
        raise UsageError(
            f"{journal.path} has games of a contest, such as {found[0]}, and no longer the line "
            "with its seed, so all of them would be played again; bring back a copy of the file, "
            "or give --seed with the seed of that contest"
        )


def lost_entry(saved: Tally, tally: Tally, path: Path, journal: Path) -> Mapping[str, Any] | None:
    """The entry of a contest's seed that ``X.json`` as it was ``saved`` knows and the ``tally`` of
    its journal does not, if there is one. Raises `LedgerError` where more than the seed is lost."""
    if saved.contest is not None and tally.contest is None:
        raise LedgerError(
            f"{path} holds a contest of the format {saved.contest.plan.format}, and {journal} no "
            "longer has the line that says so. Nothing was changed; bring back a copy of the journal"
        )
    if saved.seed is None or tally.seed is not None:
        return None
    return seed_entry(saved.seed)
