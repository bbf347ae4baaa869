"""A person at somebody's table on a full screen: all boards, whose turn it is, what happened.

It shows the same `Sitting` as the line mode does, and whatever can be typed there can be typed here.
Besides, a cell can be chosen by arrow keys or by the mouse.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.events import Key, Resize  # noqa: TC002 - Textual reads the annotations of handlers
from textual.widgets import Input, RichLog, Static

from judge.errors import JudgeFault, UsageError
from judge.join.boards import seats_shown, title, turn_line
from judge.join.cells import named, rulers
from judge.join.driving import Driver
from judge.join.sitting import Want
from judge.join.table import Stage
from judge.screen.boards import Boards, BoardView, Shown
from judge.screen.full_screen import FullScreen
from judge.screen.pictures import Lines
from judge.show.board import BRACKET, Face, fog, legend, truth

if TYPE_CHECKING:
    from textual.app import ComposeResult

ROOMY = 22  # rows from which most tables have all of a board above a legend
SECONDS = 0.25  # after which the clock is drawn again, and a cut connection is tried


def _shown(driver: Driver) -> list[Shown]:
    """All boards of the table as they are now, or the own one while ships are placed."""
    table = driver.sitting.table
    rules = table.rules
    labels = rulers(table.game, rules)
    if table.fleet is None:
        ships = Face("your ships", truth(driver.sitting.placed, ()), {})
        return [Shown(ships, rules, labels, aims=True)]
    found = []
    for place, seat in enumerate(seats_shown(table)):
        player = table.players[seat]
        own = table.fleet if seat == table.own else None
        marks = fog(player.shots) if own is None else truth(own, player.shots)
        last = {player.shots[-1].cell: BRACKET} if player.shots else {}
        heading = f"{'>' if seat == table.up else ' '} {title(table, seat)}"
        found.append(Shown(Face(heading, marks, last), rules, labels, aims=place == seat))
    return found


class TableApp(FullScreen):
    """The screen of one `Sitting`. ``failure`` is the error that ended it, if one did."""

    CSS = """
    #turn { height: 1; text-style: bold; }
    #boards { height: 2fr; }
    #news { height: 1fr; min-height: 3; }
    #command { height: 2; padding: 0; }
    #news, #command, #command:focus { border: none; border-top: solid ansi_default; }
    #command > .input--cursor, #command > .input--selection {
        color: ansi_default;
        background: ansi_default;
        text-style: reverse;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "leave", "leave and end", priority=True),
        Binding("escape", "command", "type a command"),
    ]

    def __init__(
        self, make: Callable[[Callable[[str], None]], Driver], *, colour: bool = True
    ) -> None:
        """``make`` makes the driver, which writes with the function that it is given. ``colour``
        is whether boards have any."""
        super().__init__(colour=colour)
        self.failure: JudgeFault | UsageError | None = None
        self.driver = make(self._write)
        self._listening: int | None = None
        self._is_connecting = False
        self._early: list[str] = []  # typed meanwhile
        self._is_over = False

    def compose(self) -> ComposeResult:
        yield Static(id="turn", markup=False)
        with VerticalScroll(id="boards", can_focus=False):
            yield Boards(colour=self.colour)
        yield Lines(id="legend")
        news = RichLog(id="news", min_width=1, wrap=True, markup=False)
        news.can_focus = False
        yield news
        yield Input(id="command", placeholder="a cell or a command; help lists them")

    def on_mount(self) -> None:
        self.query_one("#command", Input).focus()
        self.set_interval(SECONDS, self._tick)
        self.call_later(self._go_on)

    def on_resize(self, _: Resize) -> None:
        self._explain()

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
        """Leave the game and end; nobody waits for a server that does not answer."""
        if self._is_connecting:
            self._is_over = True
            self.exit()
        else:
            self._typed("quit")

    # How

    def _write(self, text: str) -> None:
        self.query_one("#news", RichLog).write(Text(text))

    def _typed(self, line: str) -> None:
        if self._is_connecting:
            self._early.append(line)
            return
        self._guarded(lambda: self.driver.sitting.typed(line, time.monotonic()))

    def _explain(self) -> None:
        """Show what the marks mean, where that is one line and the screen is not low."""
        rules = self.driver.sitting.table.rules
        marks = legend(rules, columns=max(1, self.size.width), colour=self.colour)
        fits = "\n" not in marks and self.size.height >= ROOMY
        self.query_one("#legend", Lines).show([marks] if fits else [])

    def _tick(self) -> None:
        table = self.driver.sitting.table
        for turn in self.query("#turn").results(Static):  # none, if the screen is just ending
            turn.update(turn_line(table, time.monotonic()))
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
        if self._is_over or self._is_connecting:
            return
        if sitting.want is Want.END:
            self._is_over = True
            self.exit()
            return
        if sitting.want is Want.CONNECT or self.driver.tries_in == 0.0:
            self._is_connecting = True
            self.run_worker(self._connect())
            return
        self._listen(self.driver.listens)
        await self.query_one(Boards).show(_shown(self.driver))
        self._explain()
        if self.driver.has_more:
            self._hear()

    async def _connect(self) -> None:
        """Connect, while keys are heard."""
        try:
            await _in_thread(self.driver.connect)
            self.driver.pass_on()
        except (JudgeFault, UsageError) as error:
            self._fail(error)
            return
        finally:
            self._is_connecting = False
        early, self._early = self._early, []
        for line in early:
            self._typed(line)
        self.call_later(self._go_on)

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


async def _in_thread(do: Callable[[], None]) -> None:
    """Do something in another thread, whose end the judge does not wait for when it ends itself."""
    done: Future[None] = Future()

    def run() -> None:
        done.set_running_or_notify_cancel()
        try:
            do()
        except BaseException as error:  # noqa: BLE001 - it is raised where it was to be done
            done.set_exception(error)
        else:
            done.set_result(None)

    threading.Thread(target=run, name="connect", daemon=True).start()
    await asyncio.wrap_future(done)
