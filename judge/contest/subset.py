"""The tally of a ledger without some of its bots.

A tally alone does not tell what points would have become without some of its games, nor against
whom a bot forfeited or how it won. So the journal is read again, without those games.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from judge.contest.fold import enter, identified
from judge.contest.ledger import located, read
from judge.contest.tally import Tally

if TYPE_CHECKING:
    from pathlib import Path


def read_without(path: Path, names: Collection[str]) -> Tally:
    """The standings as they would be had the bots ``names`` never played.

    Reads the whole journal: 100,000 games take some seconds. Raises as `read` does, and
    `LedgerError` for any line that cannot be counted.
    """
    # A game voided after this is read counts here as it did before.
    tally = Tally(voided=read(path).voided)
    _, journal = located(path)
    for line in journal.lines():
        _, bots = identified(journal, line)
        if bots.keys().isdisjoint(names):
            enter(tally, journal, line)
    return tally
