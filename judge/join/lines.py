"""A person at somebody's table without a screen: each event is a line, and so is each command."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable

from judge.errors import BadOutput, Interrupted, NotOpen
from judge.join.connection import ServerConnection
from judge.join.sitting import Sitting, Want
from judge.join.traffic_log import TrafficLog
from judge.wire.lines import LineBuffer
from judge.wire.messages import Dismissed, GameOver
from judge.wire.xbs.client import XbsClient

LONGEST = 4096  # bytes of a command
READ_AT_ONCE = 4096
MOST_MESSAGES = 100  # that are heard before commands are
BACK_SECONDS = 300.0  # for which a connection that was cut is tried again
BETWEEN_SECONDS = 2.0  # one try and the next


class LineClient:
    """Drives a `Sitting`: commands come from the descriptor ``stdin``, and what is to be shown goes
    to ``write``. Raises `ServerFault` for what the server does wrong, and `NotOpen` if it cannot be
    reached in the beginning."""

    def __init__(
        self,
        sitting: Sitting,
        log: TrafficLog,
        *,
        stdin: int,
        write: Callable[[str], None],
        between: float = BETWEEN_SECONDS,
    ) -> None:
        self._sitting = sitting
        self._log = log
        self._stdin = stdin
        self._write = write
        self._between = between
        self._lines = LineBuffer(LONGEST)
        self._connection: ServerConnection | None = None
        self._has_connected = False
        self._cut_at: float | None = None
        self._next_try = 0.0
        self._has_more = False  # of the server has come than was taken in

    def run(self) -> None:
        """Play until the person has had enough."""
        sitting = self._sitting
        try:
            while sitting.want is not Want.END:
                if sitting.want is not Want.STAY:
                    self._connect()
                self._pass_on()
                self._wait()
            self._pass_on()
        except Interrupted:
            sitting.leave()
            self._pass_on()
            raise
        finally:
            self._hang_up()

    def _connect(self) -> None:
        """Connect as the sitting wants it; a connection that was cut is tried now and then."""
        sitting, now = self._sitting, time.monotonic()
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
        self._hang_up()
        self._connection, self._has_connected = connection, True
        sitting.connected()

    def _wait(self) -> None:
        """Wait for the server, for a command, or for the time of the next try."""
        connection = self._connection
        watched = [self._stdin]
        if connection and not connection.is_closed:
            watched.append(connection.fileno())
        timeout = None
        if self._has_more:
            timeout = 0.0
        elif self._sitting.want is Want.RETURN:
            timeout = max(0.0, self._next_try - time.monotonic())
        ready, _, _ = select.select(watched, [], [], timeout)
        if connection and (self._has_more or connection.fileno() in ready):
            self._hear(connection)
        if self._stdin in ready:
            self._obey()

    def _hear(self, connection: ServerConnection) -> None:
        """Take in what has come, but so much only that commands have their turn."""
        sitting, end = self._sitting, connection.end
        self._has_more = False
        for _ in range(MOST_MESSAGES):
            message = connection.next(0.0)
            if message is None:
                return
            sitting.hear(message, time.monotonic())
            if isinstance(end, XbsClient):
                sitting.table.note_standing(end.standing)
                if not sitting.table.is_cut:
                    self._cut_at = None
            self._pass_on()
            if isinstance(message, Dismissed | GameOver) or sitting.want is not Want.STAY:
                connection.close()
                return
        self._has_more = True

    def _obey(self) -> None:
        self._lines.add(os.read(self._stdin, READ_AT_ONCE))
        while self._sitting.want is not Want.END:
            try:
                line = self._lines.take()
            except BadOutput:
                self._write("? no command is so long")
                continue
            if line is None:
                break
            self._sitting.typed(line.decode("utf-8", "replace"), time.monotonic())
            self._pass_on()
        if self._lines.has_ended:
            self._sitting.leave()

    def _pass_on(self) -> None:
        """Show what is to be shown, and send what is to be sent."""
        sitting = self._sitting
        printed, sitting.printed = sitting.printed, []
        for text in printed:
            self._write(text)
        sent, sitting.sent = sitting.sent, []
        if self._connection and not self._connection.is_closed:
            for message in sent:
                self._connection.say(message)

    def _hang_up(self) -> None:
        if self._connection:
            self._connection.close()
