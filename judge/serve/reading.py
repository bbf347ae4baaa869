"""How much a server reads of a client without a pause."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

BURST, BYTES_A_SECOND = 64 * 2**10, 8 * 2**10
MOST_NETWORKS = 10_000  # whose budgets are remembered, before full ones are forgotten


@dataclass(slots=True)
class ReadBudget:
    """What may be read at once; it grows with the time until it is full again."""

    _left: float
    _at: float

    def spend(self, count: int, now: float) -> float:
        """Count so many bytes, and return for how many seconds no more may be read."""
        self._left = self.left(now) - count
        self._at = now
        return max(0.0, -self._left / BYTES_A_SECOND)

    def left(self, now: float) -> float:
        return min(BURST, self._left + (now - self._at) * BYTES_A_SECOND)


class ReadBudgets:
    """The budgets of the clients that are gone, by their network. A client that comes takes the one
    of which least is left, so nobody has a new budget by connecting again."""

    def __init__(self) -> None:
        self._left_behind: dict[str, list[ReadBudget]] = {}

    def take(self, network: str) -> ReadBudget:
        now = asyncio.get_running_loop().time()
        budgets = self._used(network, now)
        if not budgets:
            return ReadBudget(BURST, now)
        least = min(budgets, key=lambda one: one.left(now))
        budgets.remove(least)
        return least

    def give_back(self, network: str, budget: ReadBudget) -> None:
        now = asyncio.get_running_loop().time()
        if network not in self._left_behind and len(self._left_behind) >= MOST_NETWORKS:
            for one in [*self._left_behind]:
                self._used(one, now)
        if budget.left(now) < BURST:
            self._left_behind[network] = [*self._used(network, now), budget]

    def _used(self, network: str, now: float) -> list[ReadBudget]:
        """The budgets of a network that are not full; the full ones are forgotten."""
        used = [one for one in self._left_behind.pop(network, ()) if one.left(now) < BURST]
        if used:
            self._left_behind[network] = used
        return used
