"""The boards that a screen shows: which of their marked cells are in sight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from judge.screen.boards import BoardView

if TYPE_CHECKING:
    from textual.app import App


def marks_in_sight(app: App[Any]) -> list[int]:
    """The seats of the boards with a cell in brackets that is not scrolled out of sight."""
    room = app.query_one("#boards").region
    return [
        view.seat
        for view in app.query(BoardView)
        for row, line in enumerate(str(view.render()).split("\n"))
        if "[" in line and room.contains(view.region.x, view.region.y + row)
    ]
