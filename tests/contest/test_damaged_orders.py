"""What is said of a journal from which somebody has taken a line before an order."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from judge.contest.journal import order_entries
from judge.contest.journal.rebuild import rebuild
from judge.contest.ledger.ledger import Ledger
from judge.errors import LedgerError
from ledgers import fill


def test_an_order_is_never_to_be_removed(tmp_path: Path) -> None:
    """Others count it, and the line that is wrong is one before it: a copy is asked for."""
    path = tmp_path / "ledger.json"
    fill(path, 1, 2)
    with Ledger(path) as ledger:
        ledger.order(partial(order_entries.void, games=[2], reason="a test"))
    journal = path.with_suffix(".games.jsonl")
    first, _, order = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(first + order)
    with pytest.raises(LedgerError, match="it voids game 2, and 1 games stand before it") as raised:
        rebuild(path)
    assert "bring back a copy of the file; `judge ledger verify` names every line" in str(
        raised.value
    )
    assert "remove that line" not in str(raised.value)
