"""The screen of games under way, which shows each move for a while."""

from __future__ import annotations

import threading

from textual.events import Key  # noqa: TC002 - Textual reads the annotations of handlers
from textual.message import Message

from judge.screen.pictures import Pace, PictureApp
from judge.show.picture import Picture

_KEYS = "space pauses, + - speed, Ctrl-C stops"


class WatchApp(PictureApp):
    """Shows the pictures that other threads pass to `look`, each for ``delay`` milliseconds."""

    IS_FOR_LINES = True

    class Look(Message):
        """Posted when there is another picture to show."""

        def __init__(self, picture: Picture, looked: threading.Event) -> None:
            super().__init__()
            self.picture, self.looked = picture, looked

    def __init__(self, *, delay: int, colour: bool) -> None:
        super().__init__(colour=colour)
        self._pace = Pace(self, delay, runs=True)
        self._looked = threading.Event()  # set once the time of the picture is over
        self._is_gone = False

    def look(self, picture: Picture) -> None:
        """Show a picture, and wait until its time is over."""
        looked = self._looked = threading.Event()
        if not self._is_gone:
            self.post_message(self.Look(picture, looked))
            looked.wait()

    def leave(self) -> None:
        """End the wait of `look`, now and in later calls."""
        self._is_gone = True
        self._looked.set()

    def on_unmount(self) -> None:
        self.leave()

    async def on_watch_app_look(self, event: Look) -> None:
        await self.show(event.picture)
        self._wait()

    def on_key(self, event: Key) -> None:
        if not self._pace.takes(event.key, event.character or "") and not self._pace.runs:
            self._looked.set()  # one move on
        self._wait()

    def _wait(self) -> None:
        """End the wait of `look` after the delay, if the screen is not paused."""
        self._pace.wait(self._looked.set)
        is_paused = "paused: another key is one move"
        speed = f"{self._pace.delay / 1000:g} s a move" if self._pace.runs else is_paused
        self.say(f"{speed}; {_KEYS}", is_help=True)
