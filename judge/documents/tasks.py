"""The documents `task`, a game that another machine is to play, and `task-result`, its answer."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, field

from judge.documents import json_files
from judge.documents.codec import Document, Part
from judge.documents.game import GameRecord, Limits, Seat
from judge.documents.reports import Launch, Level
from judge.documents.rules import Fleet, Rules
from judge.errors import JudgeFault

GameId = Annotated[str, Meta(min_length=1, max_length=1000)]
WholeSeed = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Digest = Annotated[str, Meta(pattern=r"^sha256:[0-9a-f]{64}(?![\s\S])")]
Word = Annotated[str, Meta(max_length=100)]
Reason = Annotated[str, Meta(max_length=10_000)]


class TaskSeat(Part, frozen=True):
    """A bot in a seat."""

    name: Annotated[str, Meta(min_length=1, max_length=1000)]
    """The bot's name, which no other bot of the run has."""
    digest: Digest
    """The digest of the bot's files."""
    seed: WholeSeed
    """The bot's BOT_SEED."""
    wires: Annotated[tuple[Word, ...], Meta(max_length=100)] = ()
    """The wires that the bot speaks; empty for the usual one of the rules."""
    dialect: Word = ""
    """The dialect of the wire in which the bot is asked; empty for the usual one."""


class TaskGame(Part, frozen=True):
    """A further game of a match."""

    id: GameId
    """The id of the game."""
    seed: WholeSeed
    """The seed from which the judge draws fleets and ship lengths."""
    first: Seat
    """The seat that moves first."""


class Task(Part, frozen=True):
    """A game or a match that is to be played."""

    id: GameId
    """The id of the game, or of a match's first game."""
    seed: WholeSeed
    """The seed from which the judge draws fleets and ship lengths."""
    first: Seat
    """The seat that moves first."""
    seats: Annotated[tuple[TaskSeat, ...], Meta(min_length=1, max_length=100)]
    """The bots, seat by seat."""
    board: Annotated[Fleet, Meta(max_length=100)] | None = None
    """The fleet that one bot alone is to find; null if bots play each other."""
    rest: Annotated[tuple[TaskGame, ...], Meta(max_length=100_000)] = ()
    """The further games of a match; empty for a single game."""


class Terms(Part, frozen=True, kw_only=True):
    """The conditions under which a game is played."""

    rules: Rules
    """The rules."""
    dialect: Word | None
    """The dialect of all bots that name no dialect; null for the usual one of each wire."""
    launch: Launch
    """How programs are started."""
    isolation: Level
    """The level of isolation. The machine that plays the game applies it by its own means."""
    limits: Limits
    """The limits of each move."""


class SentTask(Document, frozen=True, kw_only=True):
    """A game that another machine is to play. It names the bots' files only by their digests."""

    CALLED: ClassVar = "task"
    FAULT: ClassVar = JudgeFault
    MOST_BYTES: ClassVar = 2**28
    MOST_VALUES: ClassVar = json_files.MOST_OF_GAMES

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["task"] = "task"
    """The kind of this document."""
    terms: Terms
    """The conditions of the game."""
    game: Task
    """The game or the match."""


class TaskResult(Document, frozen=True, kw_only=True):
    """The answer to a task: the records of its games, or why this machine cannot play them."""

    CALLED: ClassVar = "result of a task"
    FAULT: ClassVar = JudgeFault
    MOST_BYTES: ClassVar = 2**28
    MOST_VALUES: ClassVar = json_files.MOST_OF_GAMES

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["task-result"] = "task-result"
    """The kind of this document."""
    unfit: Annotated[dict[str, Reason], Meta(max_length=100)] = field(default_factory=dict)
    """Why bots cannot run on the machine, for example for want of an interpreter, by the digest of
    the bot's files. The digest is empty if no bot can run, for example for want of isolation."""
    records: Annotated[tuple[GameRecord, ...], Meta(max_length=100_000)] = ()
    """The record of each game that was played; empty if bots cannot run on the machine."""
