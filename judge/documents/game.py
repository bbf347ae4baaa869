"""A game as a document: who played it by which rules, its shots, and how it ended.

`judge.game.replay` judges a record again.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import IntEnum, StrEnum
from typing import Annotated, Any, ClassVar, Literal, Self

from msgspec import UNSET, Meta, UnsetType

from judge.documents.codec import Document, Part
from judge.documents.rules import ANSWER_MS, Cell, Draw, Rules, Ship
from judge.errors import RecordError

MOST_SHOTS = 100_000  # shots of a game
MOST_MS = 10**12  # milliseconds of a shot

# Characters of an outcome's detail that records have room for, and of one player's part of it.
MOST_DETAIL = 10_000
MOST_SAID = 4_000

Seat = Annotated[int, Meta(ge=0, le=99)]
Bytes = Annotated[int, Meta(ge=1, le=2**50)]
Milliseconds = Annotated[float, Meta(ge=0, le=MOST_MS)]
Seed = Annotated[int, Meta(ge=0, le=2**53 - 1)]
# As `judge.contest.seeds.spelled` has it: digits alone are a number.
RunSeed = Annotated[str, Meta(pattern=r"^(0|[1-9][0-9]{0,38}|[0-9a-hjkmnp-tv-z]{26})(?![\s\S])")]
Id = Annotated[str, Meta(min_length=1, max_length=1000)]
Text = Annotated[str, Meta(max_length=1000)]
Word = Annotated[str, Meta(max_length=100)]
Coordinate = Annotated[int, Meta(ge=0, le=99)]
GameOfMatch = Annotated[int, Meta(ge=1, le=100_000)]
Ships = Annotated[tuple[Ship, ...], Meta(max_length=50)]
IsolationLevel = Literal["bwrap", "limits", "none"]
WHOLE_RECORD = Meta(extra_json_schema={"$ref": "urn:battleships-judge:game-record:1"})


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
    """The most bytes of data that a player may keep from one of its games to the next; 0 for
    nothing."""
    cores: Annotated[int, Meta(ge=1, le=1024)] = 1
    """The processors that each game has for itself."""


class Exchange(Part, frozen=True, array_like=True):
    """A question to a program that stays alive, and its answer."""

    sent: Annotated[str, Meta(max_length=1_000_000)]
    """The bytes sent to the program."""
    received: Annotated[str, Meta(max_length=1_000_000)]
    """The bytes that came back."""
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
    """Its standard output, bytes that are not UTF-8 written as \\xNN; cut at the output limit,
    saying so."""
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
        """Whether one seat lost by a fault, by resigning or by leaving."""
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
    """How a game ended; seats, or null for nobody. The engine leaves the evidence out."""

    winner: Seat | None
    """The seat that won; null in a tie, and in a void or aborted game."""
    loser: Seat | None
    """The seat that lost; null where nobody or more than one did."""
    termination: Termination
    """Why it ended."""
    detail: Annotated[str, Meta(max_length=MOST_DETAIL)] = ""
    """One sentence for the author of the bot that forfeited; empty if none did."""
    evidence: Annotated[tuple[Evidence, ...], Meta(min_length=1, max_length=100)] | None = None
    """One entry for each seat that forfeited (two in a void game); null if none did."""
    scores: (
        Annotated[tuple[Annotated[int, Meta(ge=0, le=10**9)], ...], Meta(max_length=100)] | None
    ) = None
    """Seat by seat what the winner was chosen by: points, or ships afloat; null where a fleet
    decided."""


class Result(IntEnum):
    """The result of a shot; the numbers are those of the published engine, and 0 for a repeat."""

    REPEAT = 0  # wasted: the cell was shot at before
    MISS = 1
    HIT = 3
    SUNK = 4

    @property
    def is_hit(self) -> bool:
        """Whether it struck a ship in a cell that was not shot at before."""
        return self is Result.HIT or self is Result.SUNK


class RecordedShot(Part, frozen=True, array_like=True, gc=False):
    """A shot, what it did, and how long its seat took."""

    seat: Seat
    """The seat that shot."""
    target: Seat
    """The seat whose board it was fired at."""
    column: Coordinate
    """The column of the cell, from 0."""
    row: Coordinate
    """The row of the cell, from 0."""
    result: Result
    """0 a wasted repeat, 1 missed, 3 hit, 4 hit and sunk."""
    ms: Milliseconds
    """Milliseconds; of a salvo on its first shot."""

    @property
    def cell(self) -> Cell:
        return Cell(self.column, self.row)

    @property
    def is_hit(self) -> bool:
        return self.result.is_hit


class IncidentKind(StrEnum):
    """An act of a seat besides shooting."""

    SKIP = "skip"
    LEAVE = "leave"
    KICK = "kick"  # the host removed it
    RETURN = "return"
    # At a table where its turn waits for a player who is gone:
    AWAY = "away"
    BOOT = "boot"  # the host sent it away
    BACK = "back"
    # A forfeit, by the name of its termination:
    BAD_OUTPUT = "bad-output"
    ILLEGAL_FLEET = "illegal-fleet"
    ILLEGAL_MOVE = "illegal-move"
    TIMEOUT = "timeout"
    CRASH = "crash"
    LEFT = "left"
    RESIGNED = "resigned"


class Incident(Part, frozen=True, array_like=True):
    """Something that happened besides shots."""

    at: Annotated[int, Meta(ge=0, le=MOST_SHOTS)]
    """How many shots came before it."""
    seat: Seat
    """The seat that did it."""
    what: IncidentKind
    """`skip`, `leave`, `kick` (removed by the host), `return` or the termination of its forfeit; at a
    table where the turn of a player who is gone waits for it, `away`, `boot` (sent away by the host)
    and `back`, which change nothing."""
    detail: Annotated[str, Meta(max_length=MOST_DETAIL)] = ""
    """The sentence on a forfeit in a game of more than two seats; left out otherwise. The outcome
    has the sentence on a forfeit in a game of two."""

    @property
    def forfeit(self) -> Termination | None:
        """The termination of a forfeit; None for anything else."""
        return _FORFEITS.get(self.what)


_FORFEITS = {IncidentKind(termination): termination for termination in FORFEITS}


class OfMatch(Part, frozen=True):
    """Which game of a match this is."""

    id: Id
    """The name that all games of the match share."""
    game: GameOfMatch
    """Which game of the match this is, from 1."""
    games: GameOfMatch
    """How many games the match has."""


class RecordedSeat(Part, frozen=True, kw_only=True, omit_defaults=True):
    """A player of a game."""

    name: Id
    """The bot's name."""
    digest: Word | None
    """SHA-256 over the bot's files; null for a player without any."""
    data_digest: Word | None
    """SHA-256 over the data that a learning player brought along, with the suffix of their file; where
    the limits have data_bytes, the data that it left. Null without any."""
    author: Text
    """Who wrote it, in its own words or those of its manifest."""
    own_name: Text | UnsetType = UNSET
    """The name that the program reports; left out if it reports no name."""
    placed: Ships = ()
    """The ships that it had placed one by one when the game ended before all were placed."""
    wire: Word | None
    """The protocol that it spoke; null for a player that is not a program."""
    dialect: Word | None
    """The dialect of the wire, where it has several."""
    launch: Literal["exec", "fork"] | None
    """How its program was started; null for a player that is not a program."""
    seed: Seed
    """Its BOT_SEED."""
    fleet: Ships | None
    """Its fleet; null if it never placed a legal one."""
    ms: Milliseconds | None
    """How long placing took, in milliseconds."""

    @classmethod
    def of(cls, name: str, **known: Any) -> Self:
        """A player before its game. A field that is not given is null, and the seed is 0."""
        return cls(**{**_UNKNOWN, **known, "name": name})


_UNKNOWN: dict[str, Any] = {
    "author": "",
    "seed": 0,
    **dict.fromkeys(("digest", "data_digest", "wire", "dialect", "launch", "fleet", "ms")),
}

_DRAWN = {
    "type": "array",
    "description": "The lengths of the ships; drawn already, where the rules draw them.",
}


class GameRecord(Document, frozen=True, kw_only=True):
    """One game, whole: enough to judge it again."""

    CALLED: ClassVar = "game record"
    FAULT: ClassVar = RecordError
    IS_WHOLE: ClassVar = True
    MOST_BYTES: ClassVar = 64 * 2**20
    SHORT_ROWS: ClassVar = ("incidents",)

    version: Literal[1]
    """The version of this format."""
    id: Id
    """The identifier that tells this game from all others of its run or ledger."""
    number: Annotated[int, Meta(ge=1, le=10**9)] | None
    """Its running number in a ledger, under which people name it; null outside of one."""
    match: OfMatch | None
    """The match that this game belongs to; null for a game by itself."""
    rules: Annotated[Rules, Meta(extra_json_schema={"properties": {"fleet": _DRAWN}})]
    """The rules in force, with the fleet of this very game."""
    rated: bool
    """Whether it counts; a void or aborted game, or one of a player without a name, does not."""
    seed: Seed | None
    """The seed of the judge's luck in this game: fleets and ships that it draws; null where no seed
    says how it went."""
    first: Seat
    """The seat that moves first."""
    isolation: IsolationLevel
    """The isolation that held the bots."""
    host: Text | None
    """The machine that it was played on, where that is not the judge's own."""
    enforcement: Annotated[tuple[Id, ...], Meta(max_length=100)]
    """By what means, where machines differ in that, as `memory: cgroup v2`."""
    limits: Limits
    """The limits in force for each move."""
    seats: Annotated[tuple[RecordedSeat, ...], Meta(min_length=2, max_length=100)]
    """The players, seat by seat."""
    shots: Annotated[tuple[RecordedShot, ...], Meta(max_length=MOST_SHOTS)]
    """Every shot in order."""
    incidents: Annotated[tuple[Incident, ...], Meta(max_length=MOST_SHOTS)]
    """The events besides shots."""
    outcome: Outcome
    """How it ended; seats, or null for nobody."""
    started: Word
    """When it began, UTC, as ISO 8601; empty if that is not known."""
    finished: Word
    """When it ended, UTC, as ISO 8601; empty if that is not known."""

    def __post_init__(self) -> None:
        """Refuse a fleet that is still to be drawn, and what is not a time, with a ValueError."""
        if isinstance(self.rules.fleet, Draw):
            raise ValueError("the fleet of its rules is still to be drawn")  # noqa: TRY004 - a ValueError becomes a sentence
        for field, time in (("started", self.started), ("finished", self.finished)):
            try:
                moment(time)
            except ValueError:
                raise ValueError(f"{field}: {time!r} is not a time") from None

    @property
    def display_name(self) -> str:
        """The display name of the game: its number in a ledger, as ``#12``, or else its id."""
        return self.id if self.number is None else f"#{self.number}"

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The evidence in the outcome; empty if the outcome has no evidence."""
        return self.outcome.evidence or ()


def moment(time: str) -> datetime | None:
    """When a record says that something was; None where it does not. Raises ValueError if that is
    no time."""
    if not time:
        return None
    found = datetime.fromisoformat(time)
    return found.replace(tzinfo=found.tzinfo or UTC)


def shortened(sentence: str, most: int = MOST_SAID) -> str:
    """A sentence as records have room for it, whatever a player had it quote."""
    return sentence if len(sentence) <= most else f"{sentence[: most - 2]} …"
