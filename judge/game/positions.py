"""Positions for tests of bots, each reached by playing a game from its start.

Pure: the caller gives the random generator. Ship lengths must be drawn already. Each public
function with the name of a position plays until the asked seat is up in it. Unless the function
says otherwise, each seat shoots at the next seat's board, and the other seats shoot as a sensible
player does, without winning. If more shots are due in a volley than the position has, the seat
repeats shots, or shoots at water if it may not repeat any. A function returns None if the rules
allow no such position, for example because the game ends earlier.
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

MOST_FLEETS = 10_000  # fleets drawn until one has a ship on a given cell


@dataclass(frozen=True, slots=True)
class Position:
    """A seat that is up, and its game. Callers must not play on in this game, but may in a
    `copy`."""

    seat: int
    game: Game

    @property
    def view(self) -> View:
        return self.game.view(self.seat)

    def copy(self) -> Game:
        """A copy of the game, which the caller may play on."""
        return copy.deepcopy(self.game)


def placing(rules: Rules, seat: int = 0) -> Position | None:
    """A position in which the seat has to place its fleet. Returns None if the judge places the
    fleets."""
    if rules.placing is Placing.JUDGE:
        return None
    return Position(seat, Game(rules, rules.players[0], first=seat))


def opening(rules: Rules, rng: Random, seat: int) -> Position | None:
    """A position in which the seat is up, and no shot has been fired."""
    return _reached(rules, rng, seat, random_fleet(rules, rng), [])


def answering(rules: Rules, rng: Random, seat: int) -> Position | None:
    """A position in which the opponent moved first, and the seat has not shot yet. Returns None if
    all seats shoot at once."""
    if rules.turn is Turn.BOTH:
        return None
    first = (seat - 1) % rules.players[0]
    return _reached(rules, rng, seat, random_fleet(rules, rng), [], first=first)


def begun(rules: Rules, rng: Random, seat: int, shots: int) -> Position | None:
    """A position in which the seat has fired this many ``shots``, as a sensible player does."""
    fleet = random_fleet(rules, rng)
    order = _unfinished(_sensible(rules, fleet, rng), fleet)
    return _reached(rules, rng, seat, fleet, order[:shots])


def middle(rules: Rules, rng: Random, seat: int, part: float) -> Position | None:
    """A position in which the seat has shot at this ``part`` of the cells, in a sensible player's
    order: 0 is no shot, and 1 is all cells but one with a ship."""
    fleet = random_fleet(rules, rng)
    order = _unfinished(_sensible(rules, fleet, rng), fleet)
    return _reached(rules, rng, seat, fleet, order[: round(part * (len(order) - 1))])


def sunk_in_order(rules: Rules, rng: Random, seat: int, lengths: Sequence[int]) -> Position | None:
    """A position in which the seat has sunk ships of these lengths in this order, with up to three
    misses before each ship."""
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
    """A position in which the seat has hit some, but not all, cells of a ship of this ``length``,
    which is 2 or more. It has also shot at all water that shares an edge with this ship."""
    fleet = random_fleet(rules, rng)
    ship = next(ship for ship in fleet if ship.length == length)
    hits = rng.sample(ship.cells, rng.randint(1, length - 1))
    water = set(_water(rules, fleet))
    around = {near for cell in ship.cells for near in _beside(rules, cell)} & water
    mine = _shuffled(rng, sorted(around | set(hits)))
    return _reached(rules, rng, seat, fleet, mine)


def touching(rules: Rules, rng: Random, seat: int, sunk: int) -> Position | None:
    """A position in which all ships of the opponent lie side by side. The seat has hit the first
    cell of each ship, and then all other cells of ``sunk`` ships. Returns None if the board is too
    small for such a fleet."""
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
    """A position in which the seat has shot at all water and has hit nothing."""
    fleet = random_fleet(rules, rng)
    return _reached(rules, rng, seat, fleet, _shuffled(rng, _water(rules, fleet)))


def lucky(rules: Rules, rng: Random, seat: int) -> Position | None:
    """A position in which the seat has hit every ship cell but one, and has never missed."""
    fleet = random_fleet(rules, rng)
    cells = _shuffled(rng, _cells_of(fleet))
    return _reached(rules, rng, seat, fleet, cells[:-1])


def crossed(rules: Rules, rng: Random, seat: int, left: int) -> Position | None:
    """A position in which the seat has shot at all but ``left`` cells. The opponent's first shots
    were at the same ``left`` cells of the seat's own board."""
    fleet, own = random_fleet(rules, rng), random_fleet(rules, rng)
    board = _shuffled(rng, _board(rules))
    spared = _cells_of(own)[-1]  # shot at last, so the opponent has not won
    fresh = [rng.choice([cell for cell in _cells_of(fleet) if cell != spared])]
    fresh += [cell for cell in board if cell not in (*fresh, spared)][: left - 1]
    mine = [cell for cell in board if cell not in fresh]
    theirs = [*fresh, *(cell for cell in board if cell not in (*fresh, spared)), spared]
    return _reached(rules, rng, seat, fleet, mine, own=own, theirs=theirs)


def last_cell(rules: Rules, rng: Random, seat: int, cell: Cell) -> Position | None:
    """A position in which the seat has shot at every cell but ``cell``, on which a ship lies.
    Returns None if no fleet with a ship on ``cell`` is drawn."""
    for _ in range(MOST_FLEETS):
        fleet = random_fleet(rules, rng)
        if cell in _cells_of(fleet):
            mine = [other for other in _shuffled(rng, _board(rules)) if other != cell]
            return _reached(rules, rng, seat, fleet, mine)
    return None


def repeated(rules: Rules, rng: Random, seat: int, part: float) -> Position | None:
    """A position as in `middle`, but this seat and the seat before it shoot at each cell twice in a
    row. Returns None if a repeat is illegal."""
    if rules.repeat is Repeat.ILLEGAL:
        return None
    fleet, own = random_fleet(rules, rng), random_fleet(rules, rng)
    orders = (_unfinished(_sensible(rules, one, rng), one) for one in (fleet, own))
    mine, theirs = ([cell for cell in order[:-1] for cell in (cell, cell)] for order in orders)
    return _reached(
        rules, rng, seat, fleet, mine[: round(part * len(mine))], own=own, theirs=theirs
    )


def skipped(rules: Rules, rng: Random, seat: int) -> Position | None:
    """A position in which the opponents have skipped all their turns, and the seat has skipped its
    second turn of three. Returns None if no turn may be skipped."""
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
    """A position in a game of more ``players`` than the rules need, after ``turns`` turns of the
    seat. All players shoot at random opponents. If the rules let players come back, a player that
    is not up leaves in the first of these turns. Returns None if the rules need or forbid this
    number of players, or if a player runs out of shots that end nobody's game."""
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
    """A position in which the seat is up and has shot at the cells of ``mine``, in this order, on
    the board with ``fleet``. The seat before it shoots at the seat's ``own`` fleet in the order of
    ``theirs``, but never at the last of these cells."""
    own = own or random_fleet(rules, rng)
    theirs = theirs or _unfinished(_sensible(rules, own, rng), own)
    players = rules.players[0]
    before = (seat - 1) % players
    fleets = [own if number == seat else fleet for number in range(players)]
    boards = {seat: list(mine), before: list(theirs[:-1])}
    for number in range(players):
        if number not in boards:
            fleets[(number + 1) % players] = other = random_fleet(rules, rng)
            boards[number] = _unfinished(_sensible(rules, other, rng), other)[:-1]
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
    """A game in which all fleets are placed and no shot has been fired."""
    game = Game(rules, len(fleets), first)
    while game.is_placing:
        (up, *_) = game.to_move
        game.place(up, fleets[up])
    return game


def _next(game: Game, seat: int) -> int:
    return (seat + 1) % game.players


def _filled(game: Game, seat: int, volley: Sequence[Cell]) -> list[Target] | None:
    """A volley at the next seat. Missing shots become repeats, or shots at fresh water if repeats
    are illegal or nothing was shot at. None if there is too little water."""
    target, rules = _next(game, seat), game.rules
    missing = game.shots_due(seat) - len(volley)
    spare: list[Cell] = []
    if missing:
        before = [shot.cell for shot in game.shots if shot.target == target]
        known = [*before, *volley]
        water = _water(rules, game.fleet(target) or ())
        spare = [cell for cell in water if cell not in known]
        if rules.repeat is not Repeat.ILLEGAL:
            spare = known[-missing:] * missing or spare
    if len(spare) < missing:
        return None
    return [Target(target, cell) for cell in (*volley, *spare[:missing])]


def _sensible(rules: Rules, fleet: Fleet, rng: Random) -> list[Cell]:
    """All cells in the order of a sensible player's shots: at a random fresh cell beside a hit if
    there is one, or else at any fresh cell."""
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
    """The same cells, with the last cell of a ship moved to the end."""
    ships = set(_cells_of(fleet))
    last = next(cell for cell in reversed(order) if cell in ships)
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
