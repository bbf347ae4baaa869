"""How many clients a server takes, by where they come from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.serve.admission import Admission, ClientBounds, network


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
    bounds = Admission(ClientBounds(per_address=1))
    bounds.enter(one)
    assert bool(bounds.refusal(other)) is is_same
    assert (network(one) == network(other)) is is_same


@given(st.lists(st.integers(0, 3), max_size=30))
def test_places_that_get_free_are_free(order: list[int]) -> None:
    """Whoever came and went, there are as many places left as before."""
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
