"""A person who plays a game. Subclasses show the game and ask for fleets and shots."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from judge.cli.interactive import fleet_input
from judge.documents.rules import Cell, Fleet, Repeat, Ship
from judge.game.events import Event, View
from judge.game.game import Game
from judge.show.board import cell_name
from judge.show.moves import MoveLog
from judge.show.text import clean
from judge.wire.messages import (
    AskFleet,
    AskShip,
    AskShots,
    FromPlayer,
    Placed,
    PlacedShip,
    Question,
)

ME, BOT = 0, 1  # a person sits in seat 0, as the first one named


def why_not(view: View, cell: Cell, aimed: Sequence[Cell] = ()) -> str | None:
    """Return the reason why a shot at the cell would not be legal, or None. ``aimed`` are the
    earlier cells of the same volley."""
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


class Person(ABC):
    """One person's seat in one game."""

    def __init__(self, names: Sequence[str], *, colour: bool) -> None:
        self._names = [clean(name) for name in names]
        self._moves = MoveLog(self._names, seat=ME, colour=colour)
        self._game: Game | None = None
        self._ships: list[Ship] = []  # ships that are laid and not yet asked for

    def ask(self, message: Question) -> FromPlayer:
        """Return the person's legal answer to a question. Raises `PlayerLeft` if the person
        leaves."""
        match message:
            case AskFleet():
                return Placed(self._fleet())
            case AskShip(length):
                self._ships = self._ships or list(self._fleet())
                return PlacedShip(fleet_input.taken(self._ships, length))
            case AskShots(view):
                assert self._game is not None, "the fleets have been placed"
                return self._shot(view, self._game)
            case refused:
                raise AssertionError(f"{refused}: a person says nothing that is not legal")

    def watch(self, game: Game, event: Event) -> None:
        """Show what has happened."""
        self._game = game
        self._see(game, event, self._moves.lines(game, event))

    @abstractmethod
    def _fleet(self) -> Fleet: ...

    @abstractmethod
    def _shot(self, view: View, game: Game) -> FromPlayer: ...

    @abstractmethod
    def _see(self, game: Game, event: Event, lines: Sequence[str]) -> None:
        """Show what has happened. If the event ended a move, ``lines`` describe the move."""
