"""How many clients or browsers there may be at once, in all and from one address, and how often.

To take one and let it go costs all others time, however short it stays.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Network, ip_address

from judge.serve.allowance import Allowance

COMING_AGAIN = 4  # times as many as may be there may come from one network at once
COMING_SECONDS = 2.0  # until as many as may be there may have come once more
FEWEST = 25  # whom a network is taken to have; one player alone may begin many games


def network(address: str) -> str:
    """An address, or of version 6 the network that one customer has; raises ValueError for what is
    no address."""
    one = ip_address(address.partition("%")[0])
    return str(one if isinstance(one, IPv4Address) else IPv6Network((int(one), 64), strict=False))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientBounds:
    """How many clients there may be, in all and from one network."""

    clients: int = 1000
    per_address: int = 100


class Admission:
    """Counts the clients that come and that are there, by their `network`; for the loop."""

    def __init__(self, bounds: ClientBounds) -> None:
        self._bounds = bounds
        self._from: Counter[str] = Counter()
        self._clients = 0
        most = max(bounds.per_address, FEWEST)
        self._coming = Allowance(COMING_AGAIN * most, COMING_SECONDS / most)  # of each network

    def refusal(self, address: str) -> str:
        """Why no client may come from an address; empty if one may."""
        if self._clients >= self._bounds.clients:
            return f"there are {self._bounds.clients} clients already"
        if self._from[one := network(address)] >= self._bounds.per_address:
            return f"{self._bounds.per_address} come from its address already"
        return "" if self._coming.has(one) else "too many have come from its address of late"

    def enter(self, address: str) -> None:
        self._from[one := network(address)] += 1
        self._coming.use(one)
        self._clients += 1

    def leave(self, address: str) -> None:
        self._from[one := network(address)] -= 1
        self._clients -= 1
        if not self._from[one]:
            del self._from[one]
