"""A buffer that makes lines out of bytes."""

from __future__ import annotations

from judge.errors import BadOutput


class LineBuffer:
    """Lines from a stream of bytes: `add` takes bytes, `take` returns a line.

    A line ends with LF, which is not part of it. The end of the stream ends the last line too. A
    line is dropped if it has more than ``most`` bytes, its LF included: `take` raises `BadOutput`
    for it once.
    """

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self._in = bytearray()
        self._searched = 0  # bytes at the beginning that hold no LF
        self._is_dropping = False  # whether the rest of a too long line is being dropped
        self.has_ended = False

    def add(self, data: bytes) -> None:
        """Add bytes that came; ``b""`` is the end of the stream."""
        self._in += data
        self.has_ended = not data

    def take(self) -> bytes | None:
        """The next line without its LF, or None if no whole line is there. Raises `BadOutput` once
        for a line that is too long."""
        while True:
            end = self._in.find(b"\n", self._searched)
            if end < 0:
                return self._rest()
            line = bytes(self._in[:end])
            del self._in[: end + 1]
            self._searched = 0
            if not self._is_dropping:
                self._require_short(line)
                return line
            self._is_dropping = False

    def has_line(self) -> bool:
        """Whether an LF has come that `take` has not reached yet."""
        return b"\n" in self._in

    def _rest(self) -> bytes | None:
        """The bytes after the last LF, as a line if the stream has ended. None before the end, and
        if no bytes are left. Raises `BadOutput` if they are too long for a line."""
        if self.has_ended or self._is_dropping:
            rest, was_dropping = bytes(self._in), self._is_dropping
            self._in.clear()
            self._searched = 0
            if was_dropping or not rest:
                return None
            self._require_short(rest)
            return rest
        self._searched = len(self._in)
        if self._most is not None and self._searched >= self._most:
            self._is_dropping = True
            rest = bytes(self._in)
            self._in.clear()
            self._searched = 0
            self._require_short(rest)
        return None

    def _require_short(self, line: bytes) -> None:
        if self._most is not None and len(line) >= self._most:
            raise BadOutput(f"wrote a line of more than {self._most:,} bytes")
