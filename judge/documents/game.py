"""A game as a document: its limits, how it ended, and how the program ran that lost it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import Meta

from judge.documents.codec import Part
from judge.documents.rules import ANSWER_MS

# Characters of an outcome's detail that records have room for, and of one player's part of it.
MOST_DETAIL = 10_000
MOST_SAID = 4_000

Seat = Annotated[int, Meta(ge=0, le=99)]
Bytes = Annotated[int, Meta(ge=1, le=2**50)]
Milliseconds = Annotated[float, Meta(ge=0, le=10**12)]


class Limits(Part, frozen=True, kw_only=True):
    """The limits in force for each move. Rules may set another time."""

    CALLED: ClassVar = "limits"

    timeout_ms: Annotated[int, Meta(ge=1, le=86_400_000)] = ANSWER_MS
    """Wall time for the reply and the exit, in milliseconds."""
    memory_bytes: Bytes = 256 * 2**20
    """Memory, in bytes."""
    output_bytes: Bytes = 64 * 2**10
    """Standard output, in bytes."""
    data_bytes: Annotated[int, Meta(ge=0, le=2**50)] = 0
    """What a player may keep from one of its games to the next, in bytes; 0 for nothing."""
    cores: Annotated[int, Meta(ge=1, le=1024)] = 1
    """The processors that each game has for itself."""


class Exchange(Part, frozen=True, array_like=True):
    """A question to a program that stays alive, and its answer."""

    sent: Annotated[str, Meta(max_length=1_000_000)]
    """What the program was sent."""
    received: Annotated[str, Meta(max_length=1_000_000)]
    """What came back."""
    ms: Milliseconds
    """From the question to the answer, in milliseconds."""


class Evidence(Part, frozen=True):
    """The run of the program that lost the game."""

    CALLED: ClassVar = "evidence"

    seat: Seat
    """A seat: 0 is the first bot named."""
    argv: Annotated[tuple[Annotated[str, Meta(max_length=2**21)], ...], Meta(max_length=10_000)]
    """The command with its argument, as it was run."""
    stdout: Annotated[str, Meta(max_length=2**26)]
    """What it printed, bytes that are not UTF-8 written as \\xNN; cut at the output limit, saying
    so."""
    stderr: Annotated[str, Meta(max_length=2**26)]
    """The first and last 32 KiB of its standard error, saying what was left out."""
    exit: Annotated[int, Meta(ge=0, le=255)] | None
    """Its exit status; null if a signal ended it, or if it was still running. Under bwrap a signal
    shows as 128 and its number here, as in a shell."""
    signal: Annotated[str, Meta(max_length=100)] | None
    """The signal that ended it (the judge's own SIGKILL after a timeout or a flood included)."""
    wall_ms: Milliseconds
    """From the start to the end, in milliseconds; of a program that was still running, to its
    loss."""
    cpu_ms: Milliseconds | None
    """User and system time of it and the children that it waited for."""
    peak_kib: Annotated[int, Meta(ge=0, le=2**50)] | None
    """Its greatest resident memory in KiB; null where it was less than the judge's own and so cannot
    be told."""
    exchanges: Annotated[tuple[Exchange, ...], Meta(max_length=20)] = ()
    """The last exchanges with a program that stays alive, from the oldest."""

    @property
    def answer_ms(self) -> float:
        """How long the program took for the move that lost the game: a program that stays alive
        has a time for each answer, any other was run for this move alone."""
        return self.exchanges[-1].ms if self.exchanges else self.wall_ms


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


class Outcome(Part, frozen=True):
    """How a game ended; seats, or null for nobody."""

    winner: Seat | None
    """The seat that won; null in a tie, and in a void or aborted game."""
    loser: Seat | None
    """The seat that lost; null where nobody or more than one did."""
    termination: Termination
    """Why it ended."""
    detail: Annotated[str, Meta(max_length=MOST_DETAIL)] = ""
    """One sentence for the author of the bot that forfeited; empty if none did."""
    scores: (
        Annotated[tuple[Annotated[int, Meta(ge=0, le=10**9)], ...], Meta(max_length=100)] | None
    ) = None
    """Seat by seat what the winner was chosen by: points, or ships afloat; null where a fleet
    decided."""


def shortened(sentence: str, most: int = MOST_SAID) -> str:
    """A sentence as records have room for it, whatever a player had it quote."""
    return sentence if len(sentence) <= most else f"{sentence[: most - 2]} …"
