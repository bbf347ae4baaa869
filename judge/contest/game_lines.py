"""Which line of a journal each game stands on, so that a line that stands there twice is found.

The judge never writes the same line of a game twice: the number on it is another. Who copies lines
by hand, or by a tool that copies a piece twice, may; the game would count twice. Lines without a
number, as of older judges, have an id that no other game has.
"""

from __future__ import annotations

import hashlib


class GameLines:
    """The lines of games seen so far, each by a digest of what stands on it."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}

    def earlier(self, data: bytes, number: int) -> int | None:
        """The number of the line before this one on which the same stands, if there is one; this
        line is seen then, and has this ``number`` in the file."""
        digest = hashlib.blake2b(data.strip(), digest_size=16).digest()
        first = self._numbers.setdefault(digest, number)
        return None if first == number else first


def twice(first: int) -> str:
    """A line repeats line ``first``: the complaint, as a clause."""
    return f"it is line {first} once more, and its game would count twice"
