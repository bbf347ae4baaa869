"""Scripted opponents for the games of checks; they play in the judge's own process."""

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
"""Returns the cells that an opponent shoots at next, or None to leave the game. If more shots are
due, the last cell is repeated, or fresh cells are added if a repeat is illegal."""


@dataclass
class Opponent(WithoutProgram):
    """A scripted player in the judge's process. It sees the whole game. ``shoot`` chooses its shots
    at the program in the seat ``against``."""

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
    )  # the opponent's ships that are still to be placed one by one
    progress: int = 0  # shots or volleys that ``shoot`` has counted in this game
    entry: RecordedSeat = field(init=False)

    def __post_init__(self) -> None:
        self.entry = RecordedSeat.of(self.name)

    def watch(self, game: Game, event: Event) -> None:
        self.game = game

    def tell(self, message: ToPlayer) -> None:
        """Begin anew with each game of a match. Other messages add nothing to what `watch` sees."""
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
        """The cells, with fresh cells in place of cells that have been shot at or come twice."""
        assert self.game is not None, "a fleet has been placed"
        fresh = at_random(self, self.game, self.luck)
        chosen: list[Cell] = []
        for cell in cells:
            chosen.append(cell if cell in fresh else fresh[0])
            fresh.remove(chosen[-1])
        return chosen

    @property
    def target(self) -> Fleet:
        """The fleet of the seat ``against``."""
        assert self.game is not None, "it is looked at once all have placed"
        return self.game.fleet(self.against) or ()


# How opponents shoot

FEW_SHOTS = 2  # shots before `breaks_off` leaves; too few to sink a fleet


def leaves(_: Opponent, __: Game, ___: Random) -> None:
    """Leave at the first question for a shot."""


def breaks_off(opponent: Opponent, game: Game, luck: Random) -> list[Cell] | None:
    """Shoot at random, and leave once `FEW_SHOTS` shots or more were fired."""
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
    """Shoot at a fresh cell of water. If no water is fresh, repeat the last shot at this board."""
    ships = {cell for ship in opponent.target for cell in ship.cells}
    return [cell for cell in at_random(opponent, game, luck) if cell not in ships][-1:] or [
        shot.cell for shot in game.shots if shot.target == opponent.against
    ][-1:]


def hits(opponent: Opponent, _: Game, __: Random) -> list[Cell]:
    """Shoot at the cells of one ship after the other, and then always at the last cell of the last
    ship."""
    cells = [cell for ship in opponent.target for cell in ship.cells]
    fired = opponent.progress
    opponent.progress += opponent.asked.view.due if isinstance(opponent.asked, AskShots) else 0
    return cells[fired:] or cells[-1:]


def twice(opponent: Opponent, _: Game, __: Random) -> list[Cell]:
    """Shoot twice at one cell of water, and then twice at each cell of the ships. All later shots
    are at the last of these cells."""
    ships = [cell for ship in opponent.target for cell in ship.cells]
    side = range(opponent.rules.columns)
    water = [Cell(column, row) for column in side for row in side]
    cells = [*[cell for cell in water if cell not in ships][:1], *ships]
    fired = opponent.progress // 2
    opponent.progress += 1
    return cells[fired:] or cells[-1:]


def sinking(order: Callable[[Fleet], Fleet]) -> Shoot:
    """Return a way to shoot: each volley is at all cells of the next ship in this ``order``.
    Volleys after the last ship are at that ship again."""

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
