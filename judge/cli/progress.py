"""The progress of long work on stderr, where there is a terminal and nobody wants quiet."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from judge.cli.settings import Settings

if TYPE_CHECKING:
    from judge.cli.contest_progress import Running


class Progress:
    """A bar with a text below it, or nothing at all. It may be stopped before it was started."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._running: Running | None = None

    def start(self, total: int) -> None:
        """Begin with ``total`` things to do, unless that has been done."""
        if self._running is None and sys.stderr.isatty() and not self._settings.quiet:
            from judge.cli.contest_progress import Running

            self._running = Running(total, colour=self._settings.color.on(sys.stderr))

    def advance(self, below: Callable[[], str]) -> None:
        """One more is done; ``below`` says how it stands, if anybody is to see it."""
        if self._running:
            self._running.game(below())

    def stop(self) -> None:
        if self._running:
            self._running.stop()
