"""The answers of a hosted ladder to programs, under ``/api/``. Further answers are `StandingsDocument`,
`GameRecord` and `judge.documents.host.Upload`."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, Self

from msgspec import Meta

from judge.documents.codec import Document, Part, Report
from judge.documents.game import Seat, Termination
from judge.documents.host import UploadNumber, UploadState
from judge.documents.ledger import Count, GameResult, Name, Number, Points
from judge.documents.reports import BotName, Interval
from judge.documents.standings import Row

MOST_REPLY = 2**20  # bytes


class BotInBrief(Part, frozen=True, kw_only=True):
    """A bot in the list of all bots. Each field is that of the bot's row in the standings."""

    name: BotName
    """The bot's name."""
    version: Number
    """The number of the bot's version."""
    points: Points
    """The bot's points."""
    elo: float
    """The strength of the version in Elo."""
    elo_95: Interval
    """The 95% interval of `elo`: lower and upper limit."""
    rank_95: tuple[Number, Number]
    """The 95% interval of the rank by strength: best and worst rank."""
    games: Count
    """The bot's games that count."""

    @classmethod
    def of(cls, row: Row) -> Self:
        return cls(**{name: getattr(row, name) for name in cls.__struct_fields__})


class LadderBots(Report, frozen=True, kw_only=True):
    """The answer of `/api/bots`: every bot in brief."""

    CALLED: ClassVar = "list of bots"

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["ladder-bots"] = "ladder-bots"
    """The kind of this document."""
    bots: tuple[BotInBrief, ...]
    """The bots, in the order of the standings."""


class LadderGame(Report, frozen=True, kw_only=True):
    """A game in brief, as lists of games have it, and each event of `/api/feed` as its data."""

    CALLED: ClassVar = "game of a ladder"

    number: Number
    """The number of the game in the ledger."""
    names: Annotated[tuple[Name, ...], Meta(min_length=2, max_length=2)]
    """The bots' names, seat by seat."""
    winner: Seat | None
    """The seat that won; null if nobody won."""
    termination: Termination
    """Why the game ended."""
    shots: Count | None
    """The shots of a winner by play; null if nobody won, or by a forfeit."""
    counts: bool
    """Whether the game counts in the standings."""

    @classmethod
    def of(cls, number: int, result: GameResult, *, counts: bool) -> Self:
        return cls(
            number=number,
            names=result.names,
            winner=result.winner,
            termination=result.termination,
            shots=result.shots,
            counts=counts,
        )


class LadderBot(Report, frozen=True, kw_only=True):
    """The answer of `/api/bots/NAME`: a bot and its latest games."""

    CALLED: ClassVar = "bot of a ladder"

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["ladder-bot"] = "ladder-bot"
    """The kind of this document."""
    bot: Row
    """The bot's row in the standings."""
    latest: tuple[LadderGame, ...]
    """The bot's latest games, the newest first."""


class LadderGames(Report, frozen=True, kw_only=True):
    """The answer of `/api/games`: the latest games, or those before a number."""

    CALLED: ClassVar = "list of games"

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["ladder-games"] = "ladder-games"
    """The kind of this document."""
    games: tuple[LadderGame, ...]
    """The games, the newest first."""


class UploadReply(Document, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """The facts of an upload that `judge submit` reads from a ladder's reply."""

    CALLED: ClassVar = "reply about an upload"
    MOST_BYTES: ClassVar = MOST_REPLY

    number: UploadNumber
    """The number of the upload among all uploads."""
    state: UploadState
    """The state of the upload."""
    report: str
    """The report of the check, or why there was no check; empty while the upload waits."""


class Refusal(Document, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """A ladder's answer to a request under `/api/` that it refuses."""

    CALLED: ClassVar = "refusal"
    MOST_BYTES: ClassVar = MOST_REPLY

    error: str
    """The reason, as a sentence."""
