"""``--watch``: both boards on stderr while a game is played."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from judge.cli.settings import Settings
from judge.game.events import Event, Outcome, Shot
from judge.game.game import Game
from judge.show.board import position, shot_line


class Watching:
    """Draws the position anew at each shot; a plain line a shot where stderr is no terminal."""

    def __init__(self, names: Sequence[str], settings: Settings) -> None:
        self._names = names
        self._redraws = sys.stderr.isatty()
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
            if self._redraws:
                self._draw(f"{position(game, self._names, colour=self._colour)}\n\n{said}")
            else:
                click.echo(said, err=True)
        elif isinstance(event, Outcome):
            self._lines = 0
            click.echo("", err=True)

    def _draw(self, picture: str) -> None:
        """Draw over the last picture: to its first line, clear what is below, draw."""
        back = f"\x1b[{self._lines}F\x1b[J" if self._lines else ""
        self._lines = picture.count("\n") + 1
        click.echo(back + picture, err=True, color=True)
