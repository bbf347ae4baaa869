"""A game that is played, a move at a time, for as long as each is looked at."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from textual.events import Key  # noqa: TC002 - Textual reads the annotations of handlers
from textual.message import Message

from judge.screen.pictures import PictureApp, faster_or_slower
from judge.show.picture import Picture

if TYPE_CHECKING:
    from textual.timer import Timer

_KEYS = "space pauses, + - speed, Ctrl-C stops"


class WatchApp(PictureApp):
    """Shows what other threads have it show; ``delay`` is how many milliseconds each picture is
    looked at."""

    IS_FOR_LINES = True

    class Look(Message):
        """There is another picture to look at."""

        def __init__(self, picture: Picture, looked: threading.Event) -> None:
            super().__init__()
            self.picture, self.looked = picture, looked

    def __init__(self, *, delay: int, colour: bool) -> None:
        super().__init__(colour=colour)
        self._delay = delay
        self._paused = False
        self._timer: Timer | None = None
        self._looked = threading.Event()  # set once the picture has been looked at
        self._is_gone = False

    def look(self, picture: Picture) -> None:
        """Show a picture, and wait until it has been looked at. For another thread."""
        looked = self._looked = threading.Event()
        if not self._is_gone:
            self.post_message(self.Look(picture, looked))
            looked.wait()

    def leave(self) -> None:
        """Have nobody wait any more."""
        self._is_gone = True
        self._looked.set()

    def on_unmount(self) -> None:
        self.leave()

    async def on_watch_app_look(self, event: Look) -> None:
        await self.show(event.picture)
        self._wait()

    def on_key(self, event: Key) -> None:
        if event.key == "space":
            self._paused = not self._paused
        elif event.character in ("+", "-"):
            self._delay = faster_or_slower(self._delay, event.character)
        elif self._paused:  # one move on
            self._looked.set()
        self._wait()

    def _wait(self) -> None:
        """Go on after the delay, if the game is not paused."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = None
        speed = "paused: another key is one move"
        if not self._paused:
            speed = f"{self._delay / 1000:g} s a move"
            self._timer = self.set_timer(self._delay / 1000, self._looked.set)
        self.say(f"{speed}; {_KEYS}", is_help=True)
