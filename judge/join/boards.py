"""A server's table as text: the boards side by side, whose turn it is, and for how long."""

from __future__ import annotations

from collections.abc import Sequence

from judge.documents.game import Termination
from judge.documents.rules import Fleet
from judge.join.cells import rulers
from judge.join.table_state import ClientStage, TableState
from judge.show.board import BRACKET, TitledBoard, beside, board, board_width, fog, truth
from judge.show.text import WIDTH, Style, clean, left, many, paint

MOST_BOARDS = 20  # boards besides the client's own: a hostile server may seat a thousand players


def boards(state: TableState, now: float, *, columns: int = WIDTH, colour: bool = False) -> str:
    """The boards of `titled_boards` as text, and below them the `turn_line`. As many boards as fit
    into ``columns`` are side by side. Brackets mark the last shot at each board."""
    labels = rulers(state.game, state.rules)
    needed = board_width(state.rules, labels)
    width = max(needed, min(columns, 2 * needed, 30))
    blocks = []
    for shown in titled_boards(state).values():
        lines = board(state.rules, shown.marks, before=shown.before, colour=colour, rulers=labels)
        heading = paint(left(shown.title, width), Style.BOLD, colour)
        rows = [line + " " * (width - needed) for line in lines]
        blocks.append([heading, *rows, *([left(shown.below, width)] if shown.below else [])])
    drawn = beside(blocks, width, columns)
    return f"{drawn}\n\n{turn_line(state, now)}"


def titled_boards(state: TableState) -> dict[int, TitledBoard]:
    """Maps seats to their boards: the first `MOST_BOARDS` seats, and the client's own seat."""
    return {
        seat: titled_board(state, seat)
        for seat in range(len(state.players))
        if seat < MOST_BOARDS or seat == state.own
    }


def turn_line(state: TableState, now: float) -> str:
    """A line on whose turn it is, and how many seconds ago the turn began. If no turn's time runs,
    the line says why, such as that the player is gone or the game is over."""
    if state.stage is not ClientStage.PLAYING or state.up is None:
        ended = "the game is over" if state.outcome else "you are in no game"
        if state.outcome and state.outcome.termination is Termination.ABORTED:
            ended = "the game was broken off"
        return {
            ClientStage.CUT: "the connection is cut",
            ClientStage.OVER: ended,
            ClientStage.PLAYING: "nobody is up",
        }.get(state.stage, "the game has not begun")
    if state.players[state.up].away:
        return f"{state.name_of(state.up)} is gone, and its turn waits"
    whose = "your" if state.is_own_turn else f"{state.name_of(state.up)}'s"
    of = "" if state.game.announces else f" of {state.rules.timeout_ms / 1000:g}"
    return f"it is {whose} turn, for {max(0.0, now - state.up_since):.0f}{of} s"


def fleet_boards(state: TableState, fleets: Sequence[Fleet], *, colour: bool = False) -> str:
    """The text of a board for each fleet, side by side. Several boards are numbered from 1."""
    labels = rulers(state.game, state.rules)
    width = board_width(state.rules, labels)
    blocks = []
    for number, fleet in enumerate(fleets, start=1):
        lines = board(state.rules, truth(fleet, ()), colour=colour, rulers=labels)
        heading = [paint(left(f"  {number}", width), Style.BOLD, colour)] if len(fleets) > 1 else []
        blocks.append([*heading, *lines])
    return beside(blocks, width)


def titled_board(state: TableState, seat: int) -> TitledBoard:
    """The board of the player at ``seat``. The title has ``>`` if it is the player's turn, the
    player's number and name, and why the player is away, if so. If the game announces rules, the
    line below the board has the player's points, how much of the fleet is hit, and any skips."""
    player = state.players[seat]
    said = []
    if state.game.announces:
        hits = sum(shot.is_hit for shot in player.shots)
        said = [many(player.points, "point"), f"{100 * hits // sum(state.rules.lengths)}% hit"]
        if player.skips:
            said.append(many(player.skips, "skip"))
    up = ">" if seat == state.up else " "
    away = f" ({clean(player.away)})" if player.away else ""
    name = f"{up} {seat + 1}: {state.name_of(seat)}{away}"
    own = state.fleet if seat == state.own else None
    marks = fog(player.shots) if own is None else truth(own, player.shots)
    last = {player.shots[-1].cell: BRACKET} if player.shots else {}
    return TitledBoard(name, marks, last, ", ".join(said))
