"""The base class of the clients of protocols whose messages are lines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque

from judge.errors import BadOutput, ServerFault
from judge.wire.lines import LineBuffer
from judge.wire.messages import Dismissed, ToClient


class LineClient(ABC):
    """A player's end of a connection to somebody's server. The server's lines have at most
    ``longest`` bytes.

    A subclass puts messages for the player into ``_messages``, and bytes to send into ``_out``.
    """

    def __init__(self, longest: int) -> None:
        self._lines = LineBuffer(longest)
        self._out = b""
        self._messages: deque[ToClient] = deque()
        self._is_over = False

    def data_to_send(self) -> bytes:
        """The bytes to send to the server now. The call empties the queue."""
        data, self._out = self._out, b""
        return data

    def receive_data(self, data: bytes) -> None:
        """Take bytes that came from the server; ``b""`` is the end of the stream."""
        if not self._is_over:
            self._lines.add(data)

    def next_message(self) -> ToClient | None:
        """The next message for the player, or None while more data is needed and after the last.

        Raises `ServerFault` for a line that is too long or cannot be read.
        """
        while not self._messages and not self._is_over:
            is_whole = self._lines.has_line()
            try:
                line = self._lines.take()
            except BadOutput as error:
                raise ServerFault(f"the server {error}") from None
            if line is not None and is_whole:
                self._read_line(line)
            elif line is not None:
                self._read_rest(line)
            elif self._lines.has_ended:
                self._is_over = True
                self._messages.append(Dismissed(""))
            else:
                return None
        return self._messages.popleft() if self._messages else None

    @abstractmethod
    def _read_line(self, line: bytes) -> None:
        """Read one line from the server, given without its line feed."""

    def _read_rest(self, line: bytes) -> None:
        """Read the last line of the stream, which has no line feed."""
        self._read_line(line)
