"""The documents `standings` and `rank-event` (a line of --jsonl), which `judge standings` and
`judge rank` print."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from judge.documents.codec import Part, Report
from judge.documents.game import WHOLE_RECORD, Limits, RunSeed
from judge.documents.ledger import MOST_SEATS, Number, Plan, PlanNumbers, Points
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
    """The rules. If each game draws its fleet, `fleet` says how."""
    limits: Limits
    """The limits in force for each move."""


class Matches(Part, frozen=True):
    """The counts of a bot's matches that are over, without void matches."""

    played: Count
    """Matches that count."""
    won: Count
    """Matches won, by more games or by the opponent's forfeit."""
    lost: Count
    """Matches lost."""
    tied: Count
    """Matches tied."""


class Row(Part, frozen=True, kw_only=True):
    """A row of the standings: a bot in one of its versions. Counts, means and Elo are those of this
    version alone."""

    rank: Number
    """The rank of the bot: by points, by the contest's format, or by Elo with `--by elo`. Bots that
    stand alike share a rank."""
    name: BotName
    """The bot's name."""
    version: Number
    """The number of the version. Versions are numbered in the order of their first games."""
    versions: Number
    """The number of versions that the bot has had."""
    current: bool
    """Whether the bot is ranked in this version. Other versions have rows only if all are shown."""
    own_name: str
    """The name that the bot's program reports, if it is not the bot's name; empty otherwise."""
    author: str
    """The author as the bot's program or its manifest names it; empty if neither names one."""
    points: Points
    """The bot's points by the percentage rule, since its last reset, not rounded."""
    points_shuffled: Points
    """The bot's points without the luck of the order of play: the mean of the percentage rule over
    random orders of the same games or matches. The random orders are always the same."""
    games: Count
    """Games of this version that count."""
    won: Count
    """Games that this version won."""
    lost: Count
    """Games that this version lost, by forfeit or not."""
    tied: Count
    """Games that this version tied. With more than two bots, those that share the first place
    tie."""
    matches: Matches | None
    """The matches of this version that count; null if the rules count games."""
    forfeits: dict[Cause, Times]
    """Games that this version forfeited, by cause; causes that did not occur are left out. Forfeits
    of void games count here, so there can be more forfeits than losses."""
    win_rate: Rate | None
    """Wins and half the ties, as a share of the version's games that count, or of its matches if
    the rules count matches; null if no game counts."""
    elo: float
    """The strength of this version in Elo, by Bradley and Terry's model. The mean of the rows whose
    games count is 0; a single row is compared with an average player at 0."""
    elo_95: Interval
    """The 95% interval of `elo`: lower and upper limit."""
    rank_95: tuple[Number, Number]
    """The 95% interval of the rank by strength: best and worst rank."""
    order_supported: bool | None
    """Whether the games show, with 95% confidence, that the bot is stronger than the next bot of
    this list; null for the last bot, and for a version in which the bot is not ranked."""
    shots_to_win_mean: Figure | None
    """The version's shots a game, over the games that it won without a forfeit; null if there is no
    such game."""
    volleys_to_win_mean: Figure | None
    """The version's volleys a game, over the games of `shots_to_win_mean`; without salvos each shot
    is a volley. Null if there is no such game."""


class Disqualified(Part, frozen=True):
    """A disqualified bot."""

    name: BotName
    """The bot's name."""
    reason: str
    """Why the bot is disqualified."""


class CrossedPair(Part, frozen=True, kw_only=True):
    """Two bots that meet in a contest, and their points so far."""

    bots: Two
    """The two bots."""
    points: HalfPoints
    """The points of each bot: one for each game or match that it won, a half for a tie."""


class StagePair(CrossedPair, frozen=True, kw_only=True):
    """Two bots that meet in a stage of a contest."""

    is_over: bool
    """Whether all games of the two bots in this stage are over."""


class FormatStage(Part, frozen=True, kw_only=True):
    """A stage of a contest: meetings that do not depend on each other's results."""

    round: Number
    """The round of the stage, from 1."""
    name: str
    """The name of the stage, as people are shown it."""
    pairs: tuple[StagePair, ...]
    """The meetings of the stage."""
    byes: tuple[BotName, ...]
    """The bots that had a bye."""


class PlanInBrief(PlanNumbers, frozen=True, kw_only=True):
    """The plan of a contest, without its bots and its draw."""

    seats: Annotated[int, Meta(ge=3, le=MOST_SEATS)] | UnsetType = UNSET
    """The number of players in a game; left out if it is two."""


def brief_fields(plan: Plan) -> dict[str, Any]:
    """The fields of the `PlanInBrief` of a plan, by their names."""
    brief = {name: getattr(plan, name) for name in PlanInBrief.__struct_fields__}
    return brief if plan.seats > 2 else brief | {"seats": UNSET}


class FormatStandings(PlanInBrief, frozen=True, kw_only=True):
    """The state of a contest, as its format counts it."""

    is_over: bool
    """Whether all games of the contest are played."""
    winner: str | None
    """The winner; null until the contest is over, or if several bots share the first place."""
    places: tuple[Place, ...]
    """The bots' places, from the first to the last. Every place has the bot's `name`, its `rank` by
    the format (bots that stand alike share a rank) and its `points`. The points are the units won,
    with a tie as a half and a bye of a Swiss contest as all units won. In a tournament of matches
    they are the matches won, without ties; in a knock-out the rounds won. A column that the format
    does not use is null. `tie_break` ranks bots of equal points: by the sum of the opponents'
    points in a Swiss contest, by the games won in a tournament of matches. `lives` are the lives
    that the bot has left, `out` is the round in which it went out, and `byes` is the number of its
    byes."""
    stages: tuple[FormatStage, ...]
    """The rounds, and the deciders of a knock-out, in their order; empty if every two bots meet."""
    crossed: tuple[CrossedPair, ...]
    """The results so far of every two bots, if every two bots meet; else empty."""


class GauntletOpponent(Part, frozen=True, kw_only=True):
    """An opponent in a gauntlet, and its results against the bot whose gauntlet it is. Won and lost
    are from the side of that bot, in games, or in matches if the rules count matches."""

    name: BotName
    """The opponent's name."""
    version: Number
    """The number of the opponent's version."""
    won: Count
    """Games or matches won."""
    lost: Count
    """Games or matches lost."""
    tied: Count
    """Games or matches tied."""
    win_rate: Rate | None
    """The share won, with a tie as half a win; null before the first game or match."""
    win_rate_95: tuple[Rate, Rate] | None
    """Wilson's 95% interval of `win_rate`; null before the first game or match."""


class GauntletTable(Part, frozen=True, kw_only=True):
    """The table of a gauntlet."""

    bot: BotName
    """The bot whose gauntlet it is."""
    version: Number
    """The number of that bot's version."""
    opponents: tuple[GauntletOpponent, ...]
    """The other bots, in the order of the standings."""


class StandingsDocument(Report, frozen=True, kw_only=True):
    """The document that `judge standings --json` and `judge rank --json` print: the standings of a
    ledger."""

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
    """The matches that count; null if the rules count games."""
    void: Count
    """Games that count for nobody because of their termination alone: all bots forfeited before the
    first shot, or the game was aborted."""
    voided: Count
    """Games that an order took out of the count by their numbers, with any termination."""
    disqualified_games: Count
    """Games, other than those in `voided`, that do not count because a bot in them is
    disqualified."""
    unfinished: Count
    """Games of matches that are not over, which do not count yet; 0 if the rules count games."""
    ranked_by: Literal["points", "format", "elo"]
    """The measure that ranks the bots: Elo with `--by elo`, else the places of the contest's format
    if it ranks its bots, else points by the percentage rule."""
    bots: tuple[Row, ...]
    """The rows, from the first to the last as `ranked_by` says. Equal bots are sorted by name. If all
    versions are shown, a bot's other versions follow its own row."""
    retired: tuple[BotName, ...]
    """Retired bots, which are not in the table. Their games count."""
    disqualified: tuple[Disqualified, ...]
    """Bots whose games do not count."""
    without_games: tuple[BotName, ...]
    """Other bots without a row: each of their games was taken out of the count, or was with a
    disqualified bot."""
    contest: FormatStandings | None
    """The state of the contest, if its format ranks the bots; null if the percentage rule does, or
    before the first game."""
    gauntlet: GauntletTable | None
    """The table of the gauntlet; null if the contest is not a gauntlet, or its bot has no row."""


class RankEvent(Event, frozen=True, kw_only=True):
    """A line that `judge rank --jsonl` prints as soon as something has happened. The first is a
    `start`, the last an `end`. Between them come a `game` for each added game, a `fault` for each
    game that the judge could not play, and a `put-off` for each bot whose games are put off."""

    CALLED: ClassVar = "rank event"
    ALSO: ClassVar = (Failed,)


class ContestBot(Part, frozen=True):
    """A bot that plays in the contest."""

    name: BotName
    """The bot's name."""
    digest: str
    """SHA-256 over the bot's files."""


class LeftOutOfContest(Part, frozen=True):
    """A file or folder that does not play in the contest."""

    name: str
    """The name in the folder."""
    reason: str
    """Why it does not play."""


class RankStart(RankEvent, frozen=True, kw_only=True):
    """The first line: the contest that is about to be played."""

    event: Literal["start"] = "start"
    """The kind of event."""
    bots: Annotated[tuple[ContestBot, ...], Meta(min_length=2)]
    """The bots that play, by name."""
    left_out: tuple[LeftOutOfContest, ...]
    """The other files and folders in the folder, which do not play."""
    format: PlanInBrief
    """The plan of the contest."""
    seed: RunSeed
    """The seed of the contest. Text, as --seed takes it."""
    games: Count | None
    """The number of games of the contest, or the largest possible number if it depends on results;
    null with --for, which limits the time instead."""
    missing: Count | None
    """The number of these games that the ledger lacks, or the largest possible number; null with
    --for."""
    rules: Rules
    """The rules of all games. If each game draws its fleet, `fleet` says how."""
    dialect: str | None
    """The dialect that all bots speak; null if they speak different ones."""
    launch: Launch
    """How the bots are started."""
    isolation: Level
    """The isolation that holds the bots."""
    limits: Limits
    """The limits in force for each move."""


class RankGame(RankEvent, frozen=True, kw_only=True):
    """A line on a game that was added to the ledger. The lines come in the order of the
    schedule."""

    event: Literal["game"] = "game"
    """The kind of event."""
    record: Annotated[dict[str, Any], WHOLE_RECORD]
    """The record of the game."""
    points_before: SeatPoints
    """The bots' points before the game, seat by seat."""
    points_after: SeatPoints
    """The bots' points after the game, seat by seat."""


class RankDeferral(RankEvent, frozen=True, kw_only=True):
    """A line on a bot whose remaining games are not played in this run, because the bot has
    forfeited game after game by time-out or crash. The same command plays these games once the
    bot's files have changed, or at once with --insist."""

    event: Literal["put-off"] = "put-off"
    """The kind of event."""
    bot: BotName
    """The bot's name."""
    row: Annotated[int, Meta(ge=5)]
    """The number of games in a row that the bot forfeited by time-out or crash, up to its last
    game."""
    games: Annotated[int, Meta(ge=1)]
    """The number of games put off for this bot, without those put off already for another."""


class RankEnd(RankEvent, frozen=True, kw_only=True):
    """The last line: the standings. An interrupted run lacks this line."""

    event: Literal["end"] = "end"
    """The kind of event."""
    standings: StandingsDocument
    """The standings after the last game."""
