"""The documents that commands print with --json, and the lines of a server's log."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from judge.documents.bots import Bundled
from judge.documents.codec import Part, Report
from judge.documents.game import FORFEITS, Termination

Count = Annotated[int, Meta(ge=0)]
Times = Annotated[int, Meta(ge=1)]
Figure = Annotated[float, Meta(ge=0)]
Rate = Annotated[float, Meta(ge=0, le=1)]
Interval = tuple[float, float]
BotName = Annotated[str, Meta(min_length=1)]
Cause = Annotated[
    str, Meta(extra_json_schema={"enum": [how for how in Termination if how in FORFEITS]})
]


class Launch(StrEnum):
    """How programs are started: by forks where a bot does the same by them, if auto."""

    AUTO = "auto"
    EXEC = "exec"
    FORK = "fork"


class Level(StrEnum):
    """How far programs are held."""

    BWRAP = "bwrap"
    LIMITS = "limits"
    NONE = "none"


class MoveTimes(Part, frozen=True, kw_only=True):
    """Milliseconds a move."""

    median: Figure
    """Half of its moves took no longer; exact to half a percent."""
    p99: Figure
    """99 of 100 moves took no longer; exact to half a percent."""
    max: Figure
    """The longest."""


class Unplayed(Part, frozen=True, kw_only=True):
    """A game or a board that the judge could not play, though it tried twice."""

    id: Annotated[str, Meta(min_length=1)]
    """The game's id; a board's is its seed, its number, and which of the bots, counted from 1."""
    message: str
    """The obstacle that kept the judge from it."""


class Event(Report, frozen=True, kw_only=True):
    """A line that a command prints with --jsonl."""

    version: Literal[1] = 1
    """The version of this format."""


class Failed(Event, frozen=True, kw_only=True):
    """A game or a board that the judge could not play, though it tried twice. It is nobody's loss."""

    event: Literal["fault"] = "fault"
    """The kind of event."""
    id: Annotated[str, Meta(min_length=1)]
    """The game's id; a board's is its seed, its number, and which of the bots, counted from 1."""
    message: str
    """The obstacle that kept the judge from it."""


class Verification(Report, frozen=True, kw_only=True):
    """The findings of `judge ledger verify --json`, which judges all games of a ledger, a page or a log
    again."""

    CALLED: ClassVar = "verify"

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["verify"] = "verify"
    """The name of this document."""
    intact: bool
    """Whether there are no problems."""
    games: Count
    """Games in the journal, those that do not count included."""
    void: Count = 0
    """Games that count for nobody by how they ended."""
    voided: Count = 0
    """Games that an order takes out of the count by their numbers."""
    disqualified_games: Count = 0
    """Other games that do not count, as a bot of theirs is disqualified."""
    unfinished: Count = 0
    """Games of matches that are not over, if the rules count matches."""
    behind: Count = 0
    """Games in the journal that the standings do not know yet, 0 if there are problems; the next
    opening counts them."""
    torn: Count = 0
    """Bytes after the last whole line of the journal, left by a crash or still being written; the next
    opening sets them aside."""
    problems: tuple[Annotated[str, Meta(min_length=1)], ...] = ()
    """The faults, a sentence each, with the line of the journal if the fault has one."""
    broken_off: Count = 0
    """Games of a log that it does not tell to their end; they are judged as far as they go."""


class BundledBot(Bundled, frozen=True, kw_only=True):
    """A bundled bot."""

    games: tuple[str, ...]
    """The names of the rules that it can play, of those that have a name."""
    shots: float | None
    """The mean shots with which it clears a random board of the rules that were asked about, by
    default those of brainjar; null if that was not measured."""
    wire: str | None = None
    """The protocol in which it plays the rules that were asked about; null if it cannot, or if none
    were."""
    cannot_play: str | None = None
    """Why it cannot play the rules that were asked about; null if it can, or if none were."""


class BundledBots(Report, frozen=True, kw_only=True):
    """The document that `judge bots --json` prints: the bots that come with the judge."""

    CALLED: ClassVar = "bundled bots"

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["bots"] = "bots"
    """The name of this document."""
    rules: str | None
    """The name of the rules that were asked about; null if none were."""
    wires: dict[str, str | None] | None
    """Every protocol by its name, with the reason why it cannot express the rules, or null if it can;
    null if no rules were asked about."""
    bots: tuple[BundledBot, ...]
    """Every bundled bot, the strongest in these rules first, by default in those of brainjar."""


class ServerEventKind(StrEnum):
    LISTENING = "listening"
    LEFT_OVER = "left-over"
    JOINED = "joined"
    LEFT = "left"
    REFUSED = "refused"
    DROPPED = "dropped"
    BEGAN = "began"
    SKIPPED = "skipped"
    ENDED = "ended"
    STOPPING = "stopping"
    BUG = "bug"
    SAID = "said"
    CONSOLE = "console"
    UNKEPT = "unkept"
    PAGE = "page"
    SENT = "sent"
    RECEIVED = "received"


class ServerEvent(Report, frozen=True, kw_only=True):
    """A line that `judge serve` prints with --log-format json, or adds to the file of --log."""

    CALLED: ClassVar = "server event"

    version: Literal[1] = 1
    """The version of this format."""
    event: ServerEventKind
    """The kind of event."""
    time: Annotated[str, Meta(max_length=40)]
    """When, in UTC, as ISO 8601."""
    text: str
    """The whole of it in a sentence."""
    host: str | UnsetType = UNSET
    """listening: the address."""
    port: Annotated[int, Meta(ge=1, le=65_535)] | UnsetType = UNSET
    """listening: the port."""
    url: str | UnsetType = UNSET
    """page: the address of the live page."""
    client: str | UnsetType = UNSET
    """joined, left, refused, dropped, sent, received: the client's address and port, empty for one
    that is gone."""
    name: str | UnsetType = UNSET
    """joined, left, said, skipped: the player's name."""
    room: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    """began, skipped, ended: which game of this server, from 1; that of its live page."""
    a: str | UnsetType = UNSET
    """began: who came first."""
    b: str | UnsetType = UNSET
    """began: who came second."""
    number: Annotated[int, Meta(ge=1)] | UnsetType | None = UNSET
    """ended: the number of the game in the ledger."""
    winner: str | UnsetType | None = UNSET
    """ended: who has won; null if nobody has."""
    termination: str | UnsetType = UNSET
    """ended: why the game ended, as in a game record."""
    error: str | UnsetType = UNSET
    """bug, unkept: what went wrong."""
    message: str | UnsetType = UNSET
    """sent, received: the line, without its end; missing of one that is too long."""
