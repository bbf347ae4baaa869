"""The time that a run may take."""

from __future__ import annotations

import time


class Budget:
    """The time that a run may take, from now on; without end where none is set."""

    def __init__(self, milliseconds: int | None) -> None:
        self._end = None if milliseconds is None else time.monotonic() + milliseconds / 1000

    def is_spent(self) -> bool:
        return self._end is not None and time.monotonic() >= self._end
