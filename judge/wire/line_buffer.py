"""What comes over a stream, line by line."""

from __future__ import annotations


class LineBuffer:
    """Takes bytes, and gives whole lines without their ends; nothing that came is ever dropped.

    The last line of a stream that has ended need not be whole.
    """

    def __init__(self) -> None:
        self._data = bytearray()
        self._searched = 0  # bytes of it, which hold no end of a line
        self._has_ended = False

    def add(self, data: bytes) -> None:
        """Take what came; ``b""`` is the end of the stream."""
        self._data += data
        self._has_ended = not data

    @property
    def awaits_line(self) -> bool:
        """Whether there is no whole line, and one may come."""
        return not self._has_ended and self._end() < 0

    def take(self) -> bytes | None:
        """The next line, or None while there is none."""
        end = self._end()
        if end < 0:
            if not (self._has_ended and self._data):
                return None
            end = len(self._data)
        line = bytes(self._data[:end])
        del self._data[: end + 1]
        self._searched = 0
        return line

    def _end(self) -> int:
        """Where the next line ends, or -1."""
        end = self._data.find(b"\n", self._searched)
        self._searched = len(self._data) if end < 0 else end
        return end
