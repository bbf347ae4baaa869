"""The pipes of a program: the judge's ends and the program's ends."""

from __future__ import annotations

import os


class Streams:
    """Pipes for stdin, stdout and stderr, without stdin if ``has_stdin`` is False. ``theirs`` are
    the program's ends in this order. The judge's ends never block. Raises `OSError` if there are no
    descriptors left."""

    def __init__(self, *, has_stdin: bool = True) -> None:
        self._open: set[int] = set()
        ends = []
        try:
            for _ in range(3 if has_stdin else 2):
                ends.append(os.pipe())
                self._open.update(ends[-1])
        except OSError:
            self.close()
            raise
        *stdin, (self.stdout, stdout), (self.stderr, stderr) = ends
        self.stdin = stdin[0][1] if stdin else -1
        self.theirs = (*(end for end, _ in stdin), stdout, stderr)
        # A read after a poll could block too, since a program can take its bytes back.
        for ours in self._open.difference(self.theirs):
            os.set_blocking(ours, False)

    def hand_over(self) -> None:
        """Close the program's ends in this process, once the program has them."""
        self._close(*self.theirs)

    def close_stdin(self) -> None:
        """Close the judge's end of stdin, so that the program sees the end of its input."""
        self._close(self.stdin)

    def close(self) -> None:
        self._close(*self._open)

    def _close(self, *ends: int) -> None:
        for end in ends:
            if end in self._open:
                self._open.discard(end)
                os.close(end)
