"""How a game ends: every reason (a termination), which of them are forfeits, and the outcome."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Termination(StrEnum):
    """Why a game ended."""

    FLEET_DESTROYED = "fleet-destroyed"
    GOAL = "goal"
    ROUND_LIMIT = "round-limit"
    ALL_DEAD = "all-dead"
    BAD_OUTPUT = "bad-output"
    ILLEGAL_FLEET = "illegal-fleet"
    ILLEGAL_MOVE = "illegal-move"
    TIMEOUT = "timeout"
    CRASH = "crash"
    LEFT = "left"
    BOTH_FAILED = "both-failed"
    RESIGNED = "resigned"
    VOID = "void"
    ABORTED = "aborted"

    @property
    def is_forfeit(self) -> bool:
        """Whether the game was lost by a fault or a resignation rather than played out."""
        return self in FORFEITS

    @property
    def is_rated(self) -> bool:
        """Whether a game that ended so counts."""
        return self not in UNRATED


FORFEITS = frozenset(
    {
        Termination.BAD_OUTPUT,
        Termination.ILLEGAL_FLEET,
        Termination.ILLEGAL_MOVE,
        Termination.TIMEOUT,
        Termination.CRASH,
        Termination.LEFT,
        Termination.RESIGNED,
    }
)
UNRATED = frozenset({Termination.VOID, Termination.ABORTED})


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended. ``scores`` holds, seat by seat, what the winner was chosen by, if that
    was a number: points, or ships afloat at the limit of rounds."""

    winner: int | None
    loser: int | None
    termination: Termination
    detail: str = ""
    scores: tuple[int, ...] | None = None


# Characters of an outcome's detail that records have room for, and of one player's part of it.
MOST_DETAIL = 10_000
MOST_SAID = 4_000


def shortened(sentence: str, most: int = MOST_SAID) -> str:
    """A sentence as records have room for it, whatever a player had it quote."""
    return sentence if len(sentence) <= most else f"{sentence[: most - 2]} …"
