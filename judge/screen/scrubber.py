"""A bar that shows the present step of a game, to click on."""

from __future__ import annotations

from rich.text import Text
from textual.events import Click  # noqa: TC002 - Textual reads the annotations of handlers
from textual.message import Message
from textual.widget import Widget


class Scrubber(Widget):
    """A bar from the ``first`` step to the ``last``, with a mark at the shown step."""

    DEFAULT_CSS = "Scrubber { height: 1; }"

    class Moved(Message):
        """Posted when a step was clicked on."""

        def __init__(self, step: int) -> None:
            super().__init__()
            self.step = step

    def __init__(self) -> None:
        super().__init__()
        self._first = self._step = self._last = 0

    def show(self, first: int, step: int, last: int) -> None:
        """Show the ``step`` of a game whose steps are ``first`` to ``last``."""
        self._first, self._step, self._last = first, step, last
        self.refresh()

    def render(self) -> Text:
        width = max(1, self.size.width)
        steps = max(1, self._last - self._first)
        place = (self._step - self._first) * (width - 1) // steps
        return Text("━" * place + "●" + "─" * (width - 1 - place))

    def on_click(self, event: Click) -> None:
        steps = self._last - self._first
        step = self._first + round(event.x * steps / max(1, self.size.width - 1))
        self.post_message(self.Moved(max(self._first, min(step, self._last))))
