"""The documents that `judge test` prints: `test`, and the `test-event` lines of --jsonl."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from judge.documents.codec import Part, Report
from judge.documents.game import FORFEITS, WHOLE_RECORD, Limits, RunSeed, Termination
from judge.documents.reports import (
    BotName,
    Count,
    Event,
    Failed,
    Figure,
    Interval,
    Launch,
    Level,
    MoveTimes,
    Unplayed,
)
from judge.documents.rules import Rules

Boards = Annotated[int, Meta(ge=1)]
Uncleared = Annotated[
    str,
    Meta(
        extra_json_schema={
            "enum": [how for how in Termination if how in {*FORFEITS, Termination.ROUND_LIMIT}]
        }
    ),
]


class FleetsFrom(StrEnum):
    """The source of the fleets."""

    RANDOM = "random"
    PLACEMENTS = "placements"
    AGAINST = "against"


class Spread(Part, frozen=True, kw_only=True):
    """How many a board, over the boards that the bot cleared."""

    mean: Figure
    """Their mean."""
    se: Figure | None
    """The standard error of the mean; null for one board."""
    sd: Figure | None
    """The standard deviation from board to board; null for one board."""
    min: Figure
    """The fewest."""
    max: Figure
    """The most."""
    median: Figure
    """Half of the boards took no more."""


class Misses(Part, frozen=True, kw_only=True):
    """Misses a board, over the boards that the bot cleared."""

    mean: Figure
    """All of them."""
    search: Figure
    """Those made while there was no open hit: no ship afloat had been hit."""
    destroy: Figure
    """Those made while there was an open hit: a hit on a ship still afloat."""


class ShotsAndBoards(Part, frozen=True, array_like=True):
    """How many boards took how many shots."""

    shots: Count
    """Shots."""
    boards: Boards
    """Boards."""


class TestedBot(Part, frozen=True, kw_only=True):
    """The effort of one bot. A board that it did not clear is in no count but `forfeits` and `ms`."""

    name: BotName
    """The bot's name."""
    cleared: Count
    """The boards that it cleared."""
    shots: Spread | None
    """Shots a board; null if it cleared none."""
    turns: Spread | None
    """Turns a board; null if it cleared none. A turn is what the bot does until its opponent is up: a
    volley where rules have those, and where a hit shoots again all shots up to a miss."""
    misses: Misses | None
    """Misses a board; null if it cleared none."""
    histogram: tuple[ShotsAndBoards, ...]
    """How many boards took how many shots: [shots, boards], from the fewest shots."""
    perfect: Count
    """Boards that it cleared without a miss."""
    forfeits: dict[Uncleared, Boards]
    """How many boards it did not clear, by how they ended; causes that did not occur are left out."""
    ms: MoveTimes | None
    """Milliseconds a move (a move is one run of the bot: placing, and each shot or volley); null if it
    never ran."""


class TestedPair(Part, frozen=True, kw_only=True):
    """Two bots on the boards that both cleared."""

    a: BotName
    """The one."""
    b: BotName
    """The other."""
    boards: Count
    """The boards that both cleared."""
    difference: float | None
    """By how many shots a board `a` needed more than `b`, on average; null without a board."""
    interval_95: Interval | None
    """Its 95% interval (Student's, of the differences board by board): lower and upper limit; null of
    fewer than two boards, and where all of them differ by the same."""


class ShootingReport(Report, frozen=True, kw_only=True):
    """The shots that each of some bots needed to clear the same boards, alone against an opponent
    that never shoots: what `judge test --json` prints."""

    CALLED: ClassVar = "test of shooting"

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["test"] = "test"
    """The kind of this document."""
    boards: Boards
    """How many boards each bot was to clear."""
    seed: RunSeed
    """The seed from which the drawn fleets and the bots' seeds come. Text, as --seed takes it."""
    fleets: FleetsFrom
    """The source of the fleets: drawn by the seed, all equally likely; a file; or a bot that was
    asked to place them."""
    against: BotName | None
    """The bot that placed the fleets, if one did."""
    rules: Rules
    """The rules by which the bots were asked for moves."""
    dialect: str | None
    """The dialect of the wire, where it has several."""
    launch: Launch
    """How the bots were started."""
    isolation: Level
    """The isolation that held the bots."""
    limits: Limits
    """The limits in force for each move."""
    bots: Annotated[tuple[TestedBot, ...], Meta(min_length=1)]
    """The bots, as they were named."""
    pairs: tuple[TestedPair, ...]
    """Every two of them, compared board by board."""
    faults: tuple[Unplayed, ...]
    """The boards that the judge could not let a bot play. They are nobody's fault but the judge's, and
    in no count."""


class ShootingEvent(Event, frozen=True, kw_only=True):
    """A line of `judge test --jsonl`."""

    CALLED: ClassVar = "test event"
    ALSO: ClassVar = (Failed,)


class BotToTest(Part, frozen=True, kw_only=True):
    """A bot that is to be tested."""

    name: BotName
    """Its name."""
    digest: str | None
    """The digest of its files."""


class ShootingStart(ShootingEvent, frozen=True, kw_only=True):
    """The boards about to be played: the first line."""

    event: Literal["start"] = "start"
    """The kind of event."""
    bots: Annotated[tuple[BotToTest, ...], Meta(min_length=1)]
    """The bots."""
    boards: Boards
    """How many boards each bot is to clear."""
    seed: RunSeed
    """The seed from which the drawn fleets and the bots' seeds come. Text, as --seed takes it."""
    fleets: FleetsFrom
    """The source of the fleets: drawn by the seed, all equally likely; a file; or a bot that is
    asked to place them."""
    against: BotName | None
    """The bot that places the fleets, if one does."""
    rules: Rules
    """The rules by which the bots are asked for moves."""
    dialect: str | None
    """The dialect of the wire, where it has several."""
    launch: Launch
    """How the bots are started."""
    isolation: Level
    """The isolation that holds the bots."""
    limits: Limits
    """The limits in force for each move."""


class BoardPlayed(ShootingEvent, frozen=True, kw_only=True):
    """A bot has cleared a board, or failed to; a board at a time, and of each the bots in order."""

    event: Literal["board"] = "board"
    """The kind of event."""
    board: Boards
    """The number of the board."""
    bot: BotName
    """The bot's name."""
    shots: Count | None
    """Shots that it took; null if it was not cleared."""
    turns: Count | None
    """How many turns it took; null if the board was not cleared."""
    search: Count | None
    """Misses while there was no open hit; null likewise."""
    destroy: Count | None
    """Misses while there was an open hit; null likewise."""
    record: Annotated[dict[str, Any], WHOLE_RECORD]
    """The game that was played: the bot is seat 0, and seat 1 skips every turn."""


class ShootingEnd(ShootingEvent, frozen=True, kw_only=True):
    """All boards have been played: the last line."""

    event: Literal["end"] = "end"
    """The kind of event."""
    test: ShootingReport
    """The summary of them."""
