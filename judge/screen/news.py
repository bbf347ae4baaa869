"""The common part of the screens with news, and with a line for commands below the news."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input, RichLog

from judge.screen.boards import ENTER
from judge.screen.full_screen import FullScreen
from judge.show.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult
    from textual.events import Key, Paste, Print, Resize
    from textual.widget import Widget


MOST_LINES = 10_000  # lines that can be scrolled back to


class CommandLine(Input):
    """A line for commands that Enter empties at once, before the next key is handled."""

    class Typed(Message):
        """Posted when a line was typed."""

        def __init__(self, line: str) -> None:
            super().__init__()
            self.line = line

    async def _on_key(self, event: Key) -> None:
        # Textual handles its own binding for Enter after the keys that are typed right behind it.
        if event.key in ENTER:
            event.stop()
            event.prevent_default()
            self._submit()

    def _submit(self) -> None:
        line, self.value = self.value, ""
        self.post_message(self.Typed(line))

    def _on_paste(self, event: Paste) -> None:
        """Post each pasted line as typed, but leave the last one to be edited."""
        event.stop()
        event.prevent_default()
        *lines, last = event.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for line in lines:
            self.insert_text_at_cursor(line)
            self._submit()
        self.insert_text_at_cursor(last)


class News(RichLog):
    """The news, a line each. The last line is in sight unless the person has scrolled back."""

    can_focus = False

    def __init__(self) -> None:
        super().__init__(id="news", max_lines=MOST_LINES, min_width=1, wrap=True, markup=False)
        self._follows = True

    def add(self, text: str) -> None:
        width = self.scrollable_content_region.width or None
        self.write(Text(text), width, scroll_end=self._follows)

    def scroll_by_keys(self, way: str) -> None:
        """Scroll the news; ``way`` is up, down, page_up, page_down, home or end."""
        self._follows = False  # false until the last line is known to be in sight
        getattr(self, f"scroll_{way}")(animate=False)
        self.call_after_refresh(self._note)

    def on_mouse_scroll_up(self) -> None:
        self.call_after_refresh(self._note)

    def on_mouse_scroll_down(self) -> None:
        self.call_after_refresh(self._note)

    def on_resize(self, event: Resize) -> None:
        if self._follows:
            self.scroll_end(animate=False)

    def _note(self) -> None:
        self._follows = self.scroll_target_y >= self.max_scroll_y


class NewsScreen(FullScreen):
    """A screen with news and a line for commands. Keys scroll the news."""

    HINT = "help lists the commands; PgUp and PgDn scroll"
    CSS = """
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
        Binding("escape", "command", "type a command"),
        Binding("up", "scroll_news('up')"),
        Binding("down", "scroll_news('down')"),
        Binding("pageup", "scroll_news('page_up')"),
        Binding("pagedown", "scroll_news('page_down')"),
        Binding("ctrl+home", "scroll_news('home')"),
        Binding("ctrl+end", "scroll_news('end')"),
    ]

    def compose(self) -> ComposeResult:
        yield from self.above()
        yield News()
        yield CommandLine(id="command", placeholder=self.HINT)

    def above(self) -> Iterable[Widget]:
        """The widgets above the news."""
        raise NotImplementedError

    def typed(self, line: str) -> None:
        """Do the command in a typed line."""
        raise NotImplementedError

    def on_mount(self) -> None:
        self.begin_capture_print(self)
        self.action_command()

    def on_print(self, event: Print) -> None:
        """Add a line of news for each line that the judge prints."""
        said: str | bytes = event.text  # click prints bytes
        text = said if isinstance(said, str) else said.decode("utf-8", "replace")
        for line in text.splitlines():
            self.write(clean(line))

    def on_command_line_typed(self, event: CommandLine.Typed) -> None:
        self.typed(event.line)

    def action_command(self) -> None:
        self.query_one(CommandLine).focus()

    def action_scroll_news(self, way: str) -> None:
        self.query_one(News).scroll_by_keys(way)

    def write(self, text: str) -> None:
        self.query_one(News).add(text)
