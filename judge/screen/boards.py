"""Boards on a screen, and the keys and clicks that aim at a cell of a board.

As many boards as fit are shown side by side. Boards are drawn larger if the screen has room.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text
from textual.containers import Grid, VerticalScroll
from textual.events import Click, Key  # noqa: TC002 - Textual reads the annotations of handlers
from textual.geometry import Offset, Region
from textual.message import Message
from textual.widgets import Static

from judge.documents.rules import Cell, Rules
from judge.show.board import BRACKET, Rulers, TitledBoard, board, board_width
from judge.show.text import Style, cut, paint

STEPS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
ENTER = ("enter", "ctrl+j")  # ctrl+j is an Enter typed before the screen took the terminal
NARROWEST = 25  # columns of a board with its title, at least
LEAST_BESIDE = 44  # columns of what may stand beside the boards
LARGEST = 3  # the largest scale of a board, as in `judge.show.board.board`
_BETWEEN = 2  # columns between two boards, if there is room
_GUTTER = 1  # columns between two boards, at least
_SCROLLBAR = 1  # columns that are kept for the scroll bar


class ShownBoard(NamedTuple):
    """A board to be shown, with its rules. Without ``rulers``, the board has those of `Rulers.of`.

    ``aims`` is whether keys and clicks can aim at the board's cells. With ``lies`` keys and clicks
    move a ship that is being laid: the board shows the ship, and the space key chooses nothing.
    ``scale`` is that of the drawn board.
    """

    board: TitledBoard
    rules: Rules
    rulers: Rulers | None = None
    aims: bool = False
    lies: bool = False
    scale: int = 1


class BoardView(Static):
    """One board. A board with ``aims`` can have the focus, and arrows and mouse change the aimed
    cell. While the board has the focus, brackets mark the aimed cell, except with ``lies``."""

    class Aimed(Message):
        """Posted when a key or a click aims at a cell."""

        def __init__(self, seat: int, cell: Cell) -> None:
            super().__init__()
            self.seat, self.cell = seat, cell

    class Chosen(Aimed):
        """Posted when the aimed cell is chosen."""

    def __init__(self, shown: ShownBoard, seat: int, *, colour: bool) -> None:
        super().__init__()
        self.can_focus = shown.aims
        self.seat = seat
        self.aim = Cell(0, 0)
        self._colour = colour
        self._shown = shown

    def on_mount(self) -> None:
        self._draw()

    def show(self, shown: ShownBoard) -> None:
        """Show another state of the board."""
        self._shown = shown
        self.can_focus = shown.aims
        self._draw()

    def _draw(self) -> None:
        face, rules, rulers, aims, lies, scale = self._shown
        before = dict(face.before)
        if self.has_focus and aims and not lies:
            before = {at: front for at, front in before.items() if front != BRACKET}
            before[self.aim] = BRACKET
        lines = board(
            rules, face.marks, before=before, colour=self._colour, rulers=rulers, scale=scale
        )
        most = max(NARROWEST, self.size.width)
        lines = [paint(cut(face.title, most), Style.BOLD, self._colour), *lines]
        if face.below:
            lines.append(face.below)
        self.update(Text.from_ansi("\n".join(lines)))
        self.set_class(self.has_focus, "aiming")

    def on_focus(self) -> None:
        self._draw()

    def on_blur(self) -> None:
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def on_key(self, event: Key) -> None:
        rules = self._shown.rules
        if event.key in STEPS:
            across, down = STEPS[event.key]
            column = (self.aim.column + across) % rules.columns
            self.take_aim(Cell(column, (self.aim.row + down) % rules.rows))
            self.post_message(self.Aimed(self.seat, self.aim))
        elif event.key in ENTER or (event.key == "space" and not self._shown.lies):
            self.post_message(self.Chosen(self.seat, self.aim))
        else:
            return
        event.stop()

    def on_click(self, event: Click) -> None:
        """Aim at the clicked cell; a double click chooses it."""
        at = event.get_content_offset(self)
        rules = self._shown.rules
        if at is None or not self.can_focus:
            return
        corner, scale = self._corner, self._shown.scale
        clicked = Cell(
            (at.x - corner.x + scale - 1) // (2 * scale),
            (at.y - corner.y + (scale - 1) // 2) // scale,
        )
        if rules.on_grid(clicked):
            is_chosen = clicked == self.aim and event.chain > 1
            self.take_aim(clicked)
            self.post_message((self.Chosen if is_chosen else self.Aimed)(self.seat, clicked))

    def take_aim(self, cell: Cell) -> None:
        """Aim at a cell, and scroll it into sight."""
        self.aim = cell
        self._draw()
        self.call_after_refresh(self._show_cell, cell)

    def scroll_to_shots(self) -> None:
        """Scroll the shots of the last move into sight, or the last of them if they have no room
        together."""
        for cell in self._shown.board.before:
            self.call_after_refresh(self._show_cell, cell)

    def _show_cell(self, cell: Cell) -> None:
        scale = self._shown.scale
        at = self._corner + Offset(2 * scale * cell.column, scale * cell.row)
        around = Region(at.x, at.y, 3, 1).grow((1, 1, 1, 1))
        for above in self.ancestors:
            if isinstance(above, VerticalScroll):
                place = self.region.offset - above.region.offset + above.scroll_offset
                above.scroll_to_region(around.translate(place), animate=False)

    @property
    def _corner(self) -> Offset:
        """The offset of the first cell in this view, past the title and the names of columns and
        rows."""
        labels = self._shown.rulers or Rulers.of(self._shown.rules)
        return Offset(len(labels.rows[-1]), 1 + len(labels.columns[-1]))


class Boards(Grid):
    """All boards of a game, each at least ``narrowest`` columns wide if there is room."""

    DEFAULT_CSS = """
    Boards { height: auto; grid-rows: auto; grid-gutter: 1; }
    BoardView { height: auto; text-wrap: nowrap; text-overflow: ellipsis; }
    BoardView.aiming { text-style: bold; }
    """

    def __init__(self, *, colour: bool, narrowest: int = NARROWEST) -> None:
        super().__init__()
        self._colour = colour
        self._narrowest = narrowest

    async def show(self, shown: Sequence[ShownBoard], rows: int) -> int:
        """Show these boards in this order, as many side by side as fit the screen, and larger if
        they then fit ``rows`` rows of it. Returns how many columns of the screen the boards
        take."""
        scale = next(filter(partial(self._fits, shown, rows), range(LARGEST, 1, -1)), 1)
        shown = [one._replace(scale=scale) for one in shown]
        views = list(self.query(BoardView))
        if len(views) != len(shown):
            await self.remove_children()
            views = [BoardView(one, seat, colour=self._colour) for seat, one in enumerate(shown)]
            await self.mount(*views)
        else:
            for view, one in zip(views, shown, strict=True):
                view.show(one)
        if not shown:
            return 0
        least = self._least(shown, scale)
        texts = [text for one in shown for text in (one.board.title, one.board.below)]
        room = self.app.size.width - _SCROLLBAR + _GUTTER
        columns = max(1, min(len(shown), room // (least + _GUTTER)))
        # Boards stay together on a wide screen, however much room is beside them.
        width = min(max(least, *map(cell_len, texts)) + _BETWEEN, room // columns - _GUTTER)
        self.styles.grid_size_columns = columns
        taken = columns * (width + _GUTTER) - _GUTTER
        self.styles.width = taken
        return taken

    def _least(self, shown: Sequence[ShownBoard], scale: int) -> int:
        """The least columns of a board at this scale."""
        return max([self._narrowest, *(board_width(one.rules, one.rulers, scale) for one in shown)])

    def _fits(self, shown: Sequence[ShownBoard], rows: int, scale: int) -> bool:
        """Whether there is room for these boards at this scale, side by side. One board alone gets
        no more room than one of two, so a fleet is laid on a board as large as in the game."""
        columns = max(2, len(shown)) * (self._least(shown, scale) + _BETWEEN + _GUTTER)
        if columns + LEAST_BESIDE > self.app.size.width:
            return False
        drawn = [board(one.rules, {}, rulers=one.rulers, scale=scale) for one in shown]
        return 2 + max(map(len, drawn), default=0) <= rows
