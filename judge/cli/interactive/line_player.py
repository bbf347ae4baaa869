"""A person who plays by typing lines: for a dumb terminal, or a pipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import click

from judge.cli.interactive import fleet_input
from judge.cli.interactive.line_input import LineInput
from judge.documents.game import Outcome
from judge.documents.rules import Cell, Fleet, Repeat, Rules, Ship
from judge.game.events import Event, Target, View
from judge.game.game import Game
from judge.show.board import cell_name, position
from judge.show.moves import MoveLog
from judge.show.text import clean, wrap
from judge.wire.messages import (
    AskFleet,
    AskShip,
    AskShots,
    Fired,
    FromPlayer,
    PlacedShip,
    Question,
    Resigned,
    Skipped,
)
from judge.wire.messages import Placed as Placing

ME, BOT = 0, 1  # a person sits in seat 0, as the first one named

HELP = """\
skip          let this turn pass, where the rules allow it
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


def why_not(view: View, cell: Cell, aimed: Sequence[Cell] = ()) -> str | None:
    """Why a shot there would not be legal, if so; ``aimed`` are those before it in its volley."""
    rules = view.rules
    name = cell_name(cell, rules)
    if not rules.on_grid(cell):
        return f"there is no cell {name} on a board of {rules.columns}×{rules.rows}"
    if rules.repeat is Repeat.ILLEGAL:
        if any(shot.target != view.seat and shot.cell == cell for shot in view.shots):
            return f"you have shot at {name} before"
        if cell in aimed:
            return f"{name} stands in this volley already"
    return None


class LinePlayer:
    """Asks for lines on stdout, and prints each move."""

    def __init__(
        self, names: Sequence[str], rules: Rules, *, wire: str, seed: int, colour: bool
    ) -> None:
        self._names = [clean(name) for name in names]
        self._rules = rules
        self._wire = wire
        self._seed = seed
        self._colour = colour
        self._lines = LineInput(("help", "resign", "skip", "quit", fleet_input.RANDOM))
        self._game: Game | None = None
        self._ships: list[Ship] = []  # that are laid, and are still to be asked for
        self._moves = MoveLog(self._names, seat=ME, colour=colour)

    def ask(self, message: Question) -> FromPlayer:
        match message:
            case AskFleet():
                return Placing(self._fleet())
            case AskShip(length):
                self._ships = self._ships or list(self._fleet())
                return PlacedShip(fleet_input.taken(self._ships, length))
            case AskShots(view):
                return self._shot(view)
            case refused:
                raise AssertionError(f"{refused}: a person says nothing that is not legal")

    def watch(self, game: Game, event: Event) -> None:
        self._game = game
        if lines := self._moves.lines(game, event):
            click.echo("\n".join(lines), color=self._colour)
        elif isinstance(event, Outcome):
            self._show(game, seat=None)

    def _fleet(self) -> Fleet:
        return fleet_input.typed(
            self._rules,
            self._wire,
            seed=self._seed,
            ask=lambda what: self._line(f"{what}> ", fleet_input.help_(self._rules)),
            say=click.echo,
            wrong=self._wrong,
        )

    def _shot(self, view: View) -> FromPlayer:
        assert self._game is not None, "the fleets have been placed"
        self._show(self._game, seat=ME)
        what = "shot" if view.due == 1 else f"{view.due} shots"
        while True:
            help_ = f"{fleet_input.help_of_shots(self._rules)}\n{HELP}"
            line = self._line(f"{self._names[ME]}, your {what}> ", help_)
            if line == "resign":
                return Resigned()
            if line == "skip" and self._rules.may_skip:
                return Skipped()
            try:
                cells = fleet_input.volley(line, view.due, self._rules)
            except ValueError as error:
                self._wrong(str(error))
                continue
            problems = (why_not(view, cell, cells[:place]) for place, cell in enumerate(cells))
            if problem := next(filter(None, problems), None):
                self._wrong(problem)
            else:
                return Fired(tuple(Target(BOT, cell) for cell in cells))

    def _show(self, game: Game, seat: int | None) -> None:
        boards = position(
            game,
            self._names,
            seat=seat,
            move=self._moves.begin,
            explained=False,
            colour=self._colour,
        )
        click.echo(f"\n{boards}\n", color=self._colour)

    def _line(self, prompt: str, help_: str) -> str:
        while (line := self._lines.ask(prompt)) is not None and line != "quit":
            if line != "help":
                return line
            click.echo(help_)
        raise PlayerLeft

    def _wrong(self, why: str) -> None:
        click.echo("\n".join(wrap(f"{clean(why)}.")))
