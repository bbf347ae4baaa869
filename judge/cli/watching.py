"""``--watch``: both boards on stderr while a game is played."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from judge.cli.settings import Settings
from judge.game.events import Event, Outcome, Shot
from judge.game.game import Game
from judge.show.board import position, shot_line
from judge.show.text import cells, clean


class Watching:
    """Draws the position anew at each shot; where it has no room, or stderr is no terminal, a plain
    line a shot."""

    def __init__(self, names: Sequence[str], settings: Settings) -> None:
        self._names = names
        self._redraws = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._colour = settings.color.on(sys.stderr)
        self._gone = False  # whoever watched: stderr cannot be written any more
        self._lines = 0  # of the last drawing, which the next one covers

    def __call__(self, game: Game, event: Event) -> None:
        if self._gone:
            return
        try:
            self._show(game, event)
        except OSError:
            self._gone = True

    def _show(self, game: Game, event: Event) -> None:
        if isinstance(event, Shot):
            said = shot_line(len(game.shots), event, self._names, game.rules, colour=self._colour)
            if not (self._redraws and self._draw(game, said)):
                click.echo(said, err=True)
        elif isinstance(event, Outcome):
            self._lines = 0
            click.echo("", err=True)

    def _draw(self, game: Game, said: str) -> bool:
        """Draw over the last picture: to its first line, clear what is below, draw.

        False, with nothing drawn, where the terminal has no room: there, lines would pile up.
        """
        picture = f"{position(game, self._names, colour=self._colour)}\n\n{said}"
        lines = picture.splitlines()
        columns, rows = os.get_terminal_size(sys.stderr.fileno())
        if len(lines) >= rows or max(cells(clean(line)) for line in lines) > columns:
            return False
        back = f"\x1b[{self._lines}F\x1b[J" if self._lines else ""
        self._lines = len(lines)
        click.echo(back + picture, err=True, color=True)
        return True
