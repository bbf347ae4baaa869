"""The common part of the screens that show one game: its boards and its moves."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.events import Resize  # noqa: TC002 - Textual reads the annotations of handlers
from textual.widgets import Static

from judge.screen.boards import LEAST_BESIDE, Boards, BoardView, ShownBoard
from judge.screen.full_screen import FullScreen
from judge.show.board import Picture, legend
from judge.show.text import WIDTH, phrases

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.timer import Timer
    from textual.widget import Widget

LOW, LOWEST = 18, 8  # rows: screens with fewer leave out the help, or the boards
AROUND = 6  # rows of the title, the legend, the bar and the foot
SAID = 3  # rows of the lines on the end of a usual game
FASTEST_MS, SLOWEST_MS = 1, 30_000


class Pace:
    """The pace of a screen that goes on by itself, every ``delay`` milliseconds, if it ``runs``."""

    def __init__(self, app: FullScreen, delay: int, *, runs: bool) -> None:
        self._app = app
        self._timer: Timer | None = None
        self.delay = delay
        self.runs = runs

    def takes(self, key: str, character: str) -> bool:
        """Act on a key of the pace: space starts and stops, + halves the delay, - doubles it.
        Returns False for any other key."""
        if key == "space":
            self.runs = not self.runs
        elif character in ("+", "-"):
            changed = self.delay // 2 if character == "+" else self.delay * 2
            self.delay = max(FASTEST_MS, min(changed, SLOWEST_MS))
        else:
            return False
        return True

    def wait(self, go_on: Callable[[], Any], least: float = 0.0) -> None:
        """Call ``go_on`` after the delay, or after ``least`` seconds if that is longer. An earlier
        call that still waits is cancelled; a pace that does not run calls nothing."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = None
        if self.runs:
            self._timer = self._app.set_timer(max(self.delay / 1000, least), go_on)


class Lines(Static):
    """Lines of text, which may have ANSI colours. Each line is cut to fit."""

    DEFAULT_CSS = "Lines { height: auto; text-wrap: nowrap; text-overflow: ellipsis; }"

    def show(self, lines: Sequence[str]) -> None:
        self.update(Text.from_ansi("\n".join(lines)))
        self.display = bool(lines)


class Foot(Static):
    """The lines at the foot of a screen. A line that does not fit is wrapped between phrases."""

    DEFAULT_CSS = "Foot { height: auto; max-height: 6; }"

    _lines: Sequence[str] = ()

    def show(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        width = max(1, self.app.size.width)
        self.update("\n".join(part for line in self._lines for part in phrases(line, width)))


class PictureApp(FullScreen):
    """A screen that shows one `Picture` at a time."""

    IS_FOR_LINES = False  # whether a screen below `LOWEST` shows the moves rather than the boards
    FOLLOWS_SHOTS = True  # whether the boards scroll to the shots of the last move
    MOVES_BELOW = 5  # lines of moves below the boards, if there is no room beside them
    CSS = """
    #title { height: 1; text-wrap: nowrap; text-overflow: ellipsis; text-style: bold; }
    #middle { height: 1fr; }
    #boards { width: 1fr; }
    #beside, #below { scrollbar-gutter: auto; scrollbar-size-vertical: 0; }
    #below { height: auto; max-height: 60%; }
    #moves, #said { text-wrap: wrap; }
    #moves { min-height: 100%; }
    #scrolls { height: auto; display: none; }
    #legend { margin-top: 1; }
    .low #legend, .low #foot.help { display: none; }
    .lowest #middle, .lowest #about { display: none; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("less_than_sign", "scroll_lines('up')", priority=True),
        Binding("greater_than_sign", "scroll_lines('down')", priority=True),
    ]

    def __init__(self, *, colour: bool) -> None:
        super().__init__(colour=colour)
        self.picture: Picture | None = None

    def compose(self) -> ComposeResult:
        yield Lines(id="title")
        yield Lines(id="about")
        with Horizontal(id="middle"):
            with VerticalScroll(id="boards", can_focus=False):
                yield Boards(colour=self.colour)
                yield Lines(id="legend")
            with VerticalScroll(id="beside", can_focus=False):
                yield Lines(id="moves")
        with VerticalScroll(id="below", can_focus=False):
            yield Lines(id="said")
        yield from self.below()
        yield Static("< > scroll the lines above", id="scrolls")
        yield Foot(id="foot", markup=False)

    def below(self) -> Sequence[Widget]:
        """The widgets between the lines and the foot."""
        return ()

    def on_mount(self) -> None:
        self.watch(self.query_one("#below"), "show_vertical_scrollbar", self._tell_of_scrolling)

    def _tell_of_scrolling(self, scrolls: bool) -> None:
        self.query_one("#scrolls").display = scrolls

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys scroll the lines below the boards only while these have more than their place."""
        if action == "scroll_lines":
            return any(area.show_vertical_scrollbar for area in self.query("#below"))
        return super().check_action(action, parameters)

    def action_scroll_lines(self, way: str) -> None:
        getattr(self.query_one("#below"), f"scroll_page_{way}")(animate=False)

    def on_resize(self, event: Resize) -> None:
        self.set_class(event.size.height < LOW, "low")
        self.set_class(self.IS_FOR_LINES and event.size.height < LOWEST, "lowest")
        self.call_later(self.redraw)

    async def redraw(self) -> None:
        """Show the present picture for the present size of the screen."""
        if self.picture is not None:
            await self.show(self.picture)

    async def show(self, picture: Picture) -> None:
        """Show a picture in place of the present one."""
        self.picture = picture
        self.query_one("#title", Lines).show([picture.title])
        self.query_one("#about", Lines).show(picture.about)
        rows = self.size.height - AROUND - len(picture.about) - max(SAID, len(picture.said))
        taken = await self.query_one(Boards).show(self.shown_boards(picture), rows)
        for view in self.query(BoardView) if self.FOLLOWS_SHOTS else ():
            view.scroll_to_shots()
        beside = min(WIDTH, self.size.width - taken - 2)
        beside = beside if beside >= LEAST_BESIDE else 0
        room = max(1, self.size.width - beside)
        marks = legend(picture.rules, columns=room, colour=self.colour)
        self.query_one("#legend", Lines).show(marks.split("\n"))
        area = self.query_one("#beside")
        area.styles.width = beside
        area.anchor()
        self.query_one("#moves", Lines).show(picture.moves if beside else ())
        count = 0 if beside else self.MOVES_BELOW
        last = picture.moves[max(0, len(picture.moves) - count) :]
        self.query_one("#said", Lines).show([*last, *picture.said])
        below = self.query_one("#below")
        below.anchor(not picture.said)
        if picture.said:
            below.scroll_home(animate=False)

    def shown_boards(self, picture: Picture) -> list[ShownBoard]:
        """The boards of a picture, as this screen shows them."""
        return [ShownBoard(board, picture.rules, picture.rulers) for board in picture.boards]

    def say(self, text: str, *, is_help: bool = False) -> None:
        """Show a text at the foot. With ``is_help``, a screen of fewer than `LOW` rows hides it."""
        foot = self.query_one("#foot", Foot)
        foot.show(text.split("\n"))
        foot.set_class(is_help, "help")


class AskedApp(PictureApp):
    """A screen that other threads ask something and wait for."""

    def __init__(self, *, colour: bool) -> None:
        super().__init__(colour=colour)
        self._answer: Future[Any] = Future()
        self._is_gone = False

    def answered(self, ask: Callable[..., Awaitable[None]], *of: object) -> Any:
        """Have the main thread call ``ask`` with these arguments, and wait for `reply`. Returns
        None if the screen has ended or was left."""
        answer = self._answer = Future()
        if self._is_gone:
            return None
        self.call_later(ask, *of)
        return answer.result()

    def reply(self, answer: object) -> None:
        """End the present wait, if there is one, with this answer."""
        if not self._answer.done():
            self._answer.set_result(answer)

    def leave(self) -> None:
        """End the present wait and all later ones, with None as the answer."""
        self._is_gone = True
        self.reply(None)

    def on_unmount(self) -> None:
        self.leave()
