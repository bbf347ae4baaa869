"""The progress bar of a run on stderr, with the time left, and a text below the bar.

On a cluster the bar also shows the number of workers, and the games a second.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable

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

PACE_SECONDS = 20.0  # seconds over which games a second are averaged


class Running(Progress):
    """A progress bar for a number of ``games``, or for ``seconds`` if that is not 0. ``games`` is
    None if nobody knows the number. Below the bar stands the last text that `games` got. The bar
    disappears once it is stopped. ``workers`` returns the number of the cluster's workers, and is
    None without a cluster."""

    def __init__(
        self, games: int | None, seconds: float, workers: Callable[[], int] | None, *, colour: bool
    ) -> None:
        behind: tuple[ProgressColumn, ...] = (
            MofNCompleteColumn(),
            TimeRemainingColumn(compact=True),
        )
        if seconds:
            behind = (TextColumn("{task.fields[played]}"), _TimeLeft())
        self._is_timed = seconds > 0
        self._below = ""
        self._played = 0
        self._on_cluster = None if workers is None else _OnCluster(workers)
        super().__init__(
            BarColumn(20),
            *behind,
            *filter(None, [self._on_cluster]),
            console=Console(stderr=True, no_color=not colour, highlight=False),
            transient=True,
        )
        self._task = self.add_task("", total=seconds or games, played="0 games")
        self.start()

    def get_renderables(self) -> Iterable[RenderableType]:
        for bar in self.tasks if self._is_timed else ():  # elapsed is None before the start
            passed = min(bar.elapsed or 0, bar.total or 0)
            self.update(bar.id, completed=passed, played=many(self._played, "game"))
        yield from super().get_renderables()
        yield Text(self._below)

    def games(self, count: int, below: str, *, is_played: bool) -> None:
        """Advance a bar for games by ``count``, and show the text ``below``. ``is_played`` says
        that a game was played, not just put off or failed."""
        self._below = below
        self._played += is_played
        if not self._is_timed:
            self.advance(self._task, count)
        if self._on_cluster and is_played:
            self._on_cluster.count()

    def say(self, text: str) -> None:
        """Print a text that stays, above the bar."""
        self.console.print(Text(text))


class _TimeLeft(ProgressColumn):
    """The time that is left, in hours, minutes and seconds."""

    def render(self, task: Task) -> Text:
        minutes, seconds = divmod(math.ceil(task.remaining or 0), 60)
        hours, minutes = divmod(minutes, 60)
        shown = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes:02}:{seconds:02}"
        return Text(f"{shown} left")


class _OnCluster(ProgressColumn):
    """The number of workers, and the games a second over the last `PACE_SECONDS`."""

    def __init__(self, workers: Callable[[], int]) -> None:
        super().__init__()
        self._workers = workers
        self._played = 0
        self._seen: deque[tuple[float, int]] = deque()  # times, each with the games played by then

    def count(self) -> None:
        """Count a game that has been played."""
        self._played += 1

    def render(self, task: Task) -> Text:
        now = task.get_time()
        self._seen.append((now, self._played))
        while self._seen[0][0] < now - PACE_SECONDS:
            self._seen.popleft()
        began, before = self._seen[0]
        pace = (self._played - before) / max(now - began, 1)
        return Text(f"{many(self._workers(), 'worker')}, {pace:,.1f} games/s")
