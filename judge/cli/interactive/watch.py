"""``--watch``: shows all boards on stderr while a game is played, a move at a time.

The thread that plays the game waits while a move is shown. Without a full screen each move is
printed as plain lines, and the game does not wait.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Self, TypeVar

import click

from judge.cli.output import has_full_screen
from judge.cli.settings import OutputFormat, Settings
from judge.documents.game import GameRecord, Outcome
from judge.documents.ledger import Counts
from judge.game.events import Event
from judge.game.game import Game
from judge.show.board import Picture, Rulers, position
from judge.show.match import Standing, authors, table
from judge.show.moves import MoveLog
from judge.show.text import clean
from judge.waiting import awaited

if TYPE_CHECKING:
    from judge.screen.hosting import Hosting
    from judge.screen.watch import WatchApp

_T = TypeVar("_T")


class Watching:
    """Shows games while its context is open. On a full screen, each move is shown for ``delay``
    milliseconds. With several ``games`` the wins, losses and ties of each player are shown, too."""

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
        self._about: tuple[str, ...] = ()
        self._moves = MoveLog(self._names, rulers=Rulers.of_players, colour=self._colour)

    def __enter__(self) -> Self:
        if self._draws:
            from judge.screen.hosting import Hosting
            from judge.screen.watch import WatchApp

            self._app = WatchApp(delay=self._delay, colour=self._colour)
            self._hosting = self._open.enter_context(Hosting(self._app))
        return self

    def __exit__(self, kind: object, error: object, at: object) -> None:
        self.leave()
        self._open.close()
        if self._app and self._game and error is None:  # the screen is gone: print its boards
            boards = position(self._game, self._names, move=self._moves.begin, colour=self._colour)
            with contextlib.suppress(OSError):
                click.echo(f"{boards}\n", err=True, color=self._colour)

    def result(self, future: Future[_T]) -> _T:
        """Wait for the result of another thread, and draw meanwhile."""
        return self._hosting.result(future) if self._hosting else awaited(future)

    def leave(self) -> None:
        """Stop showing moves. The game goes on."""
        self._gone = True
        if self._app:
            self._app.leave()

    def keep(self, record: GameRecord) -> None:
        """Take what the players of a finished game have said of themselves, for later pictures."""
        self._about = tuple(authors(record))

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
        """Show how the games stand after a game has ended."""
        for seat, counts in enumerate(self._counts):
            if outcome.termination.is_rated:
                counts.end(outcome.winner, seat)
        if self._app and self._counts:
            self._app.look(self._picture(game))
        elif not self._app:
            click.echo("\n".join(["", *self._table(), *[""] * bool(self._counts)]), err=True)

    def _table(self) -> list[str]:
        """Return the lines on how the games stand, if there are several games."""
        if not self._counts:
            return []
        return table(self._names, Standing(self._counts), colour=self._colour)

    def _picture(self, game: Game) -> Picture:
        standing = ["", *self._table()] if self._counts else []
        title = f"{' against '.join(self._names)}, move {self._moves.number}"
        return self._moves.picture(game, title, more=standing, about=self._about)
