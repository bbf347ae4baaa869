"""A game record: who played a game by which rules, all shots, and how the game ended.

`judge.game.replay` replays a record.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import IntEnum, StrEnum
from typing import Annotated, Any, ClassVar, Literal, Self

from msgspec import UNSET, Meta, UnsetType

from judge.documents.codec import Document, Part
from judge.documents.rules import ANSWER_MS, Cell, Draw, Rules, Ship
from judge.errors import RecordError

MOST_SHOTS = 100_000  # shots of a game, at most
MOST_MS = 10**12  # milliseconds of a shot, at most

# The most characters of an outcome's detail, and of one player's part of it.
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
    """The limits of each move. `timeout_ms` is 2000 unless the rules or the user set another."""

    CALLED: ClassVar = "limits"

    timeout_ms: Annotated[int, Meta(ge=1, le=86_400_000)] = ANSWER_MS
    """Wall time for the reply and the exit, in milliseconds."""
    memory_bytes: Bytes = 256 * 2**20
    """Memory of a program, in bytes."""
    output_bytes: Bytes = 64 * 2**10
    """Standard output of a program, in bytes."""
    data_bytes: Annotated[int, Meta(ge=0, le=2**50)] = 0
    """The most bytes of data that a player may keep from one of its games to the next; 0 for no
    data."""
    cores: Annotated[int, Meta(ge=1, le=1024)] = 1
    """The processors that each game has for itself."""


class Exchange(Part, frozen=True, array_like=True):
    """A question to a program that stays alive, and the reply."""

    sent: Annotated[str, Meta(max_length=1_000_000)]
    """The bytes sent to the program."""
    received: Annotated[str, Meta(max_length=1_000_000)]
    """The bytes that came back."""
    ms: Milliseconds
    """The time from the question to the reply, in milliseconds."""


class Evidence(Part, frozen=True):
    """The run of a program that forfeited, as the judge saw it."""

    CALLED: ClassVar = "evidence"

    seat: Seat
    """The seat of the program; 0 is the first bot named."""
    argv: Annotated[tuple[Annotated[str, Meta(max_length=2**21)], ...], Meta(max_length=10_000)]
    """The command of the program with its arguments."""
    stdout: Annotated[str, Meta(max_length=2**26)]
    """The program's standard output; bytes that are not UTF-8 are written as \\xNN. If the output
    limit cuts the text, its end says so."""
    stderr: Annotated[str, Meta(max_length=2**26)]
    """The first and last 32 KiB of the program's standard error. A text between them says how much
    was left out."""
    exit: Annotated[int, Meta(ge=0, le=255)] | None
    """The program's exit status; null if a signal ended it, or if it was still running. Under
    bwrap, a program that a signal ended has 128 and the signal's number here, as in a shell."""
    signal: Annotated[str, Meta(max_length=100)] | None
    """The signal that ended the program, such as the judge's own SIGKILL after a timeout or too
    much output; null if no signal did."""
    wall_ms: Milliseconds
    """The time from the program's start to its end, or to its loss if it was still running, in
    milliseconds."""
    cpu_ms: Milliseconds | None
    """User and system time of the program and of the children that it waited for, in milliseconds;
    null if it is not known."""
    peak_kib: Annotated[int, Meta(ge=0, le=2**50)] | None
    """The program's peak resident memory in KiB; null if it is not known, since it was less than
    the judge's own."""
    exchanges: Annotated[tuple[Exchange, ...], Meta(max_length=20)] = ()
    """The last exchanges with a program that stays alive, the oldest first."""

    @property
    def answer_ms(self) -> float:
        """The milliseconds that the program took for the move that lost the game."""
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
        """Whether a game with this termination counts."""
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
    """How a game ended."""

    winner: Seat | None
    """The seat that won; null if nobody won."""
    loser: Seat | None
    """The seat that lost; null if no seat lost, or several did."""
    termination: Termination
    """Why the game ended."""
    detail: Annotated[str, Meta(max_length=MOST_DETAIL)] = ""
    """A sentence on each forfeit that ended the game, for the bots' authors, or on why the game was
    broken off; empty otherwise."""
    evidence: Annotated[tuple[Evidence, ...], Meta(min_length=1, max_length=100)] | None = None
    """An entry for each seat that forfeited and had a program; null if there is no such seat."""
    scores: (
        Annotated[tuple[Annotated[int, Meta(ge=0, le=10**9)], ...], Meta(max_length=100)] | None
    ) = None
    """The points of each seat if the goal is `points`, or its ships afloat if the game ended at the
    round limit; null otherwise."""


class Result(IntEnum):
    """The result of a shot. The numbers are those of the published brainjar engine; 0, for a
    repeat, is added."""

    REPEAT = 0  # wasted: the cell was shot at before
    MISS = 1
    HIT = 3
    SUNK = 4

    @property
    def is_hit(self) -> bool:
        """Whether the shot struck a ship at a cell that was not shot at before."""
        return self is HIT or self is SUNK


# Every shot needs these, and Python 3.11 takes a while to find a member of an enum.
MISS, HIT, SUNK = Result.MISS, Result.HIT, Result.SUNK


class RecordedShot(Part, frozen=True, array_like=True, gc=False):
    """A shot, its result, and the time that its seat took for it."""

    seat: Seat
    """The seat that fired it."""
    target: Seat
    """The seat whose board it was fired at."""
    column: Coordinate
    """The column of the cell, from 0."""
    row: Coordinate
    """The row of the cell, from 0."""
    result: Result
    """0 repeat, 1 miss, 3 hit, 4 hit that sank the ship."""
    ms: Milliseconds
    """The milliseconds that the seat took; in a volley the first shot has them, the others 0."""

    @property
    def cell(self) -> Cell:
        return Cell(self.column, self.row)

    @property
    def is_hit(self) -> bool:
        return self.result.is_hit


class IncidentKind(StrEnum):
    """The kind of an incident."""

    SKIP = "skip"
    LEAVE = "leave"
    KICK = "kick"  # the host removed the player
    RETURN = "return"
    # At a table where a turn waits for a player who is gone:
    AWAY = "away"
    BOOT = "boot"  # the host sent the player away
    BACK = "back"
    # Forfeits, by the names of their terminations:
    BAD_OUTPUT = "bad-output"
    ILLEGAL_FLEET = "illegal-fleet"
    ILLEGAL_MOVE = "illegal-move"
    TIMEOUT = "timeout"
    CRASH = "crash"
    LEFT = "left"
    RESIGNED = "resigned"


class Incident(Part, frozen=True, array_like=True):
    """An event of a game that is not a shot."""

    at: Annotated[int, Meta(ge=0, le=MOST_SHOTS)]
    """The number of shots before the incident."""
    seat: Seat
    """The seat of the player."""
    what: IncidentKind
    """`skip`, `leave`, `kick` (the host removed the player), `return`, or the termination of a
    forfeit. At a table where a turn waits for a player who is gone, also `away`, `boot` (the host
    sent the player away) and `back`, which change nothing in the game."""
    detail: Annotated[str, Meta(max_length=MOST_DETAIL)] = ""
    """The sentence on a forfeit in a game of more than two seats; left out otherwise. In a game of
    two, the outcome has this sentence."""

    @property
    def forfeit(self) -> Termination | None:
        """The termination, if the incident is a forfeit; else None."""
        return _FORFEITS.get(self.what)


_FORFEITS = {IncidentKind(termination): termination for termination in FORFEITS}


class OfMatch(Part, frozen=True):
    """The place of a game in its match."""

    id: Id
    """The match's id, which all its games share."""
    game: GameOfMatch
    """The number of this game in the match, from 1."""
    games: GameOfMatch
    """The number of games that the match is to have."""


class RecordedSeat(Part, frozen=True, kw_only=True, omit_defaults=True):
    """A seat of a game, with its player."""

    name: Id
    """The bot's name."""
    digest: Word | None
    """SHA-256 over the bot's files; null for a player without files."""
    data_digest: Word | None
    """SHA-256 over the data file of a learning player, with the file's suffix; null without a data
    file. If data_bytes of the limits is above 0, it is the file that the player left after the
    game, and else the file that it brought along."""
    author: Text
    """The author of the player, by its program or its manifest; empty if neither names one."""
    own_name: Text | UnsetType = UNSET
    """The name that the program reports; left out if it reports no name."""
    placed: Ships = ()
    """The ships that the player had placed one by one, if the game ended before all were placed."""
    wire: Word | None
    """The wire that the player spoke; null for a player that is not a program."""
    dialect: Word | None
    """The dialect of the wire; null for a player that is not a program."""
    launch: Literal["exec", "fork"] | None
    """How the program was started; null for a player that is not a program."""
    seed: Seed
    """The player's BOT_SEED."""
    fleet: Ships | None
    """The player's fleet; null if it never placed a legal one."""
    ms: Milliseconds | None
    """The time of the placing, in milliseconds; null if there was no placing."""

    @classmethod
    def of(cls, name: str, **known: Any) -> Self:
        """The seat of a player before its game. Facts not given are null, the seed 0, the author
        empty."""
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
    """The record of one game, complete enough for a replay."""

    CALLED: ClassVar = "game record"
    FAULT: ClassVar = RecordError
    IS_WHOLE: ClassVar = True
    MOST_BYTES: ClassVar = 64 * 2**20
    SHORT_ROWS: ClassVar = ("incidents",)

    version: Literal[1]
    """The version of this format."""
    id: Id
    """The id of the game, which no other game of the run or ledger has."""
    number: Annotated[int, Meta(ge=1, le=10**9)] | None
    """The game's number in a ledger; null outside of a ledger."""
    match: OfMatch | None
    """The match that this game belongs to; null for a game by itself."""
    rules: Annotated[Rules, Meta(extra_json_schema={"properties": {"fleet": _DRAWN}})]
    """The rules in force, with the fleet of this very game."""
    rated: bool
    """Whether the game counts. A void or aborted game, or a game of a guest, does not."""
    seed: Seed | None
    """The seed from which the judge draws fleets and ship lengths in this game; null if no seed
    determines the game."""
    first: Seat
    """The seat that moves first."""
    isolation: IsolationLevel
    """The isolation that held the bots."""
    host: Text | None
    """The machine that the game was played on; null for the judge's own."""
    enforcement: Annotated[tuple[Id, ...], Meta(max_length=100)]
    """The means of isolation that differ between machines, such as `memory: cgroup v2`."""
    limits: Limits
    """The limits in force for each move."""
    seats: Annotated[tuple[RecordedSeat, ...], Meta(min_length=2, max_length=100)]
    """The players, seat by seat."""
    shots: Annotated[tuple[RecordedShot, ...], Meta(max_length=MOST_SHOTS)]
    """Every shot, in order."""
    incidents: Annotated[tuple[Incident, ...], Meta(max_length=MOST_SHOTS)]
    """The incidents, in order."""
    outcome: Outcome
    """How the game ended."""
    started: Word
    """The time at which the game began, UTC, as ISO 8601; empty if it is not known."""
    finished: Word
    """The time at which the game ended, UTC, as ISO 8601; empty if it is not known."""

    def __post_init__(self) -> None:
        """Raise ValueError if the fleet is still to be drawn, or if a time is not a time."""
        if isinstance(self.rules.fleet, Draw):
            raise ValueError("the fleet of its rules is still to be drawn")  # noqa: TRY004 - a ValueError becomes a sentence
        for field, time in (("started", self.started), ("finished", self.finished)):
            try:
                moment(time)
            except ValueError:
                raise ValueError(f"{field}: {time!r} is not a time") from None

    @property
    def display_name(self) -> str:
        """The display name of the game: its number in a ledger, such as ``#12``, or else its id."""
        return self.id if self.number is None else f"#{self.number}"

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The evidence in the outcome; empty if the outcome has no evidence."""
        return self.outcome.evidence or ()


def moment(time: str) -> datetime | None:
    """The time that a record's text gives, or None for an empty text. UTC is assumed if the text
    names no zone. Raises ValueError if the text is not a time."""
    if not time:
        return None
    found = datetime.fromisoformat(time)
    return found.replace(tzinfo=found.tzinfo or UTC)


def shortened(sentence: str, most: int = MOST_SAID) -> str:
    """A sentence, cut to ``most`` characters if it is longer."""
    return sentence if len(sentence) <= most else f"{sentence[: most - 2]} …"
