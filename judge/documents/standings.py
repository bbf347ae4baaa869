"""The documents that `judge standings` and `judge rank` print: `standings`, and the `rank-event`
lines of --jsonl."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from judge.documents.codec import Part, Report
from judge.documents.game import WHOLE_RECORD, Limits, RunSeed
from judge.documents.ledger import MOST_SEATS, Number, PlanInBrief, Points
from judge.documents.reports import (
    BotName,
    Cause,
    Count,
    Event,
    Failed,
    Figure,
    Interval,
    Launch,
    Level,
    Rate,
    Times,
)
from judge.documents.rules import Rules

Two = tuple[BotName, BotName]
HalfPoints = tuple[Figure, Figure]
ColumnName = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,39}(?![\s\S])")]
Place = Annotated[
    dict[ColumnName, str | int | float | bool | None],
    Meta(extra_json_schema={"required": ["name", "rank", "points"]}),
]
SeatPoints = Annotated[tuple[Points, ...], Meta(min_length=2, max_length=MOST_SEATS)]


class Conditions(Part, frozen=True):
    """The conditions that all games of a table share."""

    rules: Rules
    """The rules; how the fleet is drawn, if they draw it for each game."""
    limits: Limits
    """The limits in force for each move."""


class Matches(Part, frozen=True):
    """The matches that a bot has played to their end."""

    played: Count
    """How many."""
    won: Count
    """Won, by more games, or by the opponent's forfeit."""
    lost: Count
    """Lost."""
    tied: Count
    """Tied."""


class Row(Part, frozen=True, kw_only=True):
    """A bot, as it is in one version."""

    rank: Number
    """Its place, by points or as the contest's format has it, or by Elo with `--by elo`; bots that stand
    alike share one."""
    name: BotName
    """The bot's name."""
    version: Number
    """Which of its versions: they are counted in the order in which they first played."""
    versions: Number
    """How many versions it has had."""
    current: bool
    """Whether this is the bot's own row; false for those of earlier versions."""
    points: Points
    """Its points by the percentage rule, of all versions together since it was last reset, not
    rounded."""
    points_shuffled: Points
    """Its points averaged over random orders of the same games or matches, always the same ones: the
    rule without the luck of the order of play."""
    games: Count
    """Its games that count."""
    won: Count
    """Games that it won."""
    lost: Count
    """Games that it lost, by forfeit or not."""
    tied: Count
    """Games that nobody won; never a void one."""
    matches: Matches | None
    """The matches that count; null if the rules count games."""
    forfeits: dict[Cause, Times]
    """Games it forfeited, by cause; causes that did not occur are left out. Those of void games are in
    it, so there can be more forfeits than losses."""
    win_rate: Rate | None
    """Wins and half the ties, over its games that count, or over its matches if the rules count
    these; null if no game counts."""
    elo: float
    """The strength of this version by Bradley and Terry's model of who beat whom, in Elo; 0 is the mean
    of the rows."""
    elo_95: Interval
    """The 95% interval of `elo`: lower and upper limit."""
    rank_95: tuple[Number, Number]
    """The best and the worst rank by strength that the games leave possible, with 95%."""
    order_supported: bool | None
    """Whether the games show, with 95%, that it is stronger than the next bot of this list; null for the
    last, and for earlier versions."""
    shots_to_win_mean: Figure | None
    """Its shots in the games that it won and no forfeit ended, on average; null if it won no such
    game."""
    volleys_to_win_mean: Figure | None
    """Its volleys, the shots of one turn each, in the same games, on average; in rules without salvos
    every shot is one."""


class Disqualified(Part, frozen=True):
    """A disqualified bot."""

    name: BotName
    """The bot's name."""
    reason: str
    """Why."""


class CrossedPair(Part, frozen=True, kw_only=True):
    """Two bots that meet, and how that went."""

    bots: Two
    """The two bots."""
    points: HalfPoints
    """The points of each: one for a unit that it won, half of one for a tie."""


class StagePair(CrossedPair, frozen=True, kw_only=True):
    """Two bots that meet in a stage."""

    is_over: bool
    """Whether they have met to the end."""


class FormatStage(Part, frozen=True, kw_only=True):
    """Meetings that are played at once."""

    round: Number
    """Its round, from 1."""
    name: str
    """Its name for people."""
    pairs: tuple[StagePair, ...]
    """The pairs."""
    byes: tuple[BotName, ...]
    """The bots that had a bye."""


class FormatStandings(PlanInBrief, frozen=True, kw_only=True):
    """A contest by its format."""

    is_over: bool
    """Whether all of its games are played."""
    winner: str | None
    """The winner; null until the contest is over, and if several share the first place."""
    places: tuple[Place, ...]
    """The bots' places, from the first to the last. Every place has the bot's `name`, its `rank` by the
    format, which bots that stand alike share, and its `points`: units won, a tie half of one; in a
    tournament of matches the matches won, without ties; in a knock-out the rounds that it won. The other
    columns are the format's own, null if they say nothing: `tie_break` parts bots of equal points (in a
    Swiss contest the sum of the opponents' points, in a tournament of matches the games won, without
    ties), `lives` are those that a bot has left, `out` is the round in which it went out, and `byes` is
    how often it had a bye."""
    stages: tuple[FormatStage, ...]
    """The rounds, and the deciders of a knock-out, in their order; empty if every two meet."""
    crossed: tuple[CrossedPair, ...]
    """The results so far of every two, if every two meet."""


class GauntletOpponent(Part, frozen=True, kw_only=True):
    """An opponent. Numbers count games, or matches if the rules count these, from the side of the bot of
    the gauntlet."""

    name: BotName
    """The opponent's name."""
    version: Number
    """Which version of it."""
    won: Count
    """Those won."""
    lost: Count
    """Those lost."""
    tied: Count
    """Those tied."""
    win_rate: Rate | None
    """The share won, with a tie as half a win; null before the first."""
    win_rate_95: tuple[Rate, Rate] | None
    """The 95% interval of it (Wilson)."""


class GauntletTable(Part, frozen=True, kw_only=True):
    """The table of a gauntlet."""

    bot: BotName
    """The bot whose gauntlet it is."""
    version: Number
    """Which version of it."""
    opponents: tuple[GauntletOpponent, ...]
    """The other bots, in the order of the table."""


class StandingsDocument(Report, frozen=True, kw_only=True):
    """The table of a ledger: what `judge standings --json` and `judge rank --json` print."""

    CALLED: ClassVar = "standings"

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["standings"] = "standings"
    """The kind of this document."""
    conditions: Conditions | None
    """The conditions of the games in the table; null before the first game."""
    games: Count
    """The games that count."""
    matches: Count | None
    """The matches that these are, if the rules count matches; otherwise null."""
    void: Count
    """Games that count for nobody by how they ended, as if both bots forfeited before the first shot."""
    voided: Count
    """Games that were taken out of the count by their numbers."""
    disqualified_games: Count
    """Games that do not count because a bot of theirs is disqualified."""
    unfinished: Count
    """Games of matches that are not over, which do not count yet; 0 if games count by themselves."""
    bots: tuple[Row, ...]
    """The rows, from the first to the last: by the contest's format if it has a way of its own, then by
    points, then by name; with every version of a bot, its earlier ones follow its own row."""
    retired: tuple[BotName, ...]
    """Bots that were taken from the table; their games count."""
    disqualified: tuple[Disqualified, ...]
    """Bots whose games do not count."""
    without_games: tuple[BotName, ...]
    """Other bots that have no row, as each of their games was taken out of the count or was with a
    disqualified bot."""
    contest: FormatStandings | None
    """The contest, if its format ranks the bots in its own way; null if the percentage rule does."""
    gauntlet: GauntletTable | None
    """The games of one bot against each of the others, if the contest is its gauntlet."""


class RankEvent(Event, frozen=True, kw_only=True):
    """A line of `judge rank --jsonl`: what happened, as soon as it has. First a `start`, then a `game`
    or a `fault` for every game that was missing, or a `put-off` for a bot whose games are not played,
    then an `end`."""

    CALLED: ClassVar = "rank event"
    ALSO: ClassVar = (Failed,)


class ContestBot(Part, frozen=True):
    """A bot that plays."""

    name: BotName
    """The bot's name."""
    digest: str
    """SHA-256 over the bot's files."""


class LeftOutOfContest(Part, frozen=True):
    """A file or folder that does not play."""

    name: str
    """Its name in the folder."""
    reason: str
    """Why."""


class RankStart(RankEvent, frozen=True, kw_only=True):
    """The first line: what is about to be played."""

    event: Literal["start"] = "start"
    """The kind of event."""
    bots: Annotated[tuple[ContestBot, ...], Meta(min_length=2)]
    """The bots that play, by name."""
    left_out: tuple[LeftOutOfContest, ...]
    """The other files and folders in the folder, which do not play."""
    format: PlanInBrief
    """How the contest is held."""
    seed: RunSeed
    """The seed of the contest. Text, as --seed takes it."""
    games: Count | None
    """How many games the contest has; if that depends on results, how many it can have at most; null if
    --for says how long it goes on."""
    missing: Count | None
    """How many of them are not in the ledger yet, and are about to be played, at most; null if --for
    says how long it goes on."""
    rules: Rules
    """The rules of all games; a fleet that is drawn for each game is still to be drawn."""
    dialect: str | None
    """The dialect of the wire, if it has several."""
    launch: Launch
    """How the bots are started."""
    isolation: Level
    """The isolation that holds the bots."""
    limits: Limits
    """The limits in force for each move."""


class RankGame(RankEvent, frozen=True, kw_only=True):
    """A game has been played, and is in the ledger; in the order of the schedule."""

    event: Literal["game"] = "game"
    """The kind of event."""
    record: Annotated[dict[str, Any], WHOLE_RECORD]
    """The game."""
    points_before: SeatPoints
    """The bots' points before it, seat by seat."""
    points_after: SeatPoints
    """The bots' points after it, seat by seat."""


class RankDeferral(RankEvent, frozen=True, kw_only=True):
    """The games of a bot that are left of this run are not played, for it has forfeited game after game
    by time-out or crash. The same command plays them once its files have changed, and --insist plays
    them all the same."""

    event: Literal["put-off"] = "put-off"
    """The kind of event."""
    bot: BotName
    """The bot's name."""
    row: Annotated[int, Meta(ge=5)]
    """How many games it has forfeited in a row by time-out or crash, up to its last."""
    games: Annotated[int, Meta(ge=1)]
    """How many games are put off, but for those that are put off for another bot already."""


class RankEnd(RankEvent, frozen=True, kw_only=True):
    """The last line. It is missing if the run was interrupted."""

    event: Literal["end"] = "end"
    """The kind of event."""
    standings: StandingsDocument
    """The table."""
