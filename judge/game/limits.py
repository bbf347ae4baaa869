"""The limits under which a program plays, with their defaults: time, memory, output.

Rules may set another time.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from judge.documents.rules import ANSWER_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits on each move that were in force.

    ``data_bytes`` are what a player may keep from one of its games to the next, and ``cores`` the
    processors that each game has for itself.
    """

    timeout_ms: int = ANSWER_MS
    memory_bytes: int = 256 * 2**20
    output_bytes: int = 64 * 2**10
    data_bytes: int = 0
    cores: int = 1

    def to_json(self) -> dict[str, Any]:
        """As documents have it: ``data_bytes`` only where something may be kept, ``cores`` only
        where there are several."""
        limits = asdict(self)
        if not self.data_bytes:
            del limits["data_bytes"]
        if self.cores == 1:
            del limits["cores"]
        return limits
