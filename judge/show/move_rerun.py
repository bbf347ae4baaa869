"""The text on a move that was run again, beside the recorded move.

Pure. The first line says whether both moves are the same. The two moves and the new run follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from judge.documents.game import Evidence, GameRecord, shortened
from judge.documents.rules import Cell, Fleet, Rules
from judge.errors import BotError, IllegalFleet, IllegalMove
from judge.game.events import Shot, Target
from judge.play.recorded_move import RecordedMove
from judge.show.board import Rulers, cell_name
from judge.show.evidence import command_again, milliseconds, ran_lines, run_lines
from judge.show.text import WIDTH, Style, clean, cut, hanging, painted
from judge.wire.messages import (
    Fired,
    FromPlayer,
    Joined,
    Left,
    Placed,
    PlacedShip,
    Resigned,
    Said,
    Skipped,
)


@dataclass(frozen=True, slots=True)
class Rerun:
    """The result of asking a bot again: its answer, or its fault. ``variables`` are the environment
    variables of the bot's protocol."""

    said: FromPlayer | BotError
    ms: float
    evidence: Evidence | None
    variables: Mapping[str, str]


def is_same(move: RecordedMove, rerun: Rerun) -> bool:
    """Whether the bot did the same again: the same fleet, volley or skip, or a forfeit by the same
    termination. The sentence on an illegal fleet or shot has to be the same, too."""
    match rerun.said:
        case IllegalFleet() | IllegalMove() as error:
            is_of_kind = move.forfeit == error.termination
            return is_of_kind and move.detail == shortened(str(error))
        case BotError() as error:
            return move.forfeit == error.termination
        case Placed(fleet):
            return move.fleet is not None and set(fleet) == set(move.fleet)
        case Fired(targets):
            shots = [Target(shot.target, shot.cell) for shot in move.volley]
            return bool(shots) and list(targets) == shots
        case Skipped():
            return move.skipped
        case _:
            return False


def text(
    record: GameRecord,
    move: RecordedMove,
    rerun: Rerun,
    *,
    colour: bool = False,
    width: int = WIDTH,
    verbose: bool = False,
) -> str:
    """The text: whether the two moves agree, the recorded move and the new one, and the run."""
    name = cut(clean(record.seats[move.seat].name), 24)
    what = "the fleet" if move.number is None else f"move {move.number}"
    same = is_same(move, rerun)
    verdict = "the same again" if same else "something else this time"
    headline = f"Game {clean(record.display_name)}, {what} of {name}: {verdict}."
    lines = painted(headline, Style.BOLD if same else Style.RED, colour, width)
    lines += ["", *_row("recorded", _recorded(move, record.rules), move.ms, width)]
    lines += _row("now", _now(rerun, record.rules), rerun.ms, width)
    if rerun.evidence:
        argv, variables = rerun.evidence.argv, rerun.variables
        command = command_again(argv, variables) if verbose else None
        lines += ["", *ran_lines(argv, variables, width, command)]
        lines += run_lines(rerun.evidence, width=width, verbose=verbose)
    return "\n".join(lines)


def _row(label: str, what: str, ms: float, width: int) -> list[str]:
    return hanging(f"  {label:<9} ", f"{what}, in {milliseconds(ms)} ms", width)


def _recorded(move: RecordedMove, rules: Rules) -> str:
    if move.forfeit is not None:
        return f"{move.forfeit}: {clean(move.detail)}" if move.detail else str(move.forfeit)
    if move.fleet is not None:
        return _fleet(move.fleet, rules)
    if move.skipped:
        return "skipped its turn"
    if len(move.volley) == 1:
        (shot,) = move.volley
        return f"{_cell(shot.cell, rules)}, {_result(shot)}"
    return ", ".join(f"{_cell(shot.cell, rules)} {_result(shot)}" for shot in move.volley)


def _cell(cell: Cell, rules: Rules) -> str:
    """The name of a cell in the game's protocol. A cell off the board has the name of
    `cell_name`."""
    return Rulers.of_players(rules).cell(cell) if rules.on_grid(cell) else cell_name(cell, rules)


def _result(shot: Shot) -> str:
    name = shot.result.name.lower()
    return f"sank the {shot.sunk}" if shot.sunk else {"repeat": "wasted"}.get(name, name)


def _now(rerun: Rerun, rules: Rules) -> str:
    match rerun.said:
        case BotError() as error:
            return f"{error.termination}: {clean(str(error))}"
        case Placed(fleet):
            return _fleet(fleet, rules)
        case Fired(targets):
            return ", ".join(_cell(target.cell, rules) for target in targets)
        case PlacedShip(ship):
            return _fleet((ship,), rules)
        case Skipped():
            return "skipped its turn"
        case Resigned():
            return "resigned"
        case Left():
            return "left"
        case Joined() | Said():
            return "said nothing that is a move"


def _fleet(fleet: Fleet, rules: Rules) -> str:
    return ", ".join(
        f"{ship.length} at {_cell(ship.cells[0], rules)} {ship.orientation}"
        for ship in sorted(fleet, key=lambda ship: ship.length)
    )
