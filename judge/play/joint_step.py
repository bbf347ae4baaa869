"""A step of a game in which several seats answer together, and the seats that fail in it.

The step is judged once all seats have answered. A failure has one of three stages: no answer, an
unreadable answer, an answer against the rules. In a game of two seats, only the failures of the
earliest stage count. In a game of more seats all failures count, for the game goes on without these
seats.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from judge.documents.game import Evidence, Termination, shortened
from judge.errors import BadOutput, BotError, IllegalFleet, IllegalMove
from judge.game.events import Gone

Prove = Callable[[], Evidence | None]


@dataclass(frozen=True, slots=True)
class Failure:
    """The failure of a seat. ``prove`` gives the evidence; it is called only if the failure
    counts."""

    gone: Gone
    stage: int
    prove: Prove

    @classmethod
    def of(cls, seat: int, error: BotError, prove: Prove) -> Failure:
        """The failure of a seat by an error of its player."""
        stage = 0
        if isinstance(error, BadOutput):
            stage = 1
        elif isinstance(error, IllegalFleet | IllegalMove):
            stage = 2
        gone = Gone(seat, Termination(error.termination), shortened(str(error)))
        return cls(gone, stage, prove)

    @classmethod
    def left(cls, seat: int, why: str, prove: Prove) -> Failure:
        """The failure of a seat that has left for good."""
        return cls(Gone(seat, Termination.LEFT, shortened(why)), 0, prove)


class JointStep:
    """The seats that were asked in a step, and the failures so far."""

    def __init__(self) -> None:
        self._seats: set[int] = set()
        self._failures: dict[int, Failure] = {}

    def __bool__(self) -> bool:
        """Whether a seat was asked in this step, or has failed."""
        return bool(self._seats or self._failures)

    def __contains__(self, seat: int) -> bool:
        return seat in self._seats

    def add(self, seat: int) -> None:
        self._seats.add(seat)

    def discard(self, seat: int) -> None:
        """Wait no more for a seat that has left the game and may come back."""
        self._seats.discard(seat)

    def fail(self, failure: Failure) -> None:
        self._failures[failure.gone.seat] = failure

    def has_failed(self, seat: int) -> bool:
        return seat in self._failures

    def losing(self, players: int) -> list[Failure]:
        """The failures that count, once all seats have answered, in the order of seats."""
        if not self._failures:
            return []
        failures = [self._failures[seat] for seat in sorted(self._failures)]
        if players > 2:
            return failures
        first = min((failure.stage for failure in failures), default=0)
        return [failure for failure in failures if failure.stage == first]
