"""The limits under which a program plays."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits on each move that were in force."""

    timeout_ms: int = 2000
    memory_bytes: int = 256 * 2**20
    output_bytes: int = 64 * 2**10
