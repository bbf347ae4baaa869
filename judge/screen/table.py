"""A server's table on a full screen: all boards, whose turn it is, and the news.

The screen shows the same news as the line mode, and takes the same commands. Arrow keys and the
mouse can also choose a cell. `TableApp` is for a person who plays, and `WatchedTable` for a person
who watches a bot of their own.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.events import DescendantFocus, Key, Resize  # noqa: TC002 - as Textual reads them
from textual.message import Message
from textual.widgets import Static

from judge.errors import JudgeFault, UsageError
from judge.join.boards import titled_boards, turn_line
from judge.join.cells import named, rulers
from judge.join.client_session import Want
from judge.join.driving import Driver
from judge.join.table_state import ClientStage
from judge.join.talking import Talking
from judge.screen.boards import Boards, BoardView, ShownBoard
from judge.screen.hosting import in_thread
from judge.screen.news import NewsScreen
from judge.screen.pictures import Lines
from judge.show.board import TitledBoard, legend, truth

if TYPE_CHECKING:
    from textual.widget import Widget

    from judge.wire.messages import FromClient, ToClient

ROOMY = 22  # rows of a screen from which the legend is shown
SECONDS = 0.25  # seconds between two drawings of the clock, and two looks if a try is due


NARROWEST = 22  # columns of a board: the name and the points of a player
SHARE = 0.7  # of the screen's rows: what boards take at most


def _shown(person: Talking) -> list[ShownBoard]:
    """The boards to show: those of `titled_boards` or, before the game, one for each fleet in
    ``person.placed``."""
    state = person.state
    rules = state.rules
    labels = rulers(state.game, rules)
    if state.fleet is None:
        fleets = person.placed
        titles = ["your ships"] if len(fleets) == 1 else map(str, range(1, len(fleets) + 1))
        drawn = [
            TitledBoard(one, truth(fleet, ()), {})
            for one, fleet in zip(titles, fleets, strict=True)
        ]
        return [ShownBoard(board, rules, labels, aims=True) for board in drawn]
    return [
        ShownBoard(one, rules, labels, aims=place == seat)
        for place, (seat, one) in enumerate(titled_boards(state).items())
    ]


class TableScreen(NewsScreen):
    """The screen of one person at a table. ``colour`` is whether boards are coloured."""

    CSS = f"""
    {NewsScreen.CSS}
    #turn {{ height: 1; text-style: bold; }}
    #boards {{ height: auto; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "leave", "leave and end", priority=True),
    ]

    def __init__(self, person: Talking, *, colour: bool = True) -> None:
        super().__init__(colour=colour)
        self.person = person
        # The number of shots, and the heights of the area and of a board, when the boards were
        # scrolled last.
        self._seen = 0, 0, 0

    def above(self) -> Iterable[Widget]:
        yield Static(id="turn", markup=False)
        with VerticalScroll(id="boards", can_focus=False):
            yield Boards(colour=self.colour, narrowest=NARROWEST)
        yield Lines(id="legend")

    def on_mount(self) -> None:
        self.set_interval(SECONDS, self.tick)

    def on_resize(self, _: Resize) -> None:
        self.call_later(self.redraw)

    def tick(self) -> None:
        """Update the line on whose turn it is and for how long."""
        for turn in self.query("#turn").results(Static):  # none, if the screen is just ending
            turn.update(turn_line(self.person.state, time.monotonic()))
        self._fit()

    async def redraw(self) -> None:
        await self.query_one(Boards).show(_shown(self.person), self._most)
        self._explain()
        self.call_after_refresh(self._fit)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Scroll a board that gets the focus into sight."""
        if isinstance(event.widget, BoardView):
            self.call_after_refresh(event.widget.scroll_visible, animate=False, top=True)

    def _fit(self) -> None:
        """Limit the area of the boards to `SHARE` of the screen and, if a board fits there, to
        whole boards. After a new shot, and whenever a height changes, scroll to the board of the
        last shot, unless a board has the focus."""
        state, views = self.person.state, list(self.query(BoardView))
        if not views or not all(view.size.height for view in views):
            return  # they have no place yet
        most = self._most
        board = max(view.size.height + 1 for view in views)
        for area in self.query("#boards"):  # none, if the screen is just ending
            height = (most + 1) // board * board - 1 if board <= most else most
            area.styles.max_height = height
            now = state.shots, height, board
            if not state.shots or now == self._seen or isinstance(self.focused, BoardView):
                return
            for view in views:
                # Again until it is in sight: the boards may be the lobby's, or get other places, and
                # the area may have to get its height.
                if view.seat == state.shot_at and len(views) > 1:
                    is_fitted = area.region.height <= height
                    if board > most or (is_fitted and area.region.contains_region(view.region)):
                        self._seen = now
                    self.call_after_refresh(view.scroll_visible, animate=False)

    @property
    def _most(self) -> int:
        return int(SHARE * self.size.height)

    def action_interrupt(self) -> None:
        self.was_interrupted = True
        self.action_leave()

    def action_leave(self) -> None:
        """Leave the game and end."""
        self.typed("quit")

    def _explain(self) -> None:
        """Show the legend of the marks if it fits one line and the screen is not low."""
        marks = legend(self.person.state.rules, columns=max(1, self.size.width), colour=self.colour)
        fits = "\n" not in marks and self.size.height >= ROOMY
        self.query_one("#legend", Lines).show([marks] if fits else [])


class WatchedTable(TableScreen):
    """The screen of a person who watches a bot of their own; ``say`` sends their messages."""

    class Heard(Message):
        """Posted with a message of the bot's server, and with the points and skips of each seat."""

        def __init__(self, message: ToClient, standing: Sequence[tuple[int, int]]) -> None:
            super().__init__()
            self.message, self.standing = message, standing

    def __init__(
        self, person: Talking, say: Callable[[FromClient], None], *, colour: bool = True
    ) -> None:
        super().__init__(person, colour=colour)
        self._say = say

    def hear(self, message: ToClient, standing: Sequence[tuple[int, int]]) -> None:
        """Show a message, and points and skips, of the bot's server. Another thread calls
        `hear`."""
        self.post_message(self.Heard(message, standing))

    async def on_watched_table_heard(self, event: Heard) -> None:
        self.person.hear(event.message, time.monotonic())
        self.person.state.note_standing(event.standing)
        self._pass_on()
        await self.redraw()

    def typed(self, line: str) -> None:
        self.person.typed(line, time.monotonic())
        self._pass_on()
        if self.person.has_ended:
            self.exit()

    def _pass_on(self) -> None:
        printed, self.person.printed = self.person.printed, []
        for text in printed:
            self.write(text)
        sent, self.person.sent = self.person.sent, []
        for message in sent:
            self._say(message)


class TableApp(TableScreen):
    """The screen of one `ClientSession`. ``failure`` is the error that ended the screen, if any."""

    def __init__(
        self, make: Callable[[Callable[[str], None]], Driver], *, colour: bool = True
    ) -> None:
        """``make`` gets a function that writes to the screen, and returns the driver."""
        self.driver = make(self.write)
        super().__init__(self.driver.sitting, colour=colour)
        self.failure: JudgeFault | UsageError | None = None
        self._listening: int | None = None
        self._is_connecting = False
        self._early: list[str] = []  # typed before the server has answered
        self._is_over = False

    def on_mount(self) -> None:
        self.call_later(self._go_on)

    def on_unmount(self) -> None:
        self._is_over = True
        self._listen(None)
        self.driver.hang_up()

    def on_board_view_chosen(self, event: BoardView.Chosen) -> None:
        """Shoot at the chosen cell. Before the person has a place, take the chosen board's fleet if
        there are several, or else place the next ship from the cell to the right."""
        state = self.person.state
        where = named(event.cell, state.game, state.rules)
        if state.stage is ClientStage.OUTSIDE:
            self.typed(f"{where}h" if len(self.person.placed) == 1 else str(event.seat + 1))
        else:
            self.typed(f"{where} {event.seat + 1}")

    def on_key(self, event: Key) -> None:
        """Before the person has a place, h lays the next ship to the right from the aimed cell, and
        v lays it down from there."""
        focused, state = self.focused, self.person.state
        if (
            event.key in "hv"
            and isinstance(focused, BoardView)
            and state.stage is ClientStage.OUTSIDE
        ):
            self.typed(f"{named(focused.aim, state.game, state.rules)}{event.key}")

    def action_leave(self) -> None:
        """Leave the game and end, without waiting for a server that does not answer."""
        if self._is_connecting:
            self._is_over = True
            self.exit()
        else:
            self._do("quit")

    def typed(self, line: str) -> None:
        """Do the command in a line. Until the server has answered, all but quit and exit wait."""
        is_early = self._is_connecting or self.driver.sitting.awaits_answer
        if is_early and line.strip() not in ("quit", "exit"):
            self._early.append(line)
        else:
            self._do(line)

    # Helpers

    def _do(self, line: str) -> None:
        self._guarded(lambda: self.driver.sitting.typed(line, time.monotonic()))

    def tick(self) -> None:
        super().tick()
        if self.driver.tries_in == 0.0 and not self._is_connecting:
            self.call_later(self._go_on)

    def _guarded(self, do: Callable[[], object]) -> None:
        """Call ``do``, show the session's texts and send its messages, and then act on what the
        session wants next. A `JudgeFault` or `UsageError` ends the screen."""
        try:
            do()
            self.driver.pass_on()
        except (JudgeFault, UsageError) as error:
            self._fail(error)
            return
        self.call_later(self._go_on)

    async def _go_on(self) -> None:
        """End the screen or open a connection, if the session wants this. Otherwise listen to the
        connection, show the boards, and take messages that have come already. If the server has
        answered, also do the first of the commands that were typed before."""
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
        await self.redraw()
        if self.driver.has_more:
            self._hear()
        if self._early and not sitting.awaits_answer:
            self._do(self._early.pop(0))

    async def _connect(self) -> None:
        """Connect in another thread, so that keys are still handled."""
        try:
            await asyncio.wrap_future(in_thread(self.driver.connect))
            self.driver.pass_on()
        except (JudgeFault, UsageError) as error:
            self._fail(error)
            return
        finally:
            self._is_connecting = False
        self.call_later(self._go_on)

    def _listen(self, descriptor: int | None) -> None:
        """Have the loop call `_hear` when bytes come at this descriptor; never if it is None."""
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
