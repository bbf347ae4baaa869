"""What naive servers of XBS and BSP share, written from what the protocols say alone: text in, lines
out.

They share no code with the judge. There are no limits of time or of size but that of a line.
"""

from __future__ import annotations

from collections import Counter, defaultdict


class NaiveServer:
    """``sent`` has what each client was sent, line by line; ``closed`` are those whose connection
    has ended; ``counts`` says how often things happened."""

    longest = 0

    def __init__(self) -> None:
        self.sent: dict[int, list[str]] = defaultdict(list)
        self.closed: set[int] = set()
        self.counts: Counter[str] = Counter()
        self._pending: dict[int, str] = defaultdict(str)
        self._skipping: set[int] = set()  # the rest of a line that is too long

    def say(self, client: int, text: str) -> None:
        """Take what a client sends, in whichever pieces."""
        self._pending[client] += text
        while client not in self.closed and self._pending[client]:
            line, end, rest = self._pending[client].partition("\n")
            if not end and (len(line) < self.longest or client in self._skipping):
                if client in self._skipping:
                    self._pending[client] = ""
                return
            self._pending[client] = rest
            if client in self._skipping:
                self._skipping -= {client} if end else set()
            elif len(line) >= self.longest:
                self._skipping |= set() if end else {client}
                self.unreadable(client)
            else:
                self.line(client, line)

    def end(self, client: int) -> None:
        """The client's side of the stream ends; what came of a line is one."""
        if client not in self.closed and self._pending[client] and client not in self._skipping:
            self.line(client, self._pending[client])
        if client not in self.closed:
            self.gone(client, "")

    def unreadable(self, client: int) -> None:
        raise NotImplementedError

    def line(self, client: int, line: str) -> None:
        raise NotImplementedError

    def gone(self, client: int, why: str) -> None:
        raise NotImplementedError
