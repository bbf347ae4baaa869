"""A table as text: its boards side by side, whose turn it is, and for how long."""

from __future__ import annotations

from collections.abc import Sequence

from judge.documents.rules import Fleet
from judge.join.cells import rulers
from judge.join.table import Stage, Table
from judge.show.board import BRACKET, Face, beside, board, board_width, fog, truth
from judge.show.text import WIDTH, Style, clean, left, many, paint

MOST_BOARDS = 20  # that are shown at once: a hostile server may seat a thousand players


def boards(table: Table, now: float, *, columns: int = WIDTH, colour: bool = False) -> str:
    """All boards in the order of turns, each between its owner and the owner's points, with ``>``
    before who is up and the last shot at each in brackets; below them whose turn it is, and since
    when.
    A table of very many shows the first ones and the own one."""
    labels = rulers(table.game, table.rules)
    needed = board_width(table.rules, labels)
    width = max(needed, min(columns, 2 * needed, 30))
    blocks = []
    for shown in faces(table).values():
        lines = board(table.rules, shown.marks, before=shown.before, colour=colour, rulers=labels)
        heading = paint(left(shown.title, width), Style.BOLD, colour)
        rows = [line + " " * (width - needed) for line in lines]
        blocks.append([heading, *rows, *([left(shown.below, width)] if shown.below else [])])
    drawn = beside(blocks, width, columns)
    return f"{drawn}\n\n{turn_line(table, now)}"


def faces(table: Table) -> dict[int, Face]:
    """The boards that are shown, by their seats: all of them, or of very many the first and the own
    one."""
    return {
        seat: face(table, seat)
        for seat in range(len(table.players))
        if seat < MOST_BOARDS or seat == table.own
    }


def turn_line(table: Table, now: float) -> str:
    """The seat that is up, and how much of its time is gone, as far as it has any."""
    if table.stage is not Stage.PLAYING or table.up is None:
        return {
            Stage.CUT: "the connection is cut",
            Stage.OVER: "the game is over" if table.outcome else "you are in no game",
            Stage.PLAYING: "nobody is up",
        }.get(table.stage, "the game has not begun")
    whose = "your" if table.is_own_turn else f"{table.called(table.up)}'s"
    of = "" if table.game.announces else f" of {table.rules.timeout_ms / 1000:g}"
    return f"it is {whose} turn, for {max(0.0, now - table.up_since):.0f}{of} s"


def fleet_boards(table: Table, fleets: Sequence[Fleet], *, colour: bool = False) -> str:
    """Fleets side by side; several of them are numbered."""
    labels = rulers(table.game, table.rules)
    width = board_width(table.rules, labels)
    blocks = []
    for number, fleet in enumerate(fleets, start=1):
        lines = board(table.rules, truth(fleet, ()), colour=colour, rulers=labels)
        heading = [paint(left(f"  {number}", width), Style.BOLD, colour)] if len(fleets) > 1 else []
        blocks.append([*heading, *lines])
    return beside(blocks, width)


def face(table: Table, seat: int) -> Face:
    """A player's board under its number and name, why it is away if it is, and ``>`` if it is up;
    below are its points, how much of its fleet is hit, and its skips."""
    player = table.players[seat]
    said = []
    if table.game.announces:
        hits = sum(shot.is_hit for shot in player.shots)
        said = [many(player.points, "point"), f"{100 * hits // sum(table.rules.lengths)}% hit"]
        if player.skips:
            said.append(many(player.skips, "skip"))
    up = ">" if seat == table.up else " "
    away = f" ({clean(player.away)})" if player.away else ""
    name = f"{up} {seat + 1}: {table.called(seat)}{away}"
    own = table.fleet if seat == table.own else None
    marks = fog(player.shots) if own is None else truth(own, player.shots)
    last = {player.shots[-1].cell: BRACKET} if player.shots else {}
    return Face(name, marks, last, ", ".join(said))
