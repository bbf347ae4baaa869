"""The screen of a table's host: the table, the news, and a line for commands."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from judge.screen.news import MOST_LINES, CommandLine, News, NewsScreen
from judge.screen.pictures import Lines

if TYPE_CHECKING:
    from textual.widget import Widget

SECONDS = 0.25  # seconds between two readings of the table


class HostScreen(NewsScreen):
    """The host's screen. `write` adds a line to its news. The server sets the screen's functions:
    ``do`` carries out a command, ``table`` returns the lines of the table, ``question`` returns the
    question that the next line answers, if any, and ``stop`` ends the server and so the screen."""

    HINT = "? or help lists the commands; PgUp and PgDn scroll"
    CSS = f"""
    {NewsScreen.CSS}
    #table {{ max-height: 60%; }}
    """

    def __init__(self, *, colour: bool) -> None:
        super().__init__(colour=colour)
        self.do: Callable[[str], None] | None = None
        self.table: Callable[[], Sequence[str]] = list
        self.question: Callable[[], str] = str
        self.stop: Callable[[], None] | None = None
        self.lines: deque[str] = deque(maxlen=MOST_LINES)  # printed again when the screen is left
        self._shown: Sequence[str] = ()

    def above(self) -> Iterable[Widget]:
        yield Lines(id="table")

    def on_mount(self) -> None:
        for line in self.lines:
            self.query_one(News).add(line)
        self._look()
        self.set_interval(SECONDS, self._look)

    def write(self, text: str) -> None:
        self.lines.append(text)
        if self.is_up.is_set():
            for news in self.query(News):  # none, if the screen is just ending
                news.add(text)

    def typed(self, line: str) -> None:
        if self.do:
            self.do(line)
            self._look()

    def action_interrupt(self) -> None:
        self.was_interrupted = True
        if self.stop:
            self.stop()
        else:
            self.exit()

    def _look(self) -> None:
        lines = self.table()
        for command in self.query(CommandLine):  # none, if the screen is just ending
            command.placeholder = self.question() or self.HINT
            if lines != self._shown:
                self._shown = lines
                self.query_one("#table", Lines).show(lines)
