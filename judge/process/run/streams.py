"""The three pipes of a living program: the judge's ends, and the program's."""

from __future__ import annotations

import os
from contextlib import ExitStack


class Streams:
    """Three pipes. Nothing done to our ends ever blocks; ``theirs`` are what the program gets as
    its descriptors 0, 1 and 2. Raises `OSError` if there are no descriptors left."""

    def __init__(self) -> None:
        with ExitStack() as made:
            ends = []
            for _ in range(3):
                ends.append(os.pipe())
                for end in ends[-1]:
                    made.callback(os.close, end)
            (stdin, self.stdin), (self.stdout, stdout), (self.stderr, stderr) = ends
            # Also where a poll says that there is something: a program can take that back.
            for ours in (self.stdin, self.stdout, self.stderr):
                os.set_blocking(ours, False)
            made.pop_all()
        self.theirs = (stdin, stdout, stderr)
        self._open = {self.stdin, self.stdout, self.stderr, *self.theirs}

    def hand_over(self) -> None:
        """Close the program's ends, which it has by now."""
        self._close(*self.theirs)

    def close_stdin(self) -> None:
        """Let the program see the end of its input."""
        self._close(self.stdin)

    def close(self) -> None:
        self._close(*self._open)

    def _close(self, *ends: int) -> None:
        for end in ends:
            if end in self._open:
                self._open.discard(end)
                os.close(end)
