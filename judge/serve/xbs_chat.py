"""The chat of an XBS table: players and the host speak to all or to one player."""

from __future__ import annotations

from collections.abc import Sequence

from judge.serve.log import Log
from judge.serve.rate_limits import Allowance
from judge.serve.xbs_places import TablePlace
from judge.show.live import Live
from judge.wire.messages import Chat

# The chat of a player. Too many lines would get slow readers dropped.
LINES_AT_ONCE = 20
LINE_SECONDS = 1.0  # seconds until a player may send one more line


class TableChat:
    """The chat of one table. ``live`` gets the lines that go to all."""

    def __init__(self, log: Log, live: Live | None) -> None:
        self._log = log
        self._live = live
        self._words = Allowance(LINES_AT_ONCE, LINE_SECONDS)  # of each name

    def say(
        self, places: Sequence[TablePlace], place: TablePlace, text: str, to: int | None
    ) -> None:
        """Send a player's line to all others, or to the seat ``to``. A line is dropped if the
        player has said too much of late. A player whose client reads too slowly does not get it."""
        if not self._words.take(place.name):
            return
        seat = places.index(place)
        for number, other in enumerate(places):
            if other is not place and to in (None, number) and not other.is_behind:
                other.tell(Chat(seat, text, is_private=to is not None))
        if self._live and to is None:
            self._live.say(place.name, text)
        whom = "" if to is None else f" to {places[to].name}"
        self._log.say("said", f"{place.name}{whom}: {text}", name=place.name)

    def say_as_host(self, places: Sequence[TablePlace], text: str, to: TablePlace | None) -> None:
        for place in places if to is None else [to]:
            place.tell(Chat(None, text, is_private=False))
        if self._live and to is None:
            self._live.say(None, text)
