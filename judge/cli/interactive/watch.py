"""``--watch``: all boards on stderr while a game is played, a move at a time.

A game is played by a worker's thread, which waits while its last move is looked at. Without a full
screen it prints a plain line a move, and does not wait.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

import click

from judge.cli.interactive.terminal import has_full_screen
from judge.cli.settings import OutputFormat, Settings
from judge.contest.results import Counts
from judge.documents.game import Outcome
from judge.game.events import Event
from judge.game.game import Game
from judge.show.board import Rulers, position
from judge.show.match import Standing, table
from judge.show.moves import MoveLog
from judge.show.picture import Picture
from judge.show.text import clean
from judge.waiting import awaited

if TYPE_CHECKING:
    from judge.screen.hosting import Hosting
    from judge.screen.watch import WatchApp

_T = TypeVar("_T")


class Watching:
    """Shows what happens, once its block is entered; ``delay`` is how many milliseconds each move
    is looked at. With several ``games`` it shows how many each player has won, lost and tied."""

    def __init__(self, names: Sequence[str], settings: Settings, delay: int, games: int) -> None:
        self._names = [clean(name) for name in names]
        self._colour = settings.color.on(sys.stderr)
        self._delay = delay
        # Lines of JSON on the same terminal would fall into the picture.
        mixed = settings.report is OutputFormat.JSONL and sys.stdout.isatty()
        self._draws = not mixed and has_full_screen(sys.stderr)
        self._app: WatchApp | None = None
        self._hosting: Hosting | None = None
        self._gone = False  # the watcher has left
        self._open = contextlib.ExitStack()
        self._game: Game | None = None
        self._counts = [Counts() for _ in names] if games > 1 else []
        self._moves = MoveLog(self._names, rulers=Rulers.of_players, colour=self._colour)

    def __enter__(self) -> Self:
        if self._draws:
            from judge.screen.hosting import Hosting
            from judge.screen.watch import WatchApp

            self._app = WatchApp(delay=self._delay, colour=self._colour)
            self._hosting = self._open.enter_context(Hosting(self._app))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.leave()
        self._open.close()
        if self._app and self._game and error is None:  # text that would vanish with the screen
            boards = position(self._game, self._names, move=self._moves.begin, colour=self._colour)
            with contextlib.suppress(OSError):
                click.echo(f"{boards}\n", err=True, color=self._colour)

    def result(self, future: Future[_T]) -> _T:
        """Wait for the result of another thread, and draw meanwhile."""
        return self._hosting.result(future) if self._hosting else awaited(future)

    def leave(self) -> None:
        """Look at no more moves; the game goes on without."""
        self._gone = True
        if self._app:
            self._app.leave()

    def __call__(self, game: Game, event: Event) -> None:
        if self._gone:
            return
        try:
            self._show(game, event)
        except OSError:  # stderr cannot be written any more
            self._gone = True

    def _show(self, game: Game, event: Event) -> None:
        self._game = game
        if lines := self._moves.lines(game, event):
            if self._app:
                self._app.look(self._picture(game))
            else:
                click.echo("\n".join(lines), err=True, color=self._colour)
        elif isinstance(event, Outcome):
            self._end(game, event)

    def _end(self, game: Game, outcome: Outcome) -> None:
        """Show how the games stand after one that is over."""
        for seat, counts in enumerate(self._counts):
            if outcome.termination.is_rated:
                counts.end(outcome.winner, seat)
        if self._app and self._counts:
            self._app.look(self._picture(game))
        elif not self._app:
            click.echo("\n".join(["", *self._table(), *[""] * bool(self._counts)]), err=True)

    def _table(self) -> list[str]:
        """How the games stand that are over, if there are several."""
        if not self._counts:
            return []
        return table(self._names, Standing(self._counts), colour=self._colour)

    def _picture(self, game: Game) -> Picture:
        standing = ["", *self._table()] if self._counts else []
        title = f"{' against '.join(self._names)}, move {self._moves.number}"
        return self._moves.picture(game, title, more=standing)
