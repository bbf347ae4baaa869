"""The documents `fight` and `fight-event` (a line of --jsonl), which `judge fight` prints."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from judge.documents.codec import Part, Report
from judge.documents.game import WHOLE_RECORD, Limits, RunSeed
from judge.documents.ledger import MOST_SEATS, Number, Points
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
    MoveTimes,
    Rate,
    Times,
    Unplayed,
)
from judge.documents.rules import Rules

SEATS = Meta(min_length=2, max_length=MOST_SEATS)
Chance = Annotated[float, Meta(gt=0, lt=0.5)]


class FightBot(Part, frozen=True, kw_only=True):
    """One bot of a fight. Void games count in `forfeits` and `ms` alone."""

    name: BotName
    """The bot's name."""
    wins: Count
    """Games that the bot won."""
    losses: Count
    """Games that the bot lost, by forfeit or not."""
    ties: Count
    """Games that the bot tied. With more than two bots, those that share the first place tie."""
    forfeits: dict[Cause, Times]
    """Games that the bot forfeited, by cause; causes that did not occur are left out. Forfeits of
    void games count here, so there can be more forfeits than losses."""
    win_rate: Rate | None
    """The bot's wins and its share of each game that nobody won (a half between two bots), divided
    by the number of games that count; null if no game counts."""
    win_rate_95: tuple[Rate, Rate]
    """Wilson's 95% interval of `win_rate`: lower and upper limit. A match is one result here."""
    shots_mean: Figure | None
    """The bot's shots a game, over all games that count, whoever won; null if no game counts."""
    misses_mean: Figure | None
    """The bot's shots a game that hit nothing, repeats included, over the games of `shots_mean`."""
    shots_to_win_mean: Figure | None
    """The bot's shots a game, over the games that it won without a forfeit; null if there is no
    such game."""
    volleys_mean: Figure | None
    """The bot's volleys a game, over the games of `shots_mean`."""
    volleys_to_win_mean: Figure | None
    """The bot's volleys a game, over the games of `shots_to_win_mean`."""
    ms: MoveTimes | None
    """Milliseconds a move (the placing, and each shot or volley); null if the bot never ran."""
    points_before: Points | None
    """The bot's points in the ledger before the fight; null if the fight is not rated."""
    points_after: Points | None
    """The bot's points in the ledger after the fight; null if the fight is not rated."""


class FightElo(Part, frozen=True):
    """The difference in strength between the two bots."""

    difference: float
    """How many Elo points stronger the first bot is. If one bot won every game, the estimate adds
    half a win and half a loss."""
    interval_95: Interval
    """The 95% interval of `difference`. The spread of the swapped pairs, if any, sets its width."""
    los: Rate
    """Likelihood of superiority: the probability that the first bot is the stronger one."""


class SequentialTest(Part, frozen=True, kw_only=True):
    """A sequential probability ratio test of two Elo differences, counted in swapped pairs."""

    elo0: float
    """The Elo difference of hypothesis H0."""
    elo1: float
    """The Elo difference of hypothesis H1."""
    alpha: Chance
    """The chance that the test accepts H1 if H0 is true."""
    beta: Chance
    """The chance that the test accepts H0 if H1 is true."""
    llr: float
    """The log-likelihood ratio of H1 to H0, from `pairs`."""
    bounds: Interval
    """The values of `llr` at which H0 and H1 are accepted."""
    verdict: Literal["H0", "H1", "continue"]
    """The hypothesis that is accepted, or `continue` if neither is."""


class RepeatedGame(Part, frozen=True):
    """A game of this fight that the ledger already has, so that it was not added again."""

    id: Annotated[str, Meta(min_length=1)]
    """The id of the game in this fight."""
    number: Number
    """The number of the same game in the ledger."""
    difference: str | None
    """A clause on how this game differs from the ledger's; null if it does not differ."""


class FightTotals(Report, frozen=True, kw_only=True):
    """The counts of a fight."""

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["fight"] = "fight"
    """The kind of this document."""
    seed: RunSeed | None
    """The seed of the fight, from which all seeds of its games come; null if it is not known. Text,
    as --seed takes it."""
    games: Count
    """Games played, void ones included."""
    void: Count
    """Games that count for nobody, for example because both bots failed to place a fleet."""
    pairs: Annotated[tuple[Count, ...], Meta(min_length=5, max_length=5)] | None
    """The numbers of swapped pairs in which the first bot got 0, 1/2, 1, 3/2 and 2 points; a tie is
    1/2. A swapped pair is two games with the same seeds; each bot is first in one. Null for more
    than two bots."""
    first_mover_wins: Count
    """Games won by the bot that moved first; 0 if all bots shoot at once."""
    bots: Annotated[tuple[FightBot, ...], SEATS]
    """The bots, seat by seat: the first is in seat 0 of every game."""
    elo: FightElo | None
    """The difference in strength. Null if no game counts, if there are more than two bots, or if
    the games are those of a match, which is a single result."""
    sprt: SequentialTest | None
    """The sequential test that decided when the fight ended; null if the user asked for none."""
    faults: tuple[Unplayed, ...]
    """The games that the judge could not play. They count nowhere."""
    repeats: tuple[RepeatedGame, ...]
    """The games that the ledger already has, with the same bots, files, seeds and conditions. They
    count in this fight, but move no points in the ledger."""


class Fight(FightTotals, frozen=True, kw_only=True):
    """The document that `judge fight --json` prints: the counts of a fight, and the record of every
    game."""

    CALLED: ClassVar = "fight"

    records: tuple[Annotated[dict[str, Any], WHOLE_RECORD], ...]
    """The record of every game that was played, in the order of the schedule."""


class FightEvent(Event, frozen=True, kw_only=True):
    """A line that `judge fight --jsonl` prints as soon as something has happened. The first is a
    `start`, the last an `end`. Between them comes a `game` or a `fault` for every game."""

    CALLED: ClassVar = "fight event"
    ALSO: ClassVar = (Failed,)


class FightStart(FightEvent, frozen=True, kw_only=True):
    """The first line: the fight that is about to be played."""

    event: Literal["start"] = "start"
    """The kind of event."""
    bots: Annotated[tuple[BotName, ...], SEATS]
    """The bots' names, seat by seat."""
    games: Annotated[int, Meta(ge=1)] | None
    """The most games that the fight may have; null if no number limits it."""
    seed: RunSeed
    """The seed of the fight. Text, as --seed takes it."""
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


class FightScore(Part, frozen=True, kw_only=True):
    """The score of the fight after a game."""

    games: Count
    """Games so far, void ones included."""
    void: Count
    """Void games so far."""
    wins: Annotated[tuple[Count, ...], SEATS]
    """Games won so far, seat by seat."""
    ties: Count
    """Games so far that nobody won, without the void ones."""


class FightGame(FightEvent, frozen=True, kw_only=True):
    """A line on a game that was played. The games come in the order of the schedule."""

    event: Literal["game"] = "game"
    """The kind of event."""
    record: Annotated[dict[str, Any], WHOLE_RECORD]
    """The record of the game."""
    repeats: RepeatedGame | None
    """The game in the ledger that this one repeats; null if it repeats no game."""
    score: FightScore
    """The score after this game."""


class FightEnd(FightEvent, frozen=True, kw_only=True):
    """The last line: the counts of the fight. An interrupted run lacks this line."""

    event: Literal["end"] = "end"
    """The kind of event."""
    fight: FightTotals
    """The `fight` document without its records."""
