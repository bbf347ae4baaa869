"""A game that another machine is to play: `task`, and `task-result` for what became of it."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from judge.documents import json_files
from judge.documents.codec import Document, Part
from judge.documents.game import Limits, Milliseconds, Seat
from judge.documents.reports import Launch, Level
from judge.documents.rules import Fleet, Rules

GameId = Annotated[str, Meta(min_length=1, max_length=1000)]
WholeSeed = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Digest = Annotated[str, Meta(pattern=r"^sha256:[0-9a-f]{64}(?![\s\S])")]
Word = Annotated[str, Meta(max_length=100)]
Reason = Annotated[str, Meta(max_length=10_000)]


class TaskSeat(Part, frozen=True):
    """A bot in a seat."""

    name: Annotated[str, Meta(min_length=1, max_length=1000)]
    """The bot's name, which no other of the run has."""
    digest: Digest
    """The digest of its files."""
    seed: WholeSeed
    """Its BOT_SEED."""
    wires: Annotated[tuple[Word, ...], Meta(max_length=100)] = ()
    """The protocols that it speaks; none, if that is left to the rules."""
    dialect: Word = ""
    """The dialect that it speaks of its wire; empty for the usual one."""


class TaskGame(Part, frozen=True):
    """A further game of a match."""

    id: GameId
    """The id of the game."""
    seed: WholeSeed
    """The seed of the judge's own luck."""
    first: Seat
    """The seat that moves first."""


class Task(Part, frozen=True):
    """A game, or a match."""

    id: GameId
    """The id of the game; of a match, of its first game."""
    seed: WholeSeed
    """The seed of the judge's own luck."""
    first: Seat
    """The seat that moves first."""
    seats: Annotated[tuple[TaskSeat, ...], Meta(min_length=1, max_length=100)]
    """Who plays, seat by seat."""
    board: Annotated[Fleet, Meta(max_length=100)] | None = None
    """The legal fleet that one bot alone is to find; null where bots play each other."""
    rest: Annotated[tuple[TaskGame, ...], Meta(max_length=100_000)] = ()
    """The further games of the match; none where it is a game."""


class Terms(Part, frozen=True, kw_only=True):
    """How games are played, whichever they are."""

    rules: Rules
    """The rules."""
    dialect: Word | None
    """The dialect of the bots' wires; null where each has its own."""
    launch: Launch
    """How each move is started."""
    isolation: Level
    """The level of isolation, by its name: who plays the game holds the bots by what its own machine
    has."""
    limits: Limits
    """The limits of each move."""


class SentTask(Document, frozen=True, kw_only=True):
    """A game that another machine is to play: all that it needs but for the files of the bots, which are
    named by their digests."""

    CALLED: ClassVar = "task"
    MOST_BYTES: ClassVar = 2**28
    MOST_VALUES: ClassVar = json_files.MOST_OF_GAMES

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["task"] = "task"
    """The kind of this document."""
    terms: Terms
    """How the game is played."""
    game: Task
    """The game, or match."""


class UnfitBot(Part, frozen=True):
    """A bot that cannot run there."""

    digest: Digest
    """The digest of its files."""
    reason: Annotated[str, Meta(min_length=1, max_length=10_000)]
    """Why, as where an interpreter is missing."""


class TaskResult(Document, frozen=True, kw_only=True):
    """The result of a task on another machine: the record of its game, or why it was not played."""

    CALLED: ClassVar = "result of a task"
    MOST_BYTES: ClassVar = 2**28
    MOST_VALUES: ClassVar = json_files.MOST_OF_GAMES

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["task-result"] = "task-result"
    """The kind of this document."""
    refused: Reason | None = None
    """Why the game cannot be played there, as without the isolation that is asked for; else null."""
    unfit: Annotated[tuple[UnfitBot, ...], Meta(max_length=100)] = ()
    """The bots that cannot run there."""
    ms: Milliseconds = 0
    """How many milliseconds the game took."""
    records: Annotated[
        tuple[
            Annotated[
                dict[str, Any],
                Meta(extra_json_schema={"$ref": "urn:battleships-judge:game-record:1"}),
            ],
            ...,
        ],
        Meta(max_length=100_000),
    ] = ()
    """The record of the game, or those of the match; none if it could not be played."""
    fault: Reason | None = None
    """The obstacle that kept the judge from playing it; else null."""
    busy: bool = False
    """Whether the machine had too much to do, so that the game is to be played again alone."""
