"""The last exchanges with a program that lives for a match: what was said, and how long it took."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from judge.documents.game import Exchange

MOST_EXCHANGES = 20
MOST_SHOWN_BYTES = 2 * 2**10  # bytes of an exchange, each way


class ExchangeLog:
    """An exchange begins with what is sent after an answer, and ends with its own answer. The end
    of each question is kept, and the beginning of each answer."""

    def __init__(self) -> None:
        self.received = bytearray()  # since the last question, all of it
        self.asked = 0.0  # when the last question was, by `time.monotonic`
        self._answered = 0.0
        self._sent = bytearray()  # since the last answer
        self._older: deque[tuple[bytearray, bytearray, float]] = deque(maxlen=MOST_EXCHANGES - 1)

    @property
    def milliseconds(self) -> float:
        """From the last question to the last look for its answer."""
        return (self._answered - self.asked) * 1000

    @property
    def has_received(self) -> bool:
        """Whether anything has ever come."""
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
        """Note that an answer has been looked for, and return when."""
        self._answered = time.monotonic()
        return self._answered

    def exchanges(self, text: Callable[[bytes], str]) -> tuple[Exchange, ...]:
        """The last ones, the oldest first; the very last need not have its answer; ``text`` makes
        what went one way fit to be shown."""
        last = (self._sent, self.received, self.milliseconds)
        return tuple(
            Exchange(text(bytes(sent)), text(bytes(received[:MOST_SHOWN_BYTES])), round(ms, 1))
            for sent, received, ms in (*self._older, last)
        )

    def _begin(self) -> None:
        """An answer has come, so what is sent from now on belongs to the next exchange."""
        del self.received[MOST_SHOWN_BYTES:]
        self._older.append((self._sent, self.received, self.milliseconds))
        self._sent, self.received = bytearray(), bytearray()
