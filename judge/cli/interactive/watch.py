"""``--watch``: both boards on stderr while a game is played, a move at a time.

A game is played by a worker's thread, and drawn there too: it waits while its last move is looked
at. Where the terminal cannot be drawn on, there is a plain line a move, and no waiting.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import Self

import click

from judge.cli.interactive.terminal import RESIZED, Screen, fits, is_smart, taken_over
from judge.cli.settings import OutputFormat, Settings
from judge.game.events import Event
from judge.game.game import Game
from judge.game.outcome import Outcome
from judge.show.board import position
from judge.show.match import Scores, table
from judge.show.moves import MoveLog
from judge.show.text import Style, clean, cut, paint, wrap

FASTEST_MS, SLOWEST_MS = 1, 30_000
_LAST = 5  # lines of what was done, below the boards
_KEYS = "space pauses, + - speed, Ctrl-C stops"


class Watching:
    """Shows what happens, once its block is entered; ``delay`` is how many milliseconds each move
    is looked at. Of several ``games`` it shows how many each player has won, lost and tied."""

    def __init__(self, names: Sequence[str], settings: Settings, delay: int, games: int) -> None:
        self._names = [clean(name) for name in names]
        self._delay = delay
        self._paused = False
        self._colour = settings.color.on(sys.stderr)
        # Lines of JSON on the same terminal would fall into the picture.
        mixed = settings.report is OutputFormat.JSONL and sys.stdout.isatty()
        self._draws = is_smart(sys.stderr) and not mixed
        self._screen: Screen | None = None
        self._gone = False  # nobody watches any more
        self._drawing = threading.Lock()
        self._open = contextlib.ExitStack()
        self._game: Game | None = None
        self._said: deque[str] = deque(maxlen=_LAST)
        self._scores = Scores(len(names)) if games > 1 else None
        self._moves = MoveLog(self._names, colour=self._colour)

    def __enter__(self) -> Self:
        if self._draws:
            self._screen = self._open.enter_context(taken_over(sys.stderr))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.leave()
        with self._drawing:  # and waits until it does not draw
            self._open.close()
        if self._screen and self._game and error is None:  # what would be gone with the screen
            boards = position(self._game, self._names, move=self._moves.begin, colour=self._colour)
            with contextlib.suppress(OSError):
                click.echo(f"{boards}\n", err=True, color=self._colour)

    def leave(self) -> None:
        """Look at no more moves; the game goes on without."""
        self._gone = True
        if self._screen:
            self._screen.resized()  # wakes the worker, if it waits

    def __call__(self, game: Game, event: Event) -> None:
        with self._drawing:
            if self._gone:
                return
            try:
                self._show(game, event)
            except OSError:  # stderr cannot be written any more
                self._gone = True

    def _show(self, game: Game, event: Event) -> None:
        if game is not self._game:
            self._said.clear()
        self._game = game
        if lines := self._moves.lines(game, event):
            self._said.extend(lines)
            if self._screen:
                self._look(self._screen, game)
            else:
                click.echo("\n".join(lines), err=True, color=self._colour)
        elif isinstance(event, Outcome):
            self._end(game, event)

    def _end(self, game: Game, outcome: Outcome) -> None:
        """Show how the games stand after one that is over."""
        if self._scores:
            self._scores.add(outcome)
        if self._screen and self._scores:
            self._look(self._screen, game)
        elif not self._screen:
            click.echo("\n".join(["", *self._table(), *[""] * bool(self._scores)]), err=True)

    def _table(self) -> list[str]:
        """How the games stand that are over, if there are several."""
        if self._scores is None:
            return []
        return table(self._names, self._scores.standing(), colour=self._colour)

    def _look(self, screen: Screen, game: Game) -> None:
        """Draw, and wait until the move has been looked at."""
        while not self._gone:
            screen.draw(self._picture(game, *screen.size))
            match screen.key(None if self._paused else self._delay / 1000):
                case None:
                    return
                case " ":
                    self._paused = not self._paused
                case "+" | "-" as key:
                    delay = self._delay // 2 if key == "+" else self._delay * 2
                    self._delay = max(FASTEST_MS, min(delay, SLOWEST_MS))
                case key if key != RESIZED and self._paused:  # one move on
                    return

    def _picture(self, game: Game, columns: int, rows: int) -> list[str]:
        """Boards and shots as there is room for them; at the least, the last shots."""
        title = cut(f"{' against '.join(self._names)}, move {self._moves.number}", columns)
        speed = (
            "paused: another key is one move"
            if self._paused
            else f"{self._delay / 1000:g} s a move"
        )
        foot = wrap(f"{speed}; {_KEYS}", width=columns)
        lines: list[str] = []
        for explained, has_table in ((True, True), (False, True), (False, False)):
            standing = ["", *self._table()] if has_table and self._scores else []
            boards = position(
                game,
                self._names,
                move=self._moves.begin,
                columns=columns,
                explained=explained,
                colour=self._colour,
            )
            lines = [
                paint(title, Style.BOLD, self._colour),
                "",
                *boards.split("\n"),
                "",
                *self._said,
                *[""] * (_LAST - len(self._said)),
                *standing,
                "",
                *foot,
            ]
            if fits(lines, columns, rows):
                return lines
        short = [*boards.split("\n"), self._said[-1]]
        return short if fits(short, columns, rows) else list(self._said)[-rows:]
