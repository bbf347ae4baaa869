"""The documents of `judge ledger verify` and `judge bots`, the lines of a server's log, and parts
that several documents share."""

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
    """How programs are started. `auto` forks a bot if it behaves the same when it is forked."""

    AUTO = "auto"
    EXEC = "exec"
    FORK = "fork"


class Level(StrEnum):
    """The levels of isolation, the strictest first."""

    BWRAP = "bwrap"
    LIMITS = "limits"
    NONE = "none"


class MoveTimes(Part, frozen=True, kw_only=True):
    """Milliseconds a move."""

    median: Figure
    """The median; exact to half a percent."""
    p99: Figure
    """The 99th percentile; exact to half a percent."""
    max: Figure
    """The longest move."""


class Unplayed(Part, frozen=True, kw_only=True):
    """A game or a board that the judge could not play."""

    id: Annotated[str, Meta(min_length=1)]
    """The id of the game. A board's id is its seed, its number, and the bot's number from 1."""
    message: str
    """Why the judge could not play it."""


class Event(Report, frozen=True, kw_only=True):
    """A line that a command prints with --jsonl."""

    version: Literal[1] = 1
    """The version of this format."""


class Failed(Event, frozen=True, kw_only=True):
    """A line on a game or a board that the judge could not play. Such a game is nobody's loss."""

    event: Literal["fault"] = "fault"
    """The kind of event."""
    id: Annotated[str, Meta(min_length=1)]
    """The id of the game. A board's id is its seed, its number, and the bot's number from 1."""
    message: str
    """Why the judge could not play it."""


class Verification(Report, frozen=True, kw_only=True):
    """The document that `judge ledger verify --json` prints: the faults found in a replay of all
    games of a ledger, a page or a log."""

    CALLED: ClassVar = "verify"

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["verify"] = "verify"
    """The name of this document."""
    intact: bool
    """Whether there are no problems."""
    games: Count
    """All games of the ledger, page or log, also games that do not count."""
    void: Count = 0
    """Games that count for nobody because of their termination."""
    voided: Count = 0
    """Games that an order takes out of the count by their numbers."""
    disqualified_games: Count = 0
    """Other games that do not count because a bot in them is disqualified."""
    unfinished: Count = 0
    """Games of matches that are not over, if the rules count matches."""
    behind: Count = 0
    """Games in the journal that ledger.json does not count yet; 0 if there are problems. The next
    command that writes to the ledger counts them."""
    torn: Count = 0
    """Bytes after the last whole line of the journal, left by a crash or still being written; 0 if
    there are problems. The next command that writes to the ledger moves them into a file."""
    problems: tuple[Annotated[str, Meta(min_length=1)], ...] = ()
    """The faults, a sentence each, with the line of the journal if the fault has one."""
    broken_off: Count = 0
    """Games that a log breaks off before their end."""


class BundledBot(Bundled, frozen=True, kw_only=True):
    """A bundled bot, and the rules that it can play."""

    games: tuple[str, ...]
    """The rules that the bot can play, by name."""
    shots: float | None
    """The mean shots with which the bot clears a random board, by the rules that were asked about
    or else by the first of `games`; null if that was not measured."""
    wire: str | None = None
    """The wire over which the bot plays the rules that were asked about; null if it cannot, or if
    no rules were asked about."""
    cannot_play: str | None = None
    """Why the bot cannot play the rules that were asked about; null if it can, or if no rules were
    asked about."""


class BundledBots(Report, frozen=True, kw_only=True):
    """The document that `judge bots --json` prints: the bots that come with the judge."""

    CALLED: ClassVar = "bundled bots"

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["bots"] = "bots"
    """The name of this document."""
    rules: str | None
    """The name of the rules that were asked about; null if no rules were."""
    wires: dict[str, str | None] | None
    """Every wire, with the reason why it cannot express the rules that were asked about, or with
    null if it can. The whole field is null if no rules were asked about."""
    bots: tuple[BundledBot, ...]
    """Every bundled bot. The bot that clears a board in the fewest shots comes first. If no rules
    were asked about, bots with the same first game stand together."""


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
    """A line of the log of `judge serve` with --log-format json: on standard output, or in the file
    of --log. The text of a field begins with the events that have the field."""

    CALLED: ClassVar = "server event"

    version: Literal[1] = 1
    """The version of this format."""
    event: ServerEventKind
    """The kind of event."""
    time: Annotated[str, Meta(max_length=40)]
    """The time of the event, UTC, as ISO 8601."""
    text: str
    """The event in a sentence."""
    host: str | UnsetType = UNSET
    """listening: the address."""
    port: Annotated[int, Meta(ge=1, le=65_535)] | UnsetType = UNSET
    """listening: the port."""
    url: str | UnsetType = UNSET
    """page: the address of the live page."""
    client: str | UnsetType = UNSET
    """joined, left, refused, dropped, sent, received: the client's address and port; empty if the
    client is gone."""
    name: str | UnsetType = UNSET
    """joined, left, said, skipped: the player's name."""
    room: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    """began, skipped, ended: the number of the game at this server and on its live page, from 1."""
    a: str | UnsetType = UNSET
    """began: the name of the player who came first."""
    b: str | UnsetType = UNSET
    """began: the name of the player who came second."""
    number: Annotated[int, Meta(ge=1)] | UnsetType | None = UNSET
    """ended: the number of the game in the ledger; null if the ledger does not have the game."""
    winner: str | UnsetType | None = UNSET
    """ended: the name of the winner; null if nobody won."""
    termination: str | UnsetType = UNSET
    """ended: why the game ended, as in a game record."""
    error: str | UnsetType = UNSET
    """bug, unkept: what went wrong."""
    message: str | UnsetType = UNSET
    """sent, received: the line without its line feed; left out if the line is too long."""
