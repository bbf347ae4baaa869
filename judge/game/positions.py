"""Positions that a game could bring: each is reached by playing the engine from its start.

Pure; all luck is handed in. The fleet of the rules must be drawn. A recipe says which cells the
seat that will be asked has shot at, and in what order; each seat shoots at the next one, and the
other seats play sensibly and take care not to win. If volleys do not come out even, a seat repeats
its shots if the rules allow it, and else shoots at water. A recipe returns None if the rules bring
no such position, for example because the game is over before it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import TypeVar

from judge.documents.rules import Cell, Fleet, Orientation, Placing, Repeat, Rules, Ship, Turn
from judge.game.events import Target, View
from judge.game.fleets import random_fleet
from judge.game.game import Game

T = TypeVar("T")

MOST_FLEETS = 10_000  # drawn to find one with a ship on a given cell


@dataclass(frozen=True, slots=True)
class Position:
    """A seat that is up, in a game that is not to be moved."""

    seat: int
    game: Game

    @property
    def view(self) -> View:
        return self.game.view(self.seat)

    def copy(self) -> Game:
        """The game, to be moved."""
        return copy.deepcopy(self.game)


def placing(rules: Rules, seat: int = 0) -> Position | None:
    """The fleet is to be placed."""
    if rules.placing is Placing.JUDGE:
        return None
    return Position(seat, Game(rules, rules.players[0], first=seat))


def opening(rules: Rules, rng: Random, seat: int) -> Position | None:
    """Nobody has shot yet."""
    return _reached(rules, rng, seat, random_fleet(rules, rng), [])


def answering(rules: Rules, rng: Random, seat: int) -> Position | None:
    """The opponent moved first, and this seat has not shot yet."""
    if rules.turn is Turn.BOTH:
        return None
    first = (seat - 1) % rules.players[0]
    return _reached(rules, rng, seat, random_fleet(rules, rng), [], first=first)


def begun(rules: Rules, rng: Random, seat: int, shots: int) -> Position | None:
    """So many shots have been made, as a sensible player would."""
    fleet = random_fleet(rules, rng)
    order = _unfinished(_sensible(rules, fleet, rng), fleet)
    return _reached(rules, rng, seat, fleet, order[:shots])


def middle(rules: Rules, rng: Random, seat: int, part: float) -> Position | None:
    """This part of the board, from 0 to 1, has been shot at, as a sensible player would."""
    fleet = random_fleet(rules, rng)
    order = _unfinished(_sensible(rules, fleet, rng), fleet)
    return _reached(rules, rng, seat, fleet, order[: round(part * (len(order) - 1))])


def sunk_in_order(rules: Rules, rng: Random, seat: int, lengths: Sequence[int]) -> Position | None:
    """The ships of these lengths have been sunk in this order, with some misses between them."""
    fleet = random_fleet(rules, rng)
    water = _shuffled(rng, _water(rules, fleet))
    afloat = list(fleet)
    mine: list[Cell] = []
    for length in lengths:
        for _ in range(rng.randrange(4)):
            mine += water[-1:]
            del water[-1:]
        ship = next(ship for ship in afloat if ship.length == length)
        afloat.remove(ship)
        mine += _shuffled(rng, ship.cells)
    return _reached(rules, rng, seat, fleet, mine)


def wounded(rules: Rules, rng: Random, seat: int, length: int) -> Position | None:
    """A ship has been hit, though not everywhere, and everything around it but ships is missed.
    The ship has more than one cell."""
    fleet = random_fleet(rules, rng)
    ship = next(ship for ship in fleet if ship.length == length)
    hits = rng.sample(ship.cells, rng.randint(1, length - 1))
    water = set(_water(rules, fleet))
    around = {near for cell in ship.cells for near in _beside(rules, cell)} & water
    mine = _shuffled(rng, sorted(around | set(hits)))
    return _reached(rules, rng, seat, fleet, mine)


def touching(rules: Rules, rng: Random, seat: int, sunk: int) -> Position | None:
    """Ships lie side by side: the first cell of each has been hit, and ``sunk`` of them have been
    shot at all over."""
    fleet = tuple(
        Ship(length, 0, row, Orientation.HORIZONTAL)
        for row, length in enumerate(_shuffled(rng, rules.lengths))
    )
    if len(fleet) > rules.rows or max(rules.lengths) > rules.columns:
        return None
    tips = [ship.cells[0] for ship in fleet]
    rest = list(chain.from_iterable(ship.cells[1:] for ship in rng.sample(fleet, sunk)))
    return _reached(rules, rng, seat, fleet, tips + rest)


def unlucky(rules: Rules, rng: Random, seat: int) -> Position | None:
    """Every shot so far missed: only the cells of ships are left."""
    fleet = random_fleet(rules, rng)
    return _reached(rules, rng, seat, fleet, _shuffled(rng, _water(rules, fleet)))


def lucky(rules: Rules, rng: Random, seat: int) -> Position | None:
    """Every shot so far hit: one more, and the game is won."""
    fleet = random_fleet(rules, rng)
    cells = _shuffled(rng, _cells_of(fleet))
    return _reached(rules, rng, seat, fleet, cells[:-1])


def crossed(rules: Rules, rng: Random, seat: int, left: int) -> Position | None:
    """Only ``left`` cells are left, and the opponent has shot at every one of them."""
    fleet, own = random_fleet(rules, rng), random_fleet(rules, rng)
    board = _shuffled(rng, _board(rules))
    spared = _cells_of(own)[-1]  # a cell that the opponent spares, so it does not win
    fresh = [rng.choice([cell for cell in _cells_of(fleet) if cell != spared])]
    fresh += [cell for cell in board if cell not in (*fresh, spared)][: left - 1]
    mine = [cell for cell in board if cell not in fresh]
    theirs = [*fresh, *(cell for cell in board if cell not in (*fresh, spared)), spared]
    return _reached(rules, rng, seat, fleet, mine, own=own, theirs=theirs)


def last_cell(rules: Rules, rng: Random, seat: int, cell: Cell) -> Position | None:
    """This cell is the only one left, after the longest game that there can be."""
    for _ in range(MOST_FLEETS):
        fleet = random_fleet(rules, rng)
        if cell in _cells_of(fleet):
            mine = [other for other in _shuffled(rng, _board(rules)) if other != cell]
            return _reached(rules, rng, seat, fleet, mine)
    return None


def repeated(rules: Rules, rng: Random, seat: int, part: float) -> Position | None:
    """As `middle`, but this seat and the seat before it shoot at each cell twice in a row."""
    if rules.repeat is Repeat.ILLEGAL:
        return None
    fleet, own = random_fleet(rules, rng), random_fleet(rules, rng)
    orders = (_unfinished(_sensible(rules, one, rng), one) for one in (fleet, own))
    mine, theirs = ([cell for cell in order[:-1] for cell in (cell, cell)] for order in orders)
    return _reached(
        rules, rng, seat, fleet, mine[: round(part * len(mine))], own=own, theirs=theirs
    )


def skipped(rules: Rules, rng: Random, seat: int) -> Position | None:
    """The opponents have skipped all their turns, and this seat the second of its own."""
    if not rules.may_skip:
        return None
    fleets = [random_fleet(rules, rng) for _ in range(rules.players[0])]
    game = _placed(rules, fleets, first=seat)
    order = _sensible(rules, fleets[_next(game, seat)], rng)
    turns = 0
    while game.to_move:
        if seat in game.to_move and turns == 3:
            return Position(seat, game)
        for up in game.to_move:
            if up != seat or turns == 1:
                game.skip(up)
            else:
                volley = [order.pop(0) for _ in range(game.shots_due(up))]
                game.shoot(up, [Target(_next(game, up), cell) for cell in volley])
            turns += up == seat
    return None


def crowded(rules: Rules, rng: Random, seat: int, players: int, turns: int) -> Position | None:
    """More players than there must be have had some ``turns``, and shot at whom they liked. If
    rules let players come back, one of them is away."""
    if not rules.players[0] < players <= rules.players[1]:
        return None
    fleets = [random_fleet(rules, rng) for _ in range(players)]
    game = _placed(rules, fleets, first=seat)
    fresh = [_unfinished(_sensible(rules, fleet, rng), fleet)[:-1] for fleet in fleets]
    own_turns, has_left = 0, not rules.may_return
    while game.to_move:
        if seat in game.to_move and own_turns >= turns:
            return Position(seat, game)
        own_turns += seat in game.to_move
        idle = [other for other in range(players) if other not in (seat, *game.to_move)]
        if idle and not has_left:
            has_left = True
            game.leave(idle[-1])
        for up in game.to_move:
            due = game.shots_due(up)
            targets = [
                other for other in range(players) if other != up and len(fresh[other]) >= due
            ]
            if not targets:
                return None
            target = rng.choice(targets)
            game.shoot(up, [Target(target, fresh[target].pop(0)) for _ in range(due)])
    return None


def corners_and_centre(rules: Rules) -> tuple[Cell, ...]:
    right, bottom = rules.columns - 1, rules.rows - 1
    corners = (Cell(0, 0), Cell(right, 0), Cell(0, bottom), Cell(right, bottom))
    return (*corners, Cell(right // 2, bottom // 2))


def _reached(
    rules: Rules,
    rng: Random,
    seat: int,
    fleet: Fleet,
    mine: Sequence[Cell],
    *,
    own: Fleet | None = None,
    theirs: Sequence[Cell] | None = None,
    first: int | None = None,
) -> Position | None:
    """The seat is up and has shot at just the cells of ``mine``, in their order, at ``fleet``."""
    own = own or random_fleet(rules, rng)
    theirs = theirs or _unfinished(_sensible(rules, own, rng), own)
    players = rules.players[0]
    target, before = (seat + 1) % players, (seat - 1) % players
    fleets = [own if number == seat else fleet for number in range(players)]
    boards = {seat: list(mine), before: list(theirs[:-1])}
    for number in range(players):
        if number not in boards:
            fleets[(number + 1) % players] = other = random_fleet(rules, rng)
            boards[number] = _unfinished(_sensible(rules, other, rng), other)[:-1]
    fleets[target] = fleet
    game = _placed(rules, fleets, first=seat if first is None else first)
    shot = dict.fromkeys(range(players), 0)
    while game.to_move:
        if shot[seat] == len(mine) and seat in game.to_move:
            return Position(seat, game)
        for up in game.to_move:
            volley = boards[up][shot[up] : shot[up] + game.shots_due(up)]
            shot[up] += len(volley)
            if (filled := _filled(game, up, volley)) is None:
                return None
            game.shoot(up, filled)
    return None


def _placed(rules: Rules, fleets: Sequence[Fleet], first: int) -> Game:
    """A game in which all fleets are placed and nobody has shot."""
    game = Game(rules, len(fleets), first)
    while game.is_placing:
        (up, *_) = game.to_move
        game.place(up, fleets[up])
    return game


def _next(game: Game, seat: int) -> int:
    return (seat + 1) % game.players


def _filled(game: Game, seat: int, volley: Sequence[Cell]) -> list[Target] | None:
    """The volley at the next seat with as many shots as are due, if the rules have such shots that
    hit nothing new."""
    target, rules = _next(game, seat), game.rules
    before = [shot.cell for shot in game.shots if shot.target == target]
    missing = game.shots_due(seat) - len(volley)
    spare: list[Cell] = []
    if missing:
        known = [*before, *volley]
        water = _water(rules, game.fleet(target) or ())
        spare = [cell for cell in water if cell not in known]
        if rules.repeat is not Repeat.ILLEGAL:
            spare = known[-missing:] * missing or spare
    if len(spare) < missing:
        return None
    return [Target(target, cell) for cell in (*volley, *spare[:missing])]


def _sensible(rules: Rules, fleet: Fleet, rng: Random) -> list[Cell]:
    """All cells, in the order of one who shoots at random, but beside a hit wherever there is
    one."""
    fresh = _shuffled(rng, _board(rules))
    ships = set(_cells_of(fleet))
    order: list[Cell] = []
    beside: set[Cell] = set()
    while fresh:
        cell = next((cell for cell in fresh if cell in beside), fresh[0])
        fresh.remove(cell)
        order.append(cell)
        if cell in ships:
            beside.update(_beside(rules, cell))
    return order


def _unfinished(order: Sequence[Cell], fleet: Fleet) -> list[Cell]:
    """The same order with the last cell of a ship put off to the very end."""
    last = [cell for cell in order if cell in set(_cells_of(fleet))][-1]
    return [*(cell for cell in order if cell != last), last]


def _board(rules: Rules) -> list[Cell]:
    return [Cell(column, row) for column in range(rules.columns) for row in range(rules.rows)]


def _cells_of(fleet: Fleet) -> list[Cell]:
    return [cell for ship in fleet for cell in ship.cells]


def _water(rules: Rules, fleet: Fleet) -> list[Cell]:
    ships = set(_cells_of(fleet))
    return [cell for cell in _board(rules) if cell not in ships]


def _beside(rules: Rules, cell: Cell) -> list[Cell]:
    column, row = cell
    near = (
        Cell(column - 1, row),
        Cell(column, row - 1),
        Cell(column, row + 1),
        Cell(column + 1, row),
    )
    return [cell for cell in near if rules.on_grid(cell)]


def _shuffled(rng: Random, things: Iterable[T]) -> list[T]:
    shuffled = list(things)
    rng.shuffle(shuffled)
    return shuffled
