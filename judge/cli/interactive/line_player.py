"""A person who plays by typing lines: for a dumb terminal, or a pipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import click

from judge.cli.interactive import fleet_input
from judge.cli.interactive.line_input import Lines
from judge.game.events import Event, Shot, Target, View
from judge.game.game import Game
from judge.game.outcome import Outcome
from judge.game.rules import Cell, Repeat, Rules
from judge.show.board import position, shot_line
from judge.show.text import clean, wrap
from judge.wire.messages import AskFleet, AskShots, Fired, FromPlayer, Question, Resigned
from judge.wire.messages import Placed as Placing

ME, BOT = 0, 1  # a person sits in seat 0, as the first one named

HELP = """\
34            shoot at column 3, row 4
resign        give the game up
help          say this
quit          leave; so does the end of input. The game is not kept"""


class PlayerLeft(Exception):
    """Whoever plays has had enough, and has not resigned."""


class Person(Protocol):
    """How a person is asked, and sees what happens."""

    def ask(self, message: Question) -> FromPlayer:
        """A legal answer; raises `PlayerLeft` if there will be none."""

    def watch(self, game: Game, event: Event) -> None:
        """Show what has happened."""


def why_not(view: View, cell: Cell) -> str | None:
    """Why a shot there would not be legal, if so."""
    rules = view.rules
    if not rules.on_grid(cell):
        return f"there is no such cell on a board of {rules.columns}×{rules.rows}"
    shot_at = {shot.cell for shot in view.shots if shot.target != view.seat}
    if cell in shot_at and rules.repeat is Repeat.ILLEGAL:
        return "you have shot there before"
    return None


class Prompted:
    """Asks for lines on stdout, and prints a line a shot."""

    def __init__(
        self, names: Sequence[str], rules: Rules, *, wire: str, seed: int, colour: bool
    ) -> None:
        self._names = [clean(name) for name in names]
        self._rules = rules
        self._wire = wire
        self._seed = seed
        self._colour = colour
        self._lines = Lines(("help", "resign", "quit", fleet_input.RANDOM))
        self._game: Game | None = None

    def ask(self, message: Question) -> FromPlayer:
        match message:
            case AskFleet():
                return Placing(
                    fleet_input.typed(
                        self._rules,
                        self._wire,
                        seed=self._seed,
                        ask=lambda what: self._line(f"{what}> ", fleet_input.HELP),
                        say=click.echo,
                        wrong=self._wrong,
                    )
                )
            case AskShots(view):
                return self._shot(view)
            case refused:
                raise AssertionError(f"{refused}: a person says nothing that is not legal")

    def watch(self, game: Game, event: Event) -> None:
        self._game = game
        if isinstance(event, Shot):
            line = shot_line(len(game.shots), event, self._names, game.rules, colour=self._colour)
            click.echo(line, color=self._colour)
        elif isinstance(event, Outcome):
            self._show(game, seat=None)

    def _shot(self, view: View) -> FromPlayer:
        assert self._game is not None, "the fleets have been placed"
        self._show(self._game, seat=ME)
        while True:
            line = self._line(f"{self._names[ME]}, your shot> ", HELP)
            if line == "resign":
                return Resigned()
            cell = fleet_input.cell(line)
            if cell is None:
                self._wrong(f"{line!r} is no cell, such as 34; help says what else can be typed")
            elif problem := why_not(view, cell):
                self._wrong(problem)
            else:
                return Fired((Target(BOT, cell),))

    def _show(self, game: Game, seat: int | None) -> None:
        boards = position(game, self._names, seat=seat, explained=False, colour=self._colour)
        click.echo(f"\n{boards}\n", color=self._colour)

    def _line(self, prompt: str, help_: str) -> str:
        while (line := self._lines.ask(prompt)) is not None and line != "quit":
            if line != "help":
                return line
            click.echo(help_)
        raise PlayerLeft

    def _wrong(self, why: str) -> None:
        click.echo("\n".join(wrap(f"{clean(why)}.")))
