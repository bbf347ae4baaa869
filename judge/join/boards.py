"""A table as text: its boards side by side, whose turn it is, and for how long."""

from __future__ import annotations

from judge.documents.rules import Fleet
from judge.join.cells import rulers
from judge.join.table import Stage, Table
from judge.show.board import BRACKET, beside, board, board_width, fog, truth
from judge.show.text import WIDTH, Style, clean, left, many, paint

MOST_BOARDS = 20  # that are shown at once: a hostile server may seat a thousand players


def boards(table: Table, now: float, *, columns: int = WIDTH, colour: bool = False) -> str:
    """All boards in the order of turns, each under its owner, points and skips, with ``>`` before
    who is up and the last shot at each in brackets; below them whose turn it is, and since when.
    A table of very many shows the first ones and the own one."""
    labels = rulers(table.game, table.rules)
    needed = board_width(table.rules, labels)
    width = max(needed, min(columns, 2 * needed, 30))
    blocks = []
    for seat in seats_shown(table):
        player = table.players[seat]
        own = table.fleet if seat == table.own else None
        marks = fog(player.shots) if own is None else truth(own, player.shots)
        last = {player.shots[-1].cell: BRACKET} if player.shots else {}
        lines = board(table.rules, marks, before=last, colour=colour, rulers=labels)
        up = "> " if seat == table.up else "  "
        heading = paint(left(up + title(table, seat), width), Style.BOLD, colour)
        blocks.append([heading, *(line + " " * (width - needed) for line in lines)])
    drawn = beside(blocks, width, columns)
    return f"{drawn}\n\n{turn_line(table, now)}"


def seats_shown(table: Table) -> list[int]:
    """The seats whose boards are shown: all of them, or of very many the first and the own one."""
    return [seat for seat in range(len(table.players)) if seat < MOST_BOARDS or seat == table.own]


def turn_line(table: Table, now: float) -> str:
    """Whose turn it is, and how much of its time is gone, as far as there is any."""
    if table.stage is not Stage.PLAYING or table.up is None:
        return {
            Stage.CUT: "the connection is cut",
            Stage.OVER: "the game is over" if table.outcome else "you are in no game",
            Stage.PLAYING: "nobody is up",
        }.get(table.stage, "the game has not begun")
    whose = "your" if table.is_own_turn else f"{table.called(table.up)}'s"
    of = "" if table.game.announces else f" of {table.rules.timeout_ms / 1000:g}"
    return f"it is {whose} turn, for {max(0.0, now - table.up_since):.0f}{of} s"


def fleet_board(table: Table, fleet: Fleet, *, colour: bool = False) -> str:
    """The ships that lie by now."""
    lines = board(
        table.rules, truth(fleet, ()), colour=colour, rulers=rulers(table.game, table.rules)
    )
    return "\n".join(line.rstrip() for line in lines)


def title(table: Table, seat: int) -> str:
    """A player's number, name, points and skips, and why it is away if it is."""
    player = table.players[seat]
    said = [f"{seat + 1}: {table.called(seat)}"]
    if table.game.announces:
        said.append(many(player.points, "point"))
        if player.skips:
            said.append(many(player.skips, "skip"))
    if player.away:
        said.append(clean(player.away))
    return ", ".join(said)
