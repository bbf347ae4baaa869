"""The documents `test` and `test-event` (a line of --jsonl), which `judge test` prints."""

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
    """The source of the fleets of a test."""

    RANDOM = "random"
    PLACEMENTS = "placements"
    AGAINST = "against"


class Spread(Part, frozen=True, kw_only=True):
    """Statistics of one number for each board that the bot cleared."""

    mean: Figure
    """The mean."""
    se: Figure | None
    """The standard error of the mean; null for one board."""
    sd: Figure | None
    """The standard deviation from board to board; null for one board."""
    min: Figure
    """The least number."""
    max: Figure
    """The greatest number."""
    median: Figure
    """The median."""


class Misses(Part, frozen=True, kw_only=True):
    """Mean misses a board, over the boards that the bot cleared."""

    mean: Figure
    """All misses."""
    search: Figure
    """Misses while no ship afloat had a hit."""
    destroy: Figure
    """Misses while a ship afloat had a hit."""


class ShotsAndBoards(Part, frozen=True, array_like=True):
    """A number of shots, and the number of boards that took this number of shots."""

    shots: Count
    """The number of shots."""
    boards: Boards
    """The number of boards that took this number of shots."""


class TestedBot(Part, frozen=True, kw_only=True):
    """The results of one bot. A board that it did not clear counts in `forfeits` and `ms` alone."""

    name: BotName
    """The bot's name."""
    cleared: Count
    """The number of boards that the bot cleared."""
    shots: Spread | None
    """Shots a board; null if the bot cleared no board."""
    turns: Spread | None
    """Turns a board; null if the bot cleared no board. A turn is a volley, or a single shot, or all
    shots up to a miss if a hit gives another shot."""
    misses: Misses | None
    """Misses a board; null if the bot cleared no board."""
    histogram: tuple[ShotsAndBoards, ...]
    """The number of boards for each number of shots that occurred: [shots, boards], from the fewest
    shots."""
    perfect: Count
    """Boards that the bot cleared without a miss."""
    forfeits: dict[Uncleared, Boards]
    """The number of boards that the bot did not clear, by termination; terminations that did not
    occur are left out."""
    ms: MoveTimes | None
    """Milliseconds a move (the placing, and each shot or volley); null if the bot never ran."""


class TestedPair(Part, frozen=True, kw_only=True):
    """The comparison of two bots on the boards that both cleared."""

    a: BotName
    """The name of the first bot."""
    b: BotName
    """The name of the second bot."""
    boards: Count
    """The number of boards that both bots cleared."""
    difference: float | None
    """How many more shots a board `a` needed than `b`, on average; null without a board."""
    interval_95: Interval | None
    """Student's 95% interval of `difference`: lower and upper limit. Null for fewer than two
    boards, or if the difference is the same on all boards."""


class ShootingReport(Report, frozen=True, kw_only=True):
    """The document that `judge test --json` prints: the shots that each bot needed to clear the
    same boards, alone against an opponent that never shoots."""

    CALLED: ClassVar = "test of shooting"

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["test"] = "test"
    """The kind of this document."""
    boards: Boards
    """The number of boards that each bot was to clear."""
    seed: RunSeed
    """The seed from which the drawn fleets and the bots' seeds come. Text, as --seed takes it."""
    fleets: FleetsFrom
    """The source of the fleets. `random`: drawn from the seed. `placements`: a file. `against`: a
    bot that was asked to place them."""
    against: BotName | None
    """The bot that placed the fleets; null if no bot did."""
    rules: Rules
    """The rules by which the bots were asked for moves."""
    dialect: str | None
    """The dialect that all bots speak; null if they speak different ones."""
    launch: Launch
    """How the bots were started."""
    isolation: Level
    """The isolation that held the bots."""
    limits: Limits
    """The limits in force for each move."""
    bots: Annotated[tuple[TestedBot, ...], Meta(min_length=1)]
    """The bots, in the order in which the user named them."""
    pairs: tuple[TestedPair, ...]
    """Every two bots, compared board by board."""
    faults: tuple[Unplayed, ...]
    """The boards that the judge could not let a bot play. They count nowhere."""


class ShootingEvent(Event, frozen=True, kw_only=True):
    """A line of `judge test --jsonl`."""

    CALLED: ClassVar = "test event"
    ALSO: ClassVar = (Failed,)


class BotToTest(Part, frozen=True, kw_only=True):
    """A bot that is about to be tested."""

    name: BotName
    """The bot's name."""
    digest: str | None
    """SHA-256 over the bot's files."""


class ShootingStart(ShootingEvent, frozen=True, kw_only=True):
    """The first line: the test that is about to run."""

    event: Literal["start"] = "start"
    """The kind of event."""
    bots: Annotated[tuple[BotToTest, ...], Meta(min_length=1)]
    """The bots to be tested."""
    boards: Boards
    """The number of boards that each bot is to clear."""
    seed: RunSeed
    """The seed from which the drawn fleets and the bots' seeds come. Text, as --seed takes it."""
    fleets: FleetsFrom
    """The source of the fleets. `random`: drawn from the seed. `placements`: a file. `against`: a
    bot that is asked to place them."""
    against: BotName | None
    """The bot that places the fleets; null if no bot does."""
    rules: Rules
    """The rules by which the bots are asked for moves."""
    dialect: str | None
    """The dialect that all bots speak; null if they speak different ones."""
    launch: Launch
    """How the bots are started."""
    isolation: Level
    """The isolation that holds the bots."""
    limits: Limits
    """The limits in force for each move."""


class BoardPlayed(ShootingEvent, frozen=True, kw_only=True):
    """A line on one bot's play on one board. The lines go board by board, then bot by bot."""

    event: Literal["board"] = "board"
    """The kind of event."""
    board: Boards
    """The number of the board, from 1."""
    bot: BotName
    """The bot's name."""
    shots: Count | None
    """The shots that the bot needed; null if it did not clear the board."""
    turns: Count | None
    """The turns that the bot needed; null if it did not clear the board."""
    search: Count | None
    """Misses while no ship afloat had a hit; null if the bot did not clear the board."""
    destroy: Count | None
    """Misses while a ship afloat had a hit; null if the bot did not clear the board."""
    record: Annotated[dict[str, Any], WHOLE_RECORD]
    """The record of the game: the bot is in seat 0, and seat 1 skips every turn."""


class ShootingEnd(ShootingEvent, frozen=True, kw_only=True):
    """The last line: the result of the test."""

    event: Literal["end"] = "end"
    """The kind of event."""
    test: ShootingReport
    """The document that `judge test --json` prints."""
