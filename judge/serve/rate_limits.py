"""How many clients or browsers there may be, and how often each may do something.

To take one and let it go costs all others time, however short it stays.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Network, ip_address
from itertools import count
from typing import NamedTuple

COMING_AGAIN = 4  # times as many as may be there may come from one network at once
COMING_SECONDS = 2.0  # seconds in which a full set of clients may come once more
FEWEST = 25  # clients that every network may have; one player may begin many games
MOST_KEYS = 10_000  # whose use is remembered, before what has long passed is forgotten


def network(address: str) -> str:
    """An address, or of version 6 the network that one customer has; raises ValueError for what is
    no address."""
    one = ip_address(address.partition("%")[0])
    return str(one if isinstance(one, IPv4Address) else IPv6Network((int(one), 64), strict=False))


class Allowance:
    """``most`` at once for each key, and one more every ``seconds``, by the loop's clock."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._used: dict[
            Hashable, tuple[float, float]
        ] = {}  # recent uses, and the time of the last

    def has(self, key: Hashable) -> bool:
        """Whether there is one left."""
        return self._count(key, asyncio.get_running_loop().time()) + 1 <= self._most

    def use(self, key: Hashable, many: int = 1) -> float:
        """Count ``amount``, even if none are left; returns the seconds until no more is used than
        there was."""
        now = asyncio.get_running_loop().time()
        if len(self._used) >= MOST_KEYS:
            self._used = {one: self._used[one] for one in self._used if self._count(one, now)}
        used = min(self._count(key, now), self._most) + many
        self._used[key] = used, now
        return max(0.0, used - self._most) * self._seconds

    def take(self, key: Hashable) -> bool:
        """Count one if one is left; False if not."""
        if is_left := self.has(key):
            self.use(key)
        return is_left

    def _count(self, key: Hashable, now: float) -> float:
        used, then = self._used.get(key, (0.0, now))
        return max(0.0, used - (now - then) / self._seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientBounds:
    """How many clients there may be, in all and from one network. With ``behind_proxy`` all come from
    the proxy's, which has no bound of its own."""

    clients: int = 200
    per_address: int = 100
    behind_proxy: bool = False


class Slot(NamedTuple):
    """One of the places that a network has. Who connects again gets the first that is free, so what
    one client has used up is used up for the next one."""

    network: str
    number: int


class Admission:
    """The slots of the clients that are connected. `refusal` says why no other may come from an
    address: too many in all, from its network, or of late."""

    def __init__(self, bounds: ClientBounds) -> None:
        self._bounds = bounds
        self._slots: dict[str, set[int]] = {}  # taken slots, by network
        self._clients = 0
        most = max(bounds.per_address, FEWEST)
        self._coming = Allowance(
            COMING_AGAIN * most, COMING_SECONDS / most
        )  # arrivals from each network

    def refusal(self, address: str) -> str:
        """Why no client may come from an address; empty if one may."""
        if self._clients >= self._bounds.clients:
            return f"there are {self._bounds.clients} clients already"
        if self._bounds.behind_proxy:
            return ""
        if len(self._slots.get(network(address), ())) >= self._bounds.per_address:
            return f"{self._bounds.per_address} come from its address already"
        return "too many have come from its address of late" if self.is_late(address) else ""

    def is_late(self, address: str) -> bool:
        """Whether the next one from an address has to wait, for many have come."""
        return not self._coming.has(network(address))

    def crowded(self, address: str) -> str:
        """The network that has to give up a slot before a client can come from an address."""
        if len(self._slots.get(one := network(address), ())) >= self._bounds.per_address:
            return one
        if self._clients >= self._bounds.clients:
            return max(self._slots, key=lambda each: len(self._slots[each]))
        return ""

    def enter(self, address: str) -> Slot:
        taken = self._slots.setdefault(one := network(address), set())
        slot = Slot(one, next(number for number in count() if number not in taken))
        taken.add(slot.number)
        self._coming.use(one)
        self._clients += 1
        return slot

    def leave(self, slot: Slot) -> None:
        self._slots[slot.network].remove(slot.number)
        self._clients -= 1
        if not self._slots[slot.network]:
            del self._slots[slot.network]
