"""The last exchanges with a program that lives for a match: what it was sent, what came back, and
how long that took."""

from __future__ import annotations

import time
from collections import deque

from judge.game.evidence import Exchange
from judge.process.run.connection import text_of

MOST_EXCHANGES = 20
MOST_SHOWN_BYTES = 2 * 2**10  # of an exchange, each way


class ExchangeLog:
    """An exchange begins with what is sent after an answer, and ends with its own answer. The end
    of what is sent is kept, and the beginning of what comes."""

    def __init__(self) -> None:
        self.received = bytearray()  # since the last question, all of it
        self._sent = bytearray()  # since the last answer
        self._asked = self._answered = 0.0
        self._older: deque[tuple[bytes, bytes, float]] = deque(maxlen=MOST_EXCHANGES - 1)

    @property
    def milliseconds(self) -> float:
        """From the last question to the last look for its answer."""
        return (self._answered - self._asked) * 1000

    def ask(self) -> None:
        """Note that a question is sent next."""
        self._begin()
        self._asked = self._answered = time.monotonic()

    def send(self, data: bytes) -> None:
        self._begin()
        self._sent += data
        del self._sent[:-MOST_SHOWN_BYTES]

    def look(self) -> float:
        """Note that an answer has been looked for, and when."""
        self._answered = time.monotonic()
        return self._answered

    def exchanges(self) -> tuple[Exchange, ...]:
        """The last ones, the oldest first; the very last need not have its answer."""
        return tuple(
            Exchange(text_of(sent), text_of(received), round(ms, 1))
            for sent, received, ms in (*self._older, self._last())
        )

    def _begin(self) -> None:
        """Keep the last exchange, once an answer has come."""
        if self.received:
            self._older.append(self._last())
            self._sent.clear()
            self.received.clear()

    def _last(self) -> tuple[bytes, bytes, float]:
        return bytes(self._sent), bytes(self.received[:MOST_SHOWN_BYTES]), self.milliseconds
