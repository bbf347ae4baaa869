"""A person at somebody's table on a full screen: all boards, whose turn it is, what happened.

It shows the same `Sitting` as the line mode does, and whatever can be typed there can be typed here.
Besides, a cell can be chosen by arrow keys or by the mouse.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import ItemGrid, VerticalScroll
from textual.events import Click, Key  # noqa: TC002 - Textual reads the annotations of handlers
from textual.message import Message
from textual.widgets import Input, RichLog, Static

from judge.errors import JudgeFault, UsageError
from judge.game.rules import Cell
from judge.join.boards import title, turn_line
from judge.join.cells import named, rulers
from judge.join.driving import Driver
from judge.join.sitting import Want
from judge.join.table import Stage
from judge.show.board import BRACKET, board, board_width, fog, truth

SECONDS = 0.25  # after which the clock is drawn again, and a cut connection is tried
STEPS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


class BoardView(Static, can_focus=True):
    """One board, with a cell that is aimed at while the board has the focus."""

    class Chosen(Message):
        """A cell of a seat's board was chosen."""

        def __init__(self, seat: int, cell: Cell) -> None:
            super().__init__()
            self.seat, self.cell = seat, cell

    def __init__(self, driver: Driver, seat: int, *, colour: bool) -> None:
        super().__init__()
        self._colour = colour
        self._driver = driver
        self.seat = seat
        self.aim = Cell(0, 0)

    def show(self) -> None:
        """Draw the board as it is now."""
        table = self._driver.sitting.table
        rules, colour = table.rules, self._colour
        labels = rulers(table.game, rules)
        heading, marks, last = "your ships", truth(self._driver.sitting.placed, ()), None
        if self.seat < len(table.players) and table.fleet is not None:
            player = table.players[self.seat]
            fleet = table.fleet if self.seat == table.own else None
            marks = fog(player.shots) if fleet is None else truth(fleet, player.shots)
            last = player.shots[-1].cell if player.shots else None
            heading = f"{'>' if self.seat == table.up else ' '} {title(table, self.seat)}"
        aimed = self.aim if self.has_focus else last
        before = {} if aimed is None else {aimed: BRACKET}
        lines = board(rules, marks, before=before, colour=colour, rulers=labels)
        self.update(Text.from_ansi("\n".join([heading, *lines])))
        self.set_class(self.has_focus, "aiming")

    def on_focus(self) -> None:
        self.show()

    def on_blur(self) -> None:
        self.show()

    def on_key(self, event: Key) -> None:
        rules = self._driver.sitting.table.rules
        if event.key in STEPS:
            across, down = STEPS[event.key]
            column = (self.aim.column + across) % rules.columns
            self.aim = Cell(column, (self.aim.row + down) % rules.rows)
            self.show()
        elif event.key in ("enter", "space"):
            self.post_message(self.Chosen(self.seat, self.aim))
        else:
            return
        event.stop()

    def on_click(self, event: Click) -> None:
        """Aim at the cell; a click on the cell that is aimed at chooses it."""
        at = event.get_content_offset(self)
        table = self._driver.sitting.table
        labels = rulers(table.game, table.rules)
        if at is None:
            return
        header = 1 + len(labels.columns[-1])
        clicked = Cell((at.x - len(labels.rows[-1])) // 2, at.y - header)
        if table.rules.on_grid(clicked):
            if clicked == self.aim and event.chain > 1:
                self.post_message(self.Chosen(self.seat, clicked))
            self.aim = clicked
            self.show()


class TableApp(App[None]):
    """The screen of one `Sitting`. ``failure`` is the error that ended it, if one did, and it
    ``was_interrupted`` by Ctrl-C or a signal."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #turn { height: 1; text-style: bold; }
    #boards { height: 2fr; }
    ItemGrid { height: auto; grid-gutter: 1 2; }
    BoardView { height: auto; text-wrap: nowrap; text-overflow: ellipsis; }
    BoardView.aiming { text-style: bold; }
    #news { height: 1fr; min-height: 3; border-top: solid; }
    #command { height: 3; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "leave and end", priority=True),
        Binding("ctrl+q", "leave", "leave and end", priority=True),
        Binding("escape", "command", "type a command"),
    ]

    def __init__(
        self, make: Callable[[Callable[[str], None]], Driver], *, colour: bool = True
    ) -> None:
        """``make`` makes the driver, which writes with the function that it is given. ``colour``
        is whether boards have any."""
        super().__init__()
        self.colour = colour
        self.was_interrupted = False
        self.failure: JudgeFault | UsageError | None = None
        self.driver = make(self._write)
        self._listening: int | None = None
        self._is_connecting = False
        self._is_over = False

    def compose(self) -> ComposeResult:
        yield Static(id="turn", markup=False)
        with VerticalScroll(id="boards", can_focus=False):
            yield ItemGrid(min_column_width=26)
        news = RichLog(id="news", wrap=True, markup=False)
        news.can_focus = False
        yield news
        yield Input(id="command", placeholder="a cell or a command; help lists them")

    def on_mount(self) -> None:
        self.query_one("#command", Input).focus()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, self.action_interrupt)
        self.set_interval(SECONDS, self._tick)
        self.call_later(self._go_on)

    def on_unmount(self) -> None:
        self._is_over = True
        self._listen(None)
        self.driver.hang_up()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.input.clear()
        self._typed(event.value)

    def on_board_view_chosen(self, event: BoardView.Chosen) -> None:
        """Shoot at the cell; while ships are placed, begin the next one there, to the right."""
        table = self.driver.sitting.table
        where = named(event.cell, table.game, table.rules)
        if table.stage is Stage.OUTSIDE:
            self._typed(f"{where}h")
        else:
            self._typed(f"{where} {event.seat + 1}")

    def on_key(self, event: Key) -> None:
        """On a board, v begins the next ship there, downwards."""
        focused = self.focused
        table = self.driver.sitting.table
        if event.key in "hv" and isinstance(focused, BoardView) and table.stage is Stage.OUTSIDE:
            self._typed(f"{named(focused.aim, table.game, table.rules)}{event.key}")

    def action_command(self) -> None:
        self.query_one("#command", Input).focus()

    def action_interrupt(self) -> None:
        self.was_interrupted = True
        self.action_leave()

    def action_leave(self) -> None:
        self._typed("quit")

    # How

    def _write(self, text: str) -> None:
        self.query_one("#news", RichLog).write(Text(text))

    def _typed(self, line: str) -> None:
        self._guarded(lambda: self.driver.sitting.typed(line, time.monotonic()))

    def _tick(self) -> None:
        table = self.driver.sitting.table
        self.query_one("#turn", Static).update(turn_line(table, time.monotonic()))
        if self.driver.tries_in == 0.0 and not self._is_connecting:
            self.call_later(self._go_on)

    def _guarded(self, do: Callable[[], object]) -> None:
        """Do something, show what came of it, and go on; an error ends the screen."""
        try:
            do()
            self.driver.pass_on()
        except (JudgeFault, UsageError) as error:
            self._fail(error)
            return
        self.call_later(self._go_on)

    async def _go_on(self) -> None:
        """Do what the sitting wants of the connection, and show the boards as they are then."""
        sitting = self.driver.sitting
        if self._is_over:
            return
        if sitting.want is Want.END:
            self._is_over = True
            self.exit()
            return
        if sitting.want is not Want.STAY and not self._is_connecting:
            self._is_connecting = True
            try:
                await asyncio.to_thread(self.driver.connect)
                self.driver.pass_on()
            except (JudgeFault, UsageError) as error:
                self._fail(error)
                return
            finally:
                self._is_connecting = False
        if self._is_over:
            return
        self._listen(self.driver.listens)
        await self._show_boards()
        if self.driver.has_more:
            self._hear()

    def _listen(self, descriptor: int | None) -> None:
        """Have the loop tell when something comes over this connection, and no other."""
        if descriptor == self._listening:
            return
        loop = asyncio.get_running_loop()
        if self._listening is not None:
            loop.remove_reader(self._listening)
        self._listening = descriptor
        if descriptor is not None:
            loop.add_reader(descriptor, self._hear)

    def _hear(self) -> None:
        if self.driver.listens is not None:
            listened = self._listening
            self._guarded(self.driver.hear)
            if self.driver.listens is None and listened is not None:
                self._listening = None
                asyncio.get_running_loop().remove_reader(listened)

    def _fail(self, error: JudgeFault | UsageError) -> None:
        self.failure, self._is_over = error, True
        self.exit()

    async def _show_boards(self) -> None:
        """Have as many boards as players, the own one while ships are placed."""
        table = self.driver.sitting.table
        grid = self.query_one(ItemGrid)
        wanted = len(table.players) if table.fleet is not None else 1
        views = list(self.query(BoardView))
        if len(views) != wanted:
            await grid.remove_children()
            views = [BoardView(self.driver, seat, colour=self.colour) for seat in range(wanted)]
            await grid.mount(*views)
        grid.min_column_width = max(
            26, board_width(table.rules, rulers(table.game, table.rules)) + 2
        )
        for view in views:
            view.show()
