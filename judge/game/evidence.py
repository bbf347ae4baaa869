"""The data kept of a program that lost a game: command, output, exit, CPU, memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question to a program that stays alive, and its answer; ``ms`` from the one to the
    other."""

    sent: str
    received: str
    ms: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """The run of the program that lost the game. Times in milliseconds, memory in KiB (None where
    it was below the judge's own and cannot be told). ``exchanges`` are the last ones with a
    program that stays alive, from the oldest."""

    seat: int
    argv: tuple[str, ...]
    stdout: str
    stderr: str
    exit: int | None
    signal: str | None
    wall_ms: float
    cpu_ms: float | None
    peak_kib: int | None
    exchanges: tuple[Exchange, ...] = ()

    @property
    def answer_ms(self) -> float:
        """How long the program took for the move that lost the game: a program that stays alive
        has a time for each answer, any other was run for this move alone."""
        return self.exchanges[-1].ms if self.exchanges else self.wall_ms

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        exchanges = tuple(Exchange(*one) for one in document["exchanges"])
        return cls(**{**document, "argv": tuple(document["argv"]), "exchanges": exchanges})
