"""Orders that are taken back, and damage in what looks like a game: what is left in force, and
that it takes time in proportion to the journal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.contest.journal.journal import Journal
from judge.contest.journal.orders import Order, OrderKind, Orders
from judge.contest.ledger.fold import folded, game_in, orders_in
from judge.errors import LedgerError


@given(st.data())
def test_what_is_released_leaves_in_force_what_is_not(data: st.DataObject) -> None:
    """After each retirement and each release, the first retirement of a bot that has not been taken
    back is in force, as if all orders were read anew."""
    orders = Orders()
    for _ in range(data.draw(st.integers(0, 20))):
        open_ = [number for number, one in enumerate(orders.given, 1) if not one.undone]
        if open_ and data.draw(st.booleans()):
            orders.release(data.draw(st.sampled_from(open_)))
        else:
            orders.add(Order(OrderKind.RETIRE, data.draw(st.sampled_from("abc"))))
        assert orders.retired == Orders(list(orders.given)).retired


def test_a_release_reads_no_other_order() -> None:
    """Of 1,000 bots that retire and come back, each release looks at its own orders alone."""

    class Counted(list[Order]):
        read = 0

        def __getitem__(self, place: Any) -> Any:
            self.read += 1
            return super().__getitem__(place)

        def __iter__(self) -> Iterator[Order]:
            self.read += len(self)
            return super().__iter__()

    count = 1_000
    orders = Orders()
    for number in range(count):
        orders.add(Order(OrderKind.RETIRE, f"bot{number}"))
    orders.given = counted = Counted(orders.given)
    for number in range(count):
        orders.release(number + 1)
    assert orders.retired == {}
    assert counted.read < 4 * count


@pytest.mark.parametrize(
    "text", [rb'{"version":1,"id":"\q","number":2,', rb'{"version":1,"id":"\u12","number":null,']
)
def test_an_escape_that_is_none_is_damage(text: bytes, tmp_path: Path) -> None:
    """A line that begins as a game's does is damaged like any other, whoever reads it."""
    journal = Journal(tmp_path / "x.games.jsonl")
    journal.path.write_bytes(text + b"\n")
    (line,) = journal.lines()
    assert orders_in(journal) == []
    with pytest.raises(LedgerError, match="line 1 is damaged"):
        game_in(journal, line)
    with pytest.raises(LedgerError, match="line 1 is damaged"):
        folded(journal)
