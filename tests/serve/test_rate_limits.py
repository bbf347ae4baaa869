"""How many clients a server takes, by where they come from."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.serve.rate_limits import (
    COMING_AGAIN,
    COMING_SECONDS,
    FEWEST,
    Admission,
    Allowance,
    ClientBounds,
    Slot,
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
    """There are as many places left as before, whoever came and went."""

    async def count() -> None:
        bounds = Admission(ClientBounds(clients=5, per_address=2))
        inside: list[Slot] = []
        for number in order:
            address = f"192.0.2.{number}"
            of_its_network = sum(slot.network == address for slot in inside)
            is_full = len(inside) == 5 or of_its_network == 2
            assert bool(bounds.refusal(address)) is is_full
            assert bool(bounds.crowded(address)) is is_full
            if is_full:
                bounds.leave(inside.pop(0))
            else:
                inside.append(bounds.enter(address))
                assert len(set(inside)) == len(inside)
        for slot in inside:
            bounds.leave(slot)
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
            bounds.leave(bounds.enter("192.0.2.1"))
            came += 1
        assert COMING_AGAIN * most <= came < 100 * most
        assert "of late" in bounds.refusal("192.0.2.1")
        assert not bounds.refusal("192.0.2.2")
        await later(COMING_SECONDS)
        assert not bounds.refusal("192.0.2.1")

    run(count())


def test_who_comes_again_gets_the_slot_that_got_free() -> None:
    """So it has what its last connection has left, and nobody else has less."""

    async def count() -> None:
        bounds = Admission(ClientBounds())
        first, second = bounds.enter("192.0.2.1"), bounds.enter("192.0.2.1")
        bounds.leave(first)
        assert bounds.enter("192.0.2.1") == first != second
        assert bounds.enter("192.0.2.2") not in (first, second)

    run(count())


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 3)), max_size=30))
def test_no_more_is_used_than_there_is(uses: list[tuple[int, int]]) -> None:
    """Who waits for as long as it takes has used no more than is given in that time, and the last
    that it used; another has all that there is."""

    async def count() -> None:
        loop = asyncio.get_running_loop()
        begun, allowance = loop.time(), Allowance(5, 2.0)
        used = delay = 0.0
        for many, pause in uses:
            await later(delay + pause)
            assert used <= 5 + (loop.time() - begun) / 2 + 0.001
            delay = allowance.use("one", many)
            used += many
        assert allowance.has("other")
        assert allowance.use("other", 5) == 0

    run(count())


def test_those_who_come_by_a_proxy_count_as_many() -> None:
    """Their number in all is bounded, and neither how many come from its address nor how often."""

    async def count() -> None:
        bounds = Admission(ClientBounds(clients=3, per_address=1, behind_proxy=True))
        for _ in range(10 * COMING_AGAIN * FEWEST):
            assert bounds.refusal("127.0.0.1") == ""
            bounds.leave(bounds.enter("127.0.0.1"))
        for _ in range(3):
            assert bounds.refusal("127.0.0.1") == ""
            bounds.enter("127.0.0.1")
        assert bounds.refusal("127.0.0.1") == "there are 3 clients already"

    run(count())
