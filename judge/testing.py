"""Strategies for Hypothesis: rules, fleets, games, records of games, and replies of bots.

Legal fleets are worked out here, without `judge.game`. Hypothesis is not installed with the judge.
"""

from __future__ import annotations

import json
from functools import cache
from random import Random

from hypothesis import strategies as st
from msgspec.structs import replace

from judge.documents.game import GameRecord
from judge.documents.rules import (
    BadMove,
    Cell,
    Draw,
    Goal,
    Opening,
    Orientation,
    Placing,
    Repeat,
    Rules,
    Ship,
    Sinking,
    Turn,
)
from judge.game.events import Target, View
from judge.game.game import Game
from judge.game.variants import VARIANTS, contest
from judge.library.fights import play
from judge.library.games import random_fleet

__all__ = ["fleets", "games", "records", "replies", "rules"]

# Cells, ships, fleets


def squares(ship: Ship) -> frozenset[Cell]:
    """The cells of a ship."""
    across = ship.orientation == "horizontal"
    return frozenset(
        Cell(ship.column + i * across, ship.row + i * (not across)) for i in range(ship.length)
    )


def board(rules: Rules) -> list[Cell]:
    return [Cell(column, row) for column in range(rules.columns) for row in range(rules.rows)]


@cache
def spots(columns: int, rows: int, length: int) -> dict[Ship, frozenset[Cell]]:
    """Every ship of this ``length`` that fits on an empty board, with its cells. A ship of length 1
    is listed in both orientations."""
    grid = {Cell(column, row) for column in range(columns) for row in range(rows)}
    ships = [Ship(length, *cell, way) for cell in sorted(grid) for way in Orientation]
    return {ship: squares(ship) for ship in ships if squares(ship) <= grid}


def free_spots(rules: Rules, length: int, taken: frozenset[Cell]) -> list[Ship]:
    ships = spots(rules.columns, rules.rows, length)
    return [ship for ship, own in ships.items() if not own & taken]


def has_room(rules: Rules, lengths: tuple[int, ...], taken: frozenset[Cell]) -> bool:
    """Whether ships of all these lengths can be placed together, without a cell of ``taken``."""
    if not lengths:
        return True
    return any(
        has_room(rules, lengths[1:], taken | squares(ship))
        for ship in free_spots(rules, lengths[0], taken)
    )


@st.composite
def fleets(draw: st.DrawFn, rules: Rules) -> tuple[Ship, ...]:
    """Legal fleets by these rules, with the ships in any order."""
    rest = tuple(sorted(rules.lengths, reverse=True))
    taken: frozenset[Cell] = frozenset()
    ships = []
    while rest:
        length, *others = rest
        rest = tuple(others)
        free = free_spots(rules, length, taken)
        ship = draw(st.sampled_from(free))
        if not has_room(rules, rest, taken | squares(ship)):
            ship = next(ship for ship in free if has_room(rules, rest, taken | squares(ship)))
        taken |= squares(ship)
        ships.append(ship)
    return tuple(draw(st.permutations(ships)))


# Rules


@st.composite
def random_rules(draw: st.DrawFn) -> Rules:
    """Rules with drawn values, on boards of at most 6 by 4 or 4 by 6 cells, for short games."""
    columns, rows = draw(st.integers(2, 6)), draw(st.integers(2, 4))
    if draw(st.booleans()):
        columns, rows = rows, columns
    lengths = draw(st.lists(st.integers(1, max(columns, rows)), min_size=1, max_size=4))
    base = Rules(
        name="random",
        columns=columns,
        rows=rows,
        fleet=(1,),
        players=(2, 4),
        turn=draw(st.sampled_from(Turn)),
        salvo_bonus=tuple(draw(st.lists(st.sampled_from(lengths), unique=True, max_size=2))),
        goal=draw(st.sampled_from(Goal)),
        points=draw(st.none() | st.integers(1, 8)),
        round_limit=draw(st.none() | st.integers(1, 12)),
        repeat=draw(st.sampled_from(Repeat)),
        placing=draw(st.sampled_from(Placing)),
        bad_move=draw(st.sampled_from(BadMove)),
        may_skip=draw(st.booleans()),
        may_return=draw(st.booleans()),
        sinking=draw(st.sampled_from(Sinking)),
        opening=draw(st.sampled_from(Opening)),
        timeout_ms=draw(st.integers(1, 100_000)),
        bot_bytes=draw(st.integers(1, 2**30)),
        match=draw(st.integers(1, 500)),
    )
    while 3 * sum(lengths) > 2 * columns * rows or not has_room(base, tuple(lengths), frozenset()):
        lengths.remove(max(lengths))
    return replace(base, fleet=tuple(lengths) or (1,))


@st.composite
def variant(draw: st.DrawFn, name: str) -> Rules:
    """The rules of a variant, mostly on a small board so that games end in a few moves. Ship
    lengths that the rules leave to chance are drawn."""
    of = VARIANTS[name]
    size = draw(st.integers(3, 6))
    if size < 6 and isinstance(of.fleet, Draw):
        of = contest(size)
    elif size < 6:
        fleet = draw(st.sampled_from([(1,), (2,), (1, 2), (2, 1, 1), (3, 1), (1, 3, 2)]))
        bonus = (max(fleet),) if of.salvo_bonus else ()
        of = replace(of, columns=size, rows=3, fleet=fleet, salvo_bonus=bonus)
    return of.drawn(Random(draw(st.integers(0, 99))))


def rules() -> st.SearchStrategy[Rules]:
    return st.one_of(*map(variant, VARIANTS), random_rules())


def numbers_of_players(rules: Rules) -> st.SearchStrategy[int]:
    least, most = rules.players
    return st.integers(least, min(most, 4))


# Moves and games


def aim(
    rng: Random,
    *,
    rules: Rules,
    fleets: dict[int, tuple[Ship, ...]],
    shot_at: set[tuple[int, int, int]],
    seat: int,
    due: int,
) -> list[tuple[int, int, int]]:
    """A volley of ``due`` shots as (target's seat, column, row), at cells not shot at before while
    there are any. Every second shot or so is aimed at a ship, so that games end sooner."""
    boards = [target for target in fleets if target != seat]
    fresh = {(t, *cell) for t in boards for cell in board(rules)} - shot_at
    ships = {(t, *cell) for t in boards for ship in fleets[t] for cell in squares(ship)}
    volley: list[tuple[int, int, int]] = []
    for _ in range(due):
        left = fresh - set(volley)
        hot = left & ships
        if hot and rng.random() < 0.5:
            volley.append(rng.choice(sorted(hot)))
        elif left:
            volley.append(rng.choice(sorted(left)))
        else:  # a player without fresh cells is up only if a repeat is legal
            volley.append((rng.choice(boards), *rng.choice(board(rules))))
    return volley


def targets(volley: list[tuple[int, int, int]]) -> list[Target]:
    return [Target(seat, Cell(column, row)) for seat, column, row in volley]


def fire(game: Game, seat: int, rng: Random) -> None:
    """Fire a volley by `aim` for a seat whose turn it is."""
    volley = aim(
        rng,
        rules=game.rules,
        fleets={s: fleet for s in range(game.players) if (fleet := game.fleet(s)) is not None},
        shot_at={(shot.target, *shot.cell) for shot in game.shots},
        seat=seat,
        due=game.shots_due(seat),
    )
    game.shoot(seat, targets(volley))


@st.composite
def games(
    draw: st.DrawFn, by: st.SearchStrategy[Rules] | None = None, most_turns: int = 60
) -> Game:
    """Games with all fleets placed and at most ``most_turns`` volleys fired. Some games are over.
    ``by`` draws the rules."""
    of = draw(rules() if by is None else by)
    players = draw(numbers_of_players(of))
    game = Game(of, players, draw(st.integers(0, players - 1)))
    while game.is_placing:
        game.place(game.to_move[0], draw(fleets(of)))
    rng = Random(draw(st.integers(0, 2**32 - 1)))
    for _ in range(draw(st.integers(0, most_turns))):
        if not game.to_move:
            break
        fire(game, rng.choice(game.to_move), rng)
    return game


# Records and replies


class _Lucky:
    """A player that draws its shots from the cells not shot at before, while there are any."""

    def place(self, rules: Rules, seed: int) -> tuple[Ship, ...]:
        self._luck = Random(seed)
        return random_fleet(rules, seed)

    def shoot(self, view: View) -> list[Target]:
        boards = [seat for seat in range(view.players) if seat != view.seat and view.present[seat]]
        cells = [Target(seat, cell) for seat in boards for cell in board(view.rules)]
        shot_at = {(shot.target, shot.cell) for shot in view.shots}
        fresh = [target for target in cells if tuple(target) not in shot_at]
        draw = self._luck.sample if len(fresh) >= view.due else self._luck.choices
        return draw(fresh or cells, k=view.due)


@st.composite
def records(draw: st.DrawFn, by: st.SearchStrategy[Rules] | None = None) -> GameRecord:
    """Records of whole games between random players. ``by`` draws the rules."""
    of = draw(rules() if by is None else by)
    players = [_Lucky() for _ in range(draw(numbers_of_players(of)))]
    return play(*players, rules=of, seed=draw(st.integers(0, 2**64)))


def replies() -> st.SearchStrategy[bytes]:
    """Bytes that a bot may print as a reply: JSON of any shape, whole, cut short or doubled, many
    open brackets, or any bytes."""
    values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
        max_leaves=10,
    )
    moves = st.fixed_dictionaries({"move": values | st.from_regex("[0-9]{2}", fullmatch=True)})
    texts = (values | moves).map(lambda value: json.dumps(value).encode())
    return st.one_of(
        texts,
        texts.map(lambda text: text[:-1]),
        texts.map(lambda text: text + b"\n" + text),
        st.integers(1, 5000).map(lambda depth: b"[" * depth),
        st.binary(max_size=64),
    )
