"""A contest under way on stderr: a progress bar with the time left, and the leaders below it."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.text import Text


class Running(Progress):
    """One bar for ``total`` games, and a text that is as of the last one; gone once stopped."""

    def __init__(self, total: int, *, colour: bool) -> None:
        self._below = ""
        super().__init__(
            BarColumn(20),
            MofNCompleteColumn(),
            TimeRemainingColumn(compact=True),
            console=Console(stderr=True, no_color=not colour, highlight=False),
            transient=True,
        )
        self._games = self.add_task("", total=total)
        self.start()

    def get_renderables(self) -> Iterable[RenderableType]:
        yield from super().get_renderables()
        yield Text(self._below)

    def games(self, count: int, below: str) -> None:
        """So many games more are done, after which it stands like this."""
        self._below = below
        self.advance(self._games, count)

    def say(self, text: str) -> None:
        """Print a text that stays, above the bar."""
        self.console.print(Text(text))
