"""Limits on the number of clients or browsers, and on how often each may do something.

This file has the classes and the limits on arrivals. Accepting a client costs the others time,
however short the client stays. Each hall has the limits on what its clients do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Network, ip_address
from itertools import count
from typing import NamedTuple

COMING_AGAIN = 4  # times the clients of a network: the most arrivals from it at once
COMING_SECONDS = 2.0  # seconds in which a network's clients may come once more
FEWEST = 25  # clients of a network that its arrivals allow at least, whatever its bound is
MOST_KEYS = 10_000  # keys whose uses are remembered, before old uses are forgotten


def network(address: str) -> str:
    """The network whose limits hold for an address: an IPv4 address itself, or the 64-bit network
    of an IPv6 address, since one customer has all of it. Raises `ValueError` if it is not an
    address."""
    one = ip_address(address.partition("%")[0])
    return str(one if isinstance(one, IPv4Address) else IPv6Network((int(one), 64), strict=False))


class Allowance:
    """A limit for each key: ``most`` uses at once, and then one more every ``seconds``. Times are
    those of the event loop's clock."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._used: dict[
            Hashable, tuple[float, float]
        ] = {}  # by key: recent uses, and the time of the last

    def has(self, key: Hashable) -> bool:
        """Whether a key has a use left."""
        return self._count(key, asyncio.get_running_loop().time()) + 1 <= self._most

    def use(self, key: Hashable, many: int = 1) -> float:
        """Count ``many`` uses of a key, even beyond the limit. Returns the seconds until the key is
        within the limit again."""
        now = asyncio.get_running_loop().time()
        if len(self._used) >= MOST_KEYS:
            self._used = {one: self._used[one] for one in self._used if self._count(one, now)}
        used = min(self._count(key, now), self._most) + many
        self._used[key] = used, now
        return max(0.0, used - self._most) * self._seconds

    def take(self, key: Hashable) -> bool:
        """Count one use of a key if it has one left. Returns whether it had one."""
        if is_left := self.has(key):
            self.use(key)
        return is_left

    def _count(self, key: Hashable, now: float) -> float:
        used, then = self._used.get(key, (0.0, now))
        return max(0.0, used - (now - then) / self._seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientBounds:
    """The most clients at once, in all and from one network. With ``behind_proxy`` all clients come
    from the proxy's network, so only the bound for all clients holds."""

    clients: int = 200
    per_address: int = 100
    behind_proxy: bool = False


class Slot(NamedTuple):
    """A numbered place for one client of a network. A new client gets its network's first free
    slot, and what is left of the slot's allowance. So to connect again gains nothing."""

    network: str
    number: int


class Admission:
    """The slots of the connected clients. `refusal` says why no more clients may come from an
    address: too many in all, too many from its network, or too many of late."""

    def __init__(self, bounds: ClientBounds) -> None:
        self._bounds = bounds
        self._slots: dict[str, set[int]] = {}  # taken slots, by network
        self._clients = 0
        most = max(bounds.per_address, FEWEST)
        self._coming = Allowance(
            COMING_AGAIN * most, COMING_SECONDS / most
        )  # arrivals from each network

    def refusal(self, address: str) -> str:
        """The reason why no client may come from an address; empty if a client may come."""
        if self._clients >= self._bounds.clients:
            return f"there are {self._bounds.clients} clients already"
        if self._bounds.behind_proxy:
            return ""
        if len(self._slots.get(network(address), ())) >= self._bounds.per_address:
            return f"{self._bounds.per_address} come from its address already"
        return "too many have come from its address of late" if self.is_late(address) else ""

    def is_late(self, address: str) -> bool:
        """Whether too many clients have come from an address's network of late."""
        return not self._coming.has(network(address))

    def crowded(self, address: str) -> str:
        """The network that has to give up a slot before a client can come from an address; empty if
        a slot is free."""
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
