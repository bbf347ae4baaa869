"""The screen of games under way, which shows each move for a while."""

from __future__ import annotations

from functools import partial

from textual.events import Key  # noqa: TC002 - Textual reads the annotations of handlers

from judge.screen.pictures import AskedApp, Pace
from judge.show.board import Picture

_KEYS = "space pauses, + - speed, Ctrl-C stops"


class WatchApp(AskedApp):
    """Shows the pictures that other threads pass to `look`, each for ``delay`` milliseconds."""

    IS_FOR_LINES = True

    def __init__(self, *, delay: int, colour: bool) -> None:
        super().__init__(colour=colour)
        self._pace = Pace(self, delay, runs=True)

    def look(self, picture: Picture) -> None:
        """Show a picture, and wait until its time is over."""
        self.answered(self._look, picture)

    async def _look(self, picture: Picture) -> None:
        await self.show(picture)
        self._wait()

    def on_key(self, event: Key) -> None:
        if not self._pace.takes(event.key, event.character or "") and not self._pace.runs:
            self.reply(None)  # one move on
        self._wait()

    def _wait(self) -> None:
        """End the wait of `look` after the delay, if the screen is not paused."""
        self._pace.wait(partial(self.reply, None))
        is_paused = "paused: another key is one move"
        speed = f"{self._pace.delay / 1000:g} s a move" if self._pace.runs else is_paused
        self.say(f"{speed}; {_KEYS}", is_help=True)
