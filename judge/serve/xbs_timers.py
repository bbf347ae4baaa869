"""The timers of an XBS table: when a turn is skipped.

It took too long, or its player has been gone for the grace; `judge serve` says how long these are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from judge.serve.xbs_places import Options, TablePlace


class Timers:
    """Calls ``skip``, with the reason, when the time of whoever is up is over, or when it has been
    gone for the grace; and ``abandon`` when all people have been gone for that long."""

    def __init__(
        self, options: Options, skip: Callable[[str], None], abandon: Callable[[], None]
    ) -> None:
        self._options = options
        self.turn = options.turn
        self._skip = skip
        self._abandon = abandon
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def clear(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._timer = None

    def set(self, up: TablePlace, people: Sequence[TablePlace], asked_at: float) -> None:
        """Wait for the player that is ``up``, which was asked at a time of the loop; ``people`` are
        the places of all but bots."""
        self.clear()
        grace = self._options.grace
        if people and grace is not None and all(place.client is None for place in people):
            gone_at = max(place.gone_at for place in people)
            self._timer = self._loop.call_at(gone_at + grace, self._abandon)
        elif up.bot:
            return  # its time is that of its program
        elif up.client is None:
            if grace is not None:
                self._timer = self._loop.call_at(up.gone_at + grace, self._skip, "gone")
        elif self.turn is not None:
            self._timer = self._loop.call_at(asked_at + self.turn, self._skip, "took too long")
