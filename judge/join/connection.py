"""A connection to a server that a stranger runs, with limits on bytes and waits.

`ServerFault` is raised if the server sends too many bytes, or does not read what it is sent. The
caller of `next` limits the wait for a silent server.
"""

from __future__ import annotations

import contextlib
import socket
import time
from collections import deque
from threading import Lock

from judge.errors import NotOpen, ServerFault
from judge.join.address import Address
from judge.join.traffic_log import TrafficLog
from judge.show.text import clean
from judge.waiting import apart, ready
from judge.wire.bsp.client import BspClient
from judge.wire.messages import AskShots, Dismissed, FromClient, GameOver, Refused, ToClient, Told
from judge.wire.xbs.client import XbsClient

CONNECT_SECONDS = 15.0
SEND_SECONDS = 30.0
READ_AT_ONCE = 4096
MOST_RECEIVED = 256 * 2**20  # bytes; the longest game on the largest boards has some 40 MiB
MOST_QUEUED = 10_000  # messages that `passed_on` reads ahead
KEEPALIVE = (
    (socket.TCP_KEEPIDLE, 60),
    (socket.TCP_KEEPINTVL, 15),
    (socket.TCP_KEEPCNT, 4),
)


class ServerConnection:
    """One connection to a server, with the client's end of its protocol. A second thread may call
    `say` and `cut`.

    With the ``end`` of an earlier connection, that connection's game goes on. ``most`` is the most
    bytes to receive. Raises `NotOpen` if the server cannot be reached.
    """

    def __init__(
        self,
        address: Address,
        log: TrafficLog,
        end: BspClient | XbsClient | None = None,
        *,
        most: int = MOST_RECEIVED,
    ) -> None:
        self.address = address
        self.end = end or address.game.end()
        self._log = log
        self._most = most
        self._received = 0
        self._partial = b""  # the beginning of a received line, for the log
        self._queue: deque[ToClient] = deque()
        self._saying = Lock()
        self._socket = _connected(address)
        log.say(f"Connected to {address}.")

    def fileno(self) -> int:
        return self._socket.fileno()

    def say(self, message: FromClient) -> None:
        """Send a message. Raises `ServerFault` if the server does not read for `SEND_SECONDS`. A
        connection that the server has closed raises nothing here; `next` tells of it."""
        with self._saying:
            self.end.say(message)
            data = self.end.data_to_send()
            self._log.sent(data)
            self._send(data)

    def _send(self, data: bytes) -> None:
        try:
            self._socket.settimeout(SEND_SECONDS)
            self._socket.sendall(data)
        except TimeoutError:
            raise ServerFault(
                f"the server at {self.address} has not read for {SEND_SECONDS:g} s"
            ) from None
        except OSError:
            return

    def next(self, seconds: float | None) -> ToClient | None:
        """The next message, or None if no message comes within ``seconds``. With ``seconds=None``
        the wait has no limit. The last message is `GameOver` or `Dismissed`. Raises `ServerFault`
        for messages that no client can read, and for too many bytes."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while True:
            if message := self._read():
                return message
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not self._wait(left):
                return None
            self._take()
            if left == 0.0:  # a server may send endless lines that are not messages
                return self._read()

    def passed_on(self, seat: int) -> bool:
        """Whether a message that has come, but that `next` has not returned yet, ends this seat's
        turn: the host may have skipped the turn, or the others may have left."""
        while len(self._queue) < MOST_QUEUED:
            if message := self._end_message():
                self._queue.append(message)
                if isinstance(message, AskShots | GameOver | Dismissed) or (
                    isinstance(message, Told) and message.up not in ((), (seat,))
                ):
                    return True
                if isinstance(message, Refused):
                    return False  # the seat is asked again
            elif self._wait(0.0):
                self._take()
            else:
                break
        return False

    @property
    def is_closed(self) -> bool:
        """Whether this client has closed the connection."""
        return self._socket.fileno() < 0

    def cut(self) -> None:
        """Shut the connection down, to end a wait in another thread."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._socket.close()

    def _end_message(self) -> ToClient | None:
        """The next message in the bytes received so far, or None. Raises `ServerFault`."""
        try:
            return self.end.next_message()
        except ServerFault as error:
            said = str(error).removeprefix("the server ")
            raise ServerFault(f"the server at {self.address} {said}") from None

    def _read(self) -> ToClient | None:
        return self._queue.popleft() if self._queue else self._end_message()

    def _wait(self, seconds: float | None) -> bool:
        return bool(ready(self._socket.fileno(), seconds=seconds))

    def _take(self) -> None:
        """Receive bytes; raises `ServerFault` if too many come. A failing connection counts as
        closed."""
        try:
            data = self._socket.recv(READ_AT_ONCE)
        except OSError:
            data = b""
        self._received += len(data)
        if self._received > self._most:
            raise ServerFault(
                f"the server at {self.address} has sent more than {self._most:,} bytes, which no "
                "game needs"
            )
        self._note(data)
        self.end.receive_data(data)

    def _note(self, data: bytes) -> None:
        """Log the whole lines that have come. A line longer than `READ_AT_ONCE` may be logged in
        pieces."""
        *lines, self._partial = (self._partial + data).split(b"\n")
        if not data or len(self._partial) > READ_AT_ONCE:
            lines, self._partial = [*lines, self._partial], b""
        for line in lines:
            self._log.received(line)
        if not data:
            self._log.say("The server closed the connection.")


def _connected(address: Address) -> socket.socket:
    try:
        place = (address.host, address.port)
        found = apart(lambda: socket.create_connection(place, CONNECT_SECONDS))
    except OSError as error:
        # An error from looking up the host's name has its text in `strerror`, too.
        why = error.strerror or str(error) or "it does not answer"
        raise NotOpen(f"{address} cannot be reached: {clean(why)}") from None
    except UnicodeError:  # of a name with a label that is empty or too long
        raise NotOpen(f"{address} cannot be reached: it is not the name of a host") from None
    found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for what, value in KEEPALIVE:
        with contextlib.suppress(OSError):
            found.setsockopt(socket.IPPROTO_TCP, what, value)
    return found
