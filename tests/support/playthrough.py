"""Golden games: text files that hold the moves of a game and what the engine made of each.

A file in tests/playthroughs/ begins with `#` lines that say what it shows, then has the rules
(`rules NAME [FIELD=VALUE …]`), `players N` and `first N`. A line that begins with `>` is a move,
and is all that a person writes; every other line is the engine's, and made anew by

    python tests/support/playthrough.py [NAME …]        # by default all of them

A person must read the changes before they are committed: the tests then hold the engine to them. Cells are `column,row` from the top left, a target is `seat@column,row`:

    > place 0: 2 at 0,0 across; 1 at 3,1 down      > skip 1      > come_back 1
    > shoot 0: 1@3,4 1@3,5                         > resign 1    > forfeit 0 timeout: late
    > show 1      what seat 1 may know, drawn
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from changes import replace

# Run as a program from anywhere, or imported by a test: the checkout's own engine either way.
sys.path.insert(0, str(Path(__file__).parents[2]))

from msgspec import structs

from judge.documents.game import Result, Termination
from judge.documents.rules import Cell, Fleet, Orientation, Rules, Ship
from judge.errors import IllegalFleet, IllegalMove, OutOfTurn
from judge.game.events import Gone, Shot, Target, View
from judge.game.game import Game
from judge.game.variants import VARIANTS

FOLDER = Path(__file__).parents[1] / "playthroughs"

WAYS = {Orientation.HORIZONTAL: "across", Orientation.VERTICAL: "down"}
NUMBERS = {"columns", "rows", "points", "round_limit"}


def regenerate(text: str) -> str:
    """The same playthrough, with all that the engine says made anew."""
    lines = [line for line in text.splitlines() if line.startswith((">", "#", "rules "))]
    options = dict(
        line.split(maxsplit=1)
        for line in text.splitlines()
        if line.startswith(("players ", "first "))
    )
    rules = read_rules(next(line for line in lines if line.startswith("rules ")))
    game = Game(rules, int(options["players"]), int(options["first"]))
    said = [line for line in lines if line.startswith(("#", "rules "))]
    said += [f"players {game.players}", f"first {game.first}", "", *about(rules)]
    for line in lines:
        if line.startswith(">"):
            said += ["", line, *("    " + answer for answer in play(game, line[1:].strip()))]
    said += ["", *ending(game)]
    return "\n".join(said) + "\n"


def read_rules(line: str) -> Rules:
    """`rules NAME FIELD=VALUE …`; a fleet is its lengths with commas between."""
    _, name, *changes = line.split()
    fields: dict[str, int | tuple[int, ...]] = {}
    for change in changes:
        field, value = change.split("=")
        if field == "fleet":
            fields[field] = tuple(map(int, value.split(",")))
        elif field in NUMBERS:
            fields[field] = int(value)
        else:
            raise ValueError(f"a playthrough cannot change {field}")
    return replace(VARIANTS[name], **fields)


def about(rules: Rules) -> Iterator[str]:
    yield f"board {rules.columns}×{rules.rows}, fleet {' '.join(map(str, rules.lengths))}"
    yield (
        f"turn {rules.turn}, goal {rules.goal}, repeat {rules.repeat}, placing {rules.placing}"
        f", sinking {rules.sinking}"
    )


# Moves


def play(game: Game, move: str) -> Iterator[str]:
    """Make a move, and say what became of it: what each seat is newly told, and who is up."""
    head, _, what = move.partition(":")
    call, number, *more = head.split()
    seat = int(number)
    if call == "show":
        yield from show(game.view(seat))
        return
    before = [len(game.view(one).shots) for one in range(game.players)]
    try:
        match call:
            case "place":
                events = game.place(seat, read_fleet(what))
            case "shoot":
                events = game.shoot(seat, read_targets(what))
            case "forfeit":
                events = game.forfeit(seat, Termination(more[0]), what.strip())
            case "skip" | "resign" | "leave" | "come_back":
                events = getattr(game, call)(seat)
            case _:
                raise ValueError(f"no such move: {move}")
    except (IllegalFleet, IllegalMove, OutOfTurn) as error:
        yield f"refused: {type(error).__name__}"
        return
    if call == "place":
        fleet = game.fleet(seat)
        assert fleet is not None
        yield from draw(game.rules, fleet=fleet)
    for event in events:
        if isinstance(event, Gone):
            yield f"seat {event.seat} is gone: {event.termination or 'may come back'}"
    yield from told(game, before)
    yield whose_turn(game)


def told(game: Game, before: list[int]) -> Iterator[str]:
    """The new shots as the seats are told them; beside them what they were, where that differs."""
    new = {
        seat: game.view(seat).shots[before[seat] :] for seat in range(game.players)
    }  # all seats are told the same, but that is for the engine to show
    for told_so in dict.fromkeys(new.values()):
        seats = [seat for seat, shots in new.items() if shots == told_so]
        for number, shot in enumerate(told_so):
            true = game.shots[before[seats[0]] + number]
            # All know where a ship lies that sank; only what players are told of it is shown.
            said, was = (
                answer(shot),
                answer(true if shot.ship else structs.replace(true, ship=None)),
            )
            so = "" if said == was else f"   (in truth: {was})"
            where = f"{shot.target}@{shot.cell.column},{shot.cell.row}"
            whom = "all" if len(seats) == game.players else ", ".join(map(str, seats))
            yield f"told to {whom}: {shot.seat} shot {where} {said}{so}"


def answer(shot: Shot) -> str:
    words = shot.result.name.lower()
    if shot.sunk is not None:
        words += f" the {shot.sunk}"
    if shot.ship is not None:
        words += f" at {shot.ship.column},{shot.ship.row} {WAYS[shot.ship.orientation]}"
    return words + " again" * (shot.repeat and shot.result is not Result.REPEAT)


def whose_turn(game: Game) -> str:
    if game.outcome:
        return "the game is over"
    due = [f"{seat}, shots due: {game.shots_due(seat)}" for seat in game.to_move]
    if not game.shots_due(game.to_move[0]):
        return f"a fleet is awaited of: {', '.join(map(str, game.to_move))}"
    return f"up: {'; '.join(due)}   [rounds completed: {game.rounds}]"


def ending(game: Game) -> Iterator[str]:
    """How it stands at the end: the outcome, and every board with the shots at it."""
    if game.outcome is None:
        yield "the game is not over"
    else:
        yield f"termination {game.outcome.termination}"
        yield f"winner {game.outcome.winner}, loser {game.outcome.loser}"
        yield f"scores {game.outcome.scores}, detail {game.outcome.detail!r}"
        yield f"rounds {game.rounds}, shots {len(game.shots)}"
    for seat in range(game.players):
        yield ""
        yield f"board of seat {seat}"
        shots = [shot for shot in game.shots if shot.target == seat]
        yield from draw(game.rules, fleet=game.fleet(seat) or (), shots=shots)


def read_fleet(text: str) -> Fleet:
    """`LENGTH at COLUMN,ROW across|down; …`."""
    ways = {word: way for way, word in WAYS.items()}
    ships = []
    for ship in text.split(";"):
        length, _, place, way = ship.split()
        ships.append(Ship(int(length), *read_cell(place), ways[way]))
    return tuple(ships)


def read_targets(text: str) -> list[Target]:
    return [
        Target(int(seat), read_cell(cell))
        for seat, cell in (target.split("@") for target in text.split())
    ]


def read_cell(text: str) -> Cell:
    column, row = text.split(",")
    return Cell(int(column), int(row))


# Boards


def show(view: View) -> Iterator[str]:
    """All that a seat may know, drawn: its own board, and the others' as far as it was told."""
    for seat in range(view.players):
        yield f"board of seat {seat}{' (its own)' * (seat == view.seat)}"
        shots = [shot for shot in view.shots if shot.target == seat]
        fleet = (view.fleet or ()) if seat == view.seat else ()
        yield from draw(view.rules, fleet=fleet, shots=shots)


def draw(rules: Rules, fleet: Fleet = (), shots: Iterable[Shot] = ()) -> Iterator[str]:
    """A board: a ship's length where it lies, x hit, # hit and sunk by that shot, o miss."""
    marks = {cell: str(ship.length) for ship in fleet for cell in ship.cells}
    answered = set()  # a repeat changes nothing, however it is told
    for shot in shots:
        if shot.cell not in answered:
            marks[shot.cell] = {Result.MISS: "o", Result.HIT: "x", Result.SUNK: "#"}[shot.result]
        answered.add(shot.cell)
    yield "   " + "".join(f"{column:>2}" for column in range(rules.columns))
    for row in range(rules.rows):
        cells = (marks.get(Cell(column, row), ".") for column in range(rules.columns))
        yield f"{row:>2} " + "".join(f" {mark}" for mark in cells)


def main(names: list[str]) -> None:
    for path in [FOLDER / f"{name}.txt" for name in names] or sorted(FOLDER.glob("*.txt")):
        path.write_text(regenerate(path.read_text()))


if __name__ == "__main__":
    main(sys.argv[1:])
