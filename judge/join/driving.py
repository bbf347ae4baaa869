"""Drives a `ClientSession`: opens its connections, hands it the server's messages, shows its texts
and sends its messages."""

from __future__ import annotations

import time
from collections.abc import Callable

from judge.errors import NotOpen
from judge.join.address import hint, other_game
from judge.join.client_session import ClientSession, Want
from judge.join.connection import ServerConnection
from judge.join.traffic_log import TrafficLog
from judge.show.text import clean
from judge.wire.messages import Dismissed, GameOver
from judge.wire.xbs.client import XbsClient

MOST_MESSAGES = 100  # messages that are read in a row, before commands have their turn
BACK_SECONDS = 300.0  # seconds for which a cut connection is tried again
BETWEEN_SECONDS = 2.0  # seconds between two such tries


class Driver:
    """The driver of the session ``sitting``. The caller of a driver waits for events. The caller
    calls `connect` when the session wants a connection, `hear` when bytes have come or ``has_more``
    is set, and `pass_on` after commands. ``write`` shows a text.

    Raises `ServerFault` for a fault of the server, and `UsageError` for a name or a board that does
    not fit the table. Raises `NotOpen` if the server cannot be reached at first, or closes the
    first connection before any other message.
    """

    def __init__(
        self,
        sitting: ClientSession,
        log: TrafficLog,
        *,
        write: Callable[[str], None],
        between: float = BETWEEN_SECONDS,
    ) -> None:
        self.sitting = sitting
        self.has_more = False  # more messages may have come than `hear` has taken in
        self._log = log
        self._write = write
        self._between = between
        self._connection: ServerConnection | None = None
        self._has_connected = False
        self._has_heard = False  # a message of the server besides the end of the connection
        self._cut_at: float | None = None
        self._next_try = 0.0

    @property
    def listens(self) -> int | None:
        """The descriptor of the connection; None without a connection."""
        connection = self._connection
        return None if connection is None or connection.is_closed else connection.fileno()

    @property
    def tries_in(self) -> float | None:
        """Seconds until the next try to come back; None if the session does not wish that."""
        if self.sitting.want is not Want.RETURN:
            return None
        return max(0.0, self._next_try - time.monotonic())

    def connect(self) -> None:
        """Try once to connect as the session wants it. After a cut, a call does nothing until
        ``between`` seconds have passed since the last try. The session gives up on a cut connection
        after `BACK_SECONDS`, and on a new game at once."""
        sitting, now = self.sitting, time.monotonic()
        end = self._connection.end if self._connection else None
        again = end if sitting.want is Want.RETURN and isinstance(end, XbsClient) else None
        if again:
            self._cut_at = now if self._cut_at is None else self._cut_at
            if now < self._next_try:
                return
            self._next_try = now + self._between
        try:
            connection = ServerConnection(sitting.address, self._log, again)
        except NotOpen as error:
            if not self._has_connected:
                raise
            if self._cut_at is None or not again or now > self._cut_at + BACK_SECONDS:
                sitting.given_up(str(error))
            return
        if again:
            again.come_back()
        self.hang_up()
        self._connection, self._has_connected = connection, True
        sitting.connected()

    def hear(self) -> None:
        """Hand the session the messages that have come, at most `MOST_MESSAGES` in a call."""
        connection, sitting = self._connection, self.sitting
        assert connection, "it listens"
        self.has_more = False
        for _ in range(MOST_MESSAGES):
            message = connection.next(0.0)
            if message is None:
                return
            if isinstance(message, Dismissed) and not self._has_heard:
                self._turned_away(message.why)
            self._has_heard = True
            sitting.hear(message, time.monotonic())
            if isinstance(connection.end, XbsClient):
                sitting.state.note_standing(connection.end.standing)
                if not sitting.state.is_cut:
                    self._cut_at = None
            self.pass_on()
            if isinstance(message, Dismissed | GameOver) or sitting.want is not Want.STAY:
                connection.close()
                return
        self.has_more = True

    def _turned_away(self, why: str) -> None:
        """Raise `NotOpen`: the server closed the first connection before any other message."""
        address = self.sitting.address
        said = (
            f": {clean(why)}{other_game(address)}"
            if why
            else hint(address, self.sitting.given_name, is_known=False)
        )
        raise NotOpen(f"the server at {address} closed the connection before the game{said}")

    def pass_on(self) -> None:
        """Show the session's texts, and send its messages."""
        sitting = self.sitting
        printed, sitting.printed = sitting.printed, []
        for text in printed:
            self._write(text)
        sent, sitting.sent = sitting.sent, []
        if self._connection and not self._connection.is_closed:
            for message in sent:
                self._connection.say(message)

    def hang_up(self) -> None:
        if self._connection:
            self._connection.close()
