"""How often each client, name or network may do something: so often at once, then now and then."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable

MOST_KEYS = 10_000  # whose use is remembered, before what has long passed is forgotten


class Allowance:
    """``most`` at once for each key, and one more every so many ``seconds``, by the loop's clock."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._used: dict[Hashable, tuple[float, float]] = {}  # how many of late, and when

    def has(self, key: Hashable) -> bool:
        """Whether there is one left."""
        return self._count(key) + 1 <= self._most

    def use(self, key: Hashable) -> None:
        """Count one, also where none is left."""
        if len(self._used) >= MOST_KEYS:
            self._used = {one: self._used[one] for one in self._used if self._count(one)}
        count = min(self._count(key) + 1, float(self._most))
        self._used[key] = count, asyncio.get_running_loop().time()

    def take(self, key: Hashable) -> bool:
        """Count one if one is left; False if not."""
        if is_left := self.has(key):
            self.use(key)
        return is_left

    def _count(self, key: Hashable) -> float:
        now = asyncio.get_running_loop().time()
        count, then = self._used.get(key, (0.0, now))
        return max(0.0, count - (now - then) / self._seconds)
