"""A progress bar on stderr, with how it stands and the time left. Drawn by rich."""

from __future__ import annotations

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
)


class Bar:
    """One bar for ``total`` games; it is gone once stopped."""

    def __init__(self, total: int) -> None:
        self._progress = Progress(
            BarColumn(20),
            MofNCompleteColumn(),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.description}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task("", total=total)
        self._progress.start()

    def advance(self, state: str) -> None:
        """One game more, after which it stands like this."""
        self._progress.update(self._task, advance=1, description=state)

    def stop(self) -> None:
        self._progress.stop()
