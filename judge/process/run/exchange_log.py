"""The last exchanges with a program that lives for a match: their bytes and times."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from judge.documents.game import Exchange

MOST_EXCHANGES = 20
MOST_SHOWN_BYTES = 2 * 2**10  # bytes of an exchange that are kept each way


class ExchangeLog:
    """A log of exchanges. An exchange has all bytes sent since the last answer, and the answer to
    them. The log keeps the end of each question and the beginning of each answer."""

    def __init__(self) -> None:
        self.received = bytearray()  # all bytes since the last question
        self.asked = 0.0  # the time of the last question, by `time.monotonic`
        self._answered = 0.0
        self._sent = bytearray()  # since the last answer
        self._older: deque[tuple[bytearray, bytearray, float]] = deque(maxlen=MOST_EXCHANGES - 1)

    @property
    def milliseconds(self) -> float:
        """The milliseconds from the last question to the last look for its answer."""
        return (self._answered - self.asked) * 1000

    @property
    def has_looked(self) -> bool:
        """Whether the judge has looked for an answer to the last question."""
        return self._answered > self.asked

    @property
    def has_received(self) -> bool:
        """Whether any bytes have ever come."""
        return bool(self.received or self._older)

    def ask(self) -> None:
        """Note that a question is sent next."""
        if self.received:
            self._begin()
        self.asked = self._answered = time.monotonic()

    def send(self, data: bytes) -> None:
        if self.received:
            self._begin()
        self._sent += data
        del self._sent[:-MOST_SHOWN_BYTES]

    def look(self) -> float:
        """Note that the judge has looked for an answer, and return the time."""
        self._answered = time.monotonic()
        return self._answered

    def exchanges(self, text: Callable[[bytes], str]) -> tuple[Exchange, ...]:
        """The last exchanges, at most `MOST_EXCHANGES`, the oldest first. The newest may lack its
        answer. ``text`` turns bytes into text to show."""
        last = (self._sent, self.received, self.milliseconds)
        return tuple(
            Exchange(text(bytes(sent)), text(bytes(received[:MOST_SHOWN_BYTES])), round(ms, 1))
            for sent, received, ms in (*self._older, last)
        )

    def _begin(self) -> None:
        """Begin a new exchange, since the answer of the last one has come."""
        del self.received[MOST_SHOWN_BYTES:]
        self._older.append((self._sent, self.received, self.milliseconds))
        self._sent, self.received = bytearray(), bytearray()
