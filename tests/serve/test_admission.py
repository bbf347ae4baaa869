"""How many clients a server takes, by where they come from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.serve.admission import (
    COMING_AGAIN,
    COMING_SECONDS,
    FEWEST,
    Admission,
    ClientBounds,
    network,
)
from serving import later, run


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
    ],
)
def test_who_counts_as_one(one: str, other: str, is_same: bool) -> None:
    """Each address of IPv4 counts by itself, and a network of 64 bits of IPv6 as one address: of
    its addresses whoever has one has all."""

    async def count() -> None:
        bounds = Admission(ClientBounds(per_address=1))
        bounds.enter(one)
        assert bool(bounds.refusal(other)) is is_same

    run(count())
    assert (network(one) == network(other)) is is_same


@given(st.lists(st.integers(0, 3), max_size=30))
def test_places_that_get_free_are_free(order: list[int]) -> None:
    """Whoever came and went, there are as many places left as before."""

    async def count() -> None:
        bounds = Admission(ClientBounds(clients=5, per_address=2))
        inside: list[str] = []
        for number in order:
            address = f"192.0.2.{number}"
            is_full = len(inside) == 5 or inside.count(address) == 2
            assert bool(bounds.refusal(address)) is is_full
            if is_full:
                bounds.leave(inside.pop(0))
            else:
                bounds.enter(address)
                inside.append(address)
        for address in inside:
            bounds.leave(address)
        assert not bounds.refusal("192.0.2.9")

    run(count())


@pytest.mark.parametrize("per_address", [1, 100])
def test_who_comes_and_goes_without_end_is_refused(per_address: int) -> None:
    """However short each stays; nobody else is, and with time it may come again."""
    most = max(per_address, FEWEST)

    async def count() -> None:
        bounds = Admission(ClientBounds(per_address=per_address))
        came = 0
        while not bounds.refusal("192.0.2.1") and came < 100 * most:
            bounds.enter("192.0.2.1")
            bounds.leave("192.0.2.1")
            came += 1
        assert COMING_AGAIN * most <= came < 100 * most
        assert "of late" in bounds.refusal("192.0.2.1")
        assert not bounds.refusal("192.0.2.2")
        await later(COMING_SECONDS)
        assert not bounds.refusal("192.0.2.1")

    run(count())
