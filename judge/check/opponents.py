"""Opponents in this process, scripted for the games in which a program is looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from judge.documents.game import RecordedSeat
from judge.documents.rules import Cell, Fleet, Repeat, Rules, Ship
from judge.game.events import Event, Target
from judge.game.fleets import random_fleet
from judge.game.game import Game
from judge.play.player import WithoutProgram
from judge.wire.messages import (
    AskFleet,
    AskShip,
    AskShots,
    Fired,
    FromPlayer,
    GameStart,
    Left,
    Placed,
    PlacedShip,
    Question,
    ToPlayer,
)

Shoot = Callable[["Opponent", Game, Random], list[Cell] | None]
"""The next shots of an opponent, padded with old ones; None to leave the game."""


@dataclass
class Opponent(WithoutProgram):
    """A player in this process that sees the whole game, and plays as its setting has it: against
    the program in the seat ``against``."""

    name: str
    seat: int
    against: int
    rules: Rules
    shoot: Shoot
    luck: Random
    game: Game | None = None
    asked: Question | None = None
    ships: list[Ship] = field(
        default_factory=list
    )  # its own that are still to be placed one by one
    progress: int = 0  # the shots, or ships of the player, that it has gone through
    entry: RecordedSeat = field(init=False)

    def __post_init__(self) -> None:
        self.entry = RecordedSeat.of(self.name)

    def watch(self, game: Game, event: Event) -> None:
        self.game = game

    def tell(self, message: ToPlayer) -> None:
        """It has watched; but the next game of a match begins anew."""
        if isinstance(message, GameStart):
            self.rules, self.ships, self.progress = message.rules, [], 0

    def ask(self, question: Question, timeout_ms: float | None) -> None:
        self.asked = question

    def answer(self) -> FromPlayer:
        match self.asked:
            case AskFleet():
                return Placed(random_fleet(self.rules, self.luck))
            case AskShip(length):
                self.ships = self.ships or list(random_fleet(self.rules, self.luck))
                ship = next(ship for ship in self.ships if ship.length == length)
                self.ships.remove(ship)
                return PlacedShip(ship)
            case AskShots(view):
                return self._shots(view.due)
        raise AssertionError("nothing that it does is refused")

    def _shots(self, due: int) -> FromPlayer:
        assert self.game is not None, "a fleet has been placed"
        cells = self.shoot(self, self.game, self.luck)
        if cells is None:
            return Left()
        cells = (cells + due * (cells[-1:] or [Cell(0, 0)]))[:due]
        if self.rules.repeat is Repeat.ILLEGAL:
            cells = self._fresh(cells)
        return Fired(tuple(Target(self.against, cell) for cell in cells))

    def _fresh(self, cells: list[Cell]) -> list[Cell]:
        """The cells, those that must not be shot at again replaced by others."""
        assert self.game is not None, "a fleet has been placed"
        fresh = at_random(self, self.game, self.luck)
        chosen: list[Cell] = []
        for cell in cells:
            chosen.append(cell if cell in fresh else fresh[0])
            fresh.remove(chosen[-1])
        return chosen

    @property
    def target(self) -> Fleet:
        """The player's fleet."""
        assert self.game is not None, "it is looked at once all have placed"
        return self.game.fleet(self.against) or ()


# How opponents shoot

FEW_SHOTS = 2  # shots, too few to sink a fleet


def leaves(_: Opponent, __: Game, ___: Random) -> None:
    """Both have placed, and that is all."""


def breaks_off(opponent: Opponent, game: Game, luck: Random) -> list[Cell] | None:
    """A few shots, and then it leaves."""
    fired = sum(shot.target == opponent.against for shot in game.shots)
    return at_random(opponent, game, luck) if fired < FEW_SHOTS else None


def at_random(opponent: Opponent, game: Game, luck: Random) -> list[Cell]:
    shot_at = {shot.cell for shot in game.shots if shot.target == opponent.against}
    rules = game.rules
    fresh = [Cell(c, r) for c in range(rules.columns) for r in range(rules.rows)]
    fresh = [cell for cell in fresh if cell not in shot_at]
    luck.shuffle(fresh)
    return fresh


def misses(opponent: Opponent, game: Game, luck: Random) -> list[Cell]:
    """One cell of water, over and over."""
    ships = {cell for ship in opponent.target for cell in ship.cells}
    return [cell for cell in at_random(opponent, game, luck) if cell not in ships][-1:] or [
        shot.cell for shot in game.shots if shot.target == opponent.against
    ][-1:]


def hits(opponent: Opponent, _: Game, __: Random) -> list[Cell]:
    """Nothing but ships, and their last cells last."""
    cells = [cell for ship in opponent.target for cell in ship.cells]
    fired = opponent.progress
    opponent.progress += opponent.asked.view.due if isinstance(opponent.asked, AskShots) else 0
    return cells[fired:] or cells[-1:]


def twice(opponent: Opponent, _: Game, __: Random) -> list[Cell]:
    """A cell of water and then the cells of the ships, each of them twice, and the last one once
    more."""
    ships = [cell for ship in opponent.target for cell in ship.cells]
    side = range(opponent.rules.columns)
    water = [Cell(column, row) for column in side for row in side]
    cells = [*[cell for cell in water if cell not in ships][:1], *ships]
    fired = opponent.progress // 2
    opponent.progress += 1
    return cells[fired:] or cells[-1:]


def sinking(order: Callable[[Fleet], Fleet]) -> Shoot:
    """A ship with each volley, in this order."""

    def shoot(opponent: Opponent, _: Game, __: Random) -> list[Cell]:
        ships = order(opponent.target)
        ship = ships[min(opponent.progress, len(ships) - 1)]
        opponent.progress += 1
        return list(ship.cells)

    return shoot


def shortest_first(fleet: Fleet) -> Fleet:
    return tuple(sorted(fleet, key=lambda ship: ship.length))


def longest_first(fleet: Fleet) -> Fleet:
    return tuple(sorted(fleet, key=lambda ship: -ship.length))
