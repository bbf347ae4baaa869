"""The timers of an XBS table, by which turns are skipped and games are broken off."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from judge.serve.xbs_places import Options, TablePlace

GONE = "gone"


class Timers:
    """Calls ``skip`` with the reason when a turn has taken `Options.turn` seconds, or when its
    player has been gone for `Options.grace` seconds. Calls ``abandon`` when all people have been
    gone that long."""

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
        """Set the timer for ``up``, the player to move, who was asked at ``asked_at``, a time of
        the event loop. ``people`` are all places except the bots'."""
        self.clear()
        grace = self._options.grace
        if people and grace is not None and all(place.client is None for place in people):
            gone_at = max(place.gone_at for place in people)
            self._timer = self._loop.call_at(gone_at + grace, self._abandon)
        elif up.bot:
            return  # a bot's program has its own time limit
        elif up.client is None:
            if grace is not None:
                self._timer = self._loop.call_at(up.gone_at + grace, self._skip, GONE)
        elif self.turn is not None:
            self._timer = self._loop.call_at(asked_at + self.turn, self._skip, "took too long")
