"""A contest under way on stderr: a progress bar with the time left, and the leaders below it."""

from __future__ import annotations

import math
from collections.abc import Iterable

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from judge.show.text import many


class Running(Progress):
    """One bar for ``total`` games, and a text that is as of the last one; gone once stopped."""

    def __init__(self, total: int, *, colour: bool) -> None:
        self._begin(total, (MofNCompleteColumn(), TimeRemainingColumn(compact=True)), colour)

    def _begin(self, total: float, behind: Iterable[ProgressColumn], colour: bool) -> None:
        self._below = ""
        super().__init__(
            BarColumn(20),
            *behind,
            console=Console(stderr=True, no_color=not colour, highlight=False),
            transient=True,
        )
        self._task = self.add_task("", total=total, played="0 games")
        self.start()

    def get_renderables(self) -> Iterable[RenderableType]:
        yield from super().get_renderables()
        yield Text(self._below)

    def games(self, count: int, below: str, *, is_played: bool) -> None:
        """So many games more are done, after which it stands like this. One of them has been played,
        or none: others were put off."""
        self._below = below
        self.advance(self._task, count)

    def say(self, text: str) -> None:
        """Print a text that stays, above the bar."""
        self.console.print(Text(text))


class RunningFor(Running):
    """The same for work that takes so many ``seconds``, however many games that is."""

    def __init__(self, seconds: float, *, colour: bool) -> None:
        self._played = 0
        self._begin(seconds, (TextColumn("{task.fields[played]}"), _TimeLeft()), colour)

    def get_renderables(self) -> Iterable[RenderableType]:
        for bar in self.tasks:  # the one; there is none yet as long as it is being added
            passed = min(bar.elapsed or 0, bar.total or 0)
            self.update(bar.id, completed=passed, played=many(self._played, "game"))
        yield from super().get_renderables()

    def games(self, count: int, below: str, *, is_played: bool) -> None:
        self._below = below
        self._played += is_played


class _TimeLeft(ProgressColumn):
    """The time that is left, in hours, minutes and seconds."""

    def render(self, task: Task) -> Text:
        minutes, seconds = divmod(math.ceil(task.remaining or 0), 60)
        hours, minutes = divmod(minutes, 60)
        shown = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes:02}:{seconds:02}"
        return Text(f"{shown} left")
