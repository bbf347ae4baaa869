"""The documents that `judge fight` prints: `fight`, and the `fight-event` lines of --jsonl."""

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
    """One of the bots. Shots and misses are its own; void games count in nothing but `forfeits` and
    `ms`."""

    name: BotName
    """The bot's name."""
    wins: Count
    """Games that it won."""
    losses: Count
    """Games that it lost, by forfeit or not."""
    ties: Count
    """Games that nobody won; never a void one."""
    forfeits: dict[Cause, Times]
    """How often it forfeited, by cause; causes that did not occur are left out. Those of void games are
    in it, so there can be more forfeits than losses."""
    win_rate: Rate | None
    """Wins, and an equal share of each tie (half of it between two bots), over all games but the
    void ones; null if all are void."""
    win_rate_95: tuple[Rate, Rate]
    """Wilson's 95% interval for `win_rate`: lower and upper limit."""
    shots_mean: Figure | None
    """Its shots a game, over all games but the void ones, whoever won; null if all are void."""
    misses_mean: Figure | None
    """Its shots a game that hit nothing, wasted repeats included; null as `shots_mean`."""
    shots_to_win_mean: Figure | None
    """Its shots a game, over the games that it won and no forfeit ended; null if it won no such
    game."""
    volleys_mean: Figure | None
    """Its volleys a game, over the games of `shots_to_win_mean`; null if it won no such game."""
    volleys_to_win_mean: Figure | None
    """Its volleys a game, over the games of `shots_to_win_mean`; null if it won no such game."""
    ms: MoveTimes | None
    """Milliseconds a move (a move is one run of the bot: placing, and each shot or volley); null if it
    never ran."""
    points_before: Points | None
    """Its points in the ledger before the fight; null if the fight is not rated."""
    points_after: Points | None
    """Its points in the ledger after the fight; null if the fight is not rated."""


class FightElo(Part, frozen=True):
    """By how much the first bot is the stronger one."""

    difference: float
    """Elo points by which the first bot is the stronger one; if one bot won every game, an estimate
    that adds half a win and half a loss."""
    interval_95: Interval
    """Its 95% interval: lower and upper limit. Swapped pairs, if there are any, say how much a game is
    worth."""
    los: Rate
    """Likelihood of superiority: how likely it is that the first bot is the stronger one."""


class SequentialTest(Part, frozen=True, kw_only=True):
    """A sequential probability ratio test of two Elo differences, counted in pairs."""

    elo0: float
    """The Elo difference of hypothesis H0."""
    elo1: float
    """The Elo difference of hypothesis H1."""
    alpha: Chance
    """The chance to accept H1 if H0 is true."""
    beta: Chance
    """The chance to accept H0 if H1 is true."""
    llr: float
    """The log-likelihood ratio of H1 to H0, from `pairs`."""
    bounds: Interval
    """The ratios at which H0 and H1 are accepted."""
    verdict: Literal["H0", "H1", "continue"]
    """Which one is accepted, or `continue`."""


class RepeatedGame(Part, frozen=True):
    """A game that counts in the ledger already, and so was not added again."""

    id: Annotated[str, Meta(min_length=1)]
    """The id of the game as it was played now."""
    number: Number
    """The number of the game in the ledger."""
    difference: str | None
    """How it went otherwise this time, in a clause; null if it went the same way."""


class FightTotals(Report, frozen=True, kw_only=True):
    """A fight without its records."""

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["fight"] = "fight"
    """The kind of this document."""
    seed: RunSeed | None
    """The seed of the whole fight, from which those of the games come; null if it is not known. Text,
    as --seed takes it."""
    games: Count
    """Games played, void ones included."""
    void: Count
    """Games that count for nobody, for both fleets were forfeited."""
    pairs: Annotated[tuple[Count, ...], Meta(min_length=5, max_length=5)] | None
    """How many swapped pairs (two games with the same seeds, in which first the one and then the other
    moves first) brought the first bot 0, 1/2, 1, 3/2 and 2 points; a tie is 1/2. Null for more than two
    bots."""
    first_mover_wins: Count
    """Games that were won by who moved first."""
    bots: Annotated[tuple[FightBot, ...], SEATS]
    """The bots, seat by seat: the first is in seat 0 of every game."""
    elo: FightElo | None
    """The difference in strength; null if all games were void, if none was played, for more than two
    bots, and if all games are of one match, which is a single result."""
    sprt: SequentialTest | None
    """The sequential test that the fight was stopped by; null if there was none."""
    faults: tuple[Unplayed, ...]
    """The games that the judge could not play. They are nobody's loss, and in no count."""
    repeats: tuple[RepeatedGame, ...]
    """The games that count in the ledger already: the same bots, files, seeds and conditions. They are
    games of this fight, and move no points."""


class Fight(FightTotals, frozen=True, kw_only=True):
    """A game or a match between bots, with all that is counted and every game: what `judge fight --json`
    prints."""

    CALLED: ClassVar = "fight"

    records: tuple[Annotated[dict[str, Any], WHOLE_RECORD], ...]
    """Every game that was played, in the order of the schedule."""


class FightEvent(Event, frozen=True, kw_only=True):
    """A line of `judge fight --jsonl`: what happened, as soon as it has. First a `start`, then a `game`
    or a `fault` for every game, then an `end`."""

    CALLED: ClassVar = "fight event"
    ALSO: ClassVar = (Failed,)


class FightStart(FightEvent, frozen=True, kw_only=True):
    """The first line: what is about to be played."""

    event: Literal["start"] = "start"
    """The kind of event."""
    bots: Annotated[tuple[BotName, ...], SEATS]
    """The bots' names, seat by seat."""
    games: Annotated[int, Meta(ge=1)] | None
    """How many games are to be played, at most; null for as many as it takes."""
    seed: RunSeed
    """The seed of the whole fight. Text, as --seed takes it."""
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


class FightScore(Part, frozen=True, kw_only=True):
    """The score with a game."""

    games: Count
    """Games so far, void ones included."""
    void: Count
    """Void ones."""
    wins: Annotated[tuple[Count, ...], SEATS]
    """Games won, seat by seat."""
    ties: Count
    """Games that nobody won, without the void ones."""


class FightGame(FightEvent, frozen=True, kw_only=True):
    """A game has been played; one line for each, in the order of the schedule."""

    event: Literal["game"] = "game"
    """The kind of event."""
    record: Annotated[dict[str, Any], WHOLE_RECORD]
    """The game."""
    repeats: RepeatedGame | None
    """The game in the ledger that this one repeats; null if it repeats no game."""
    score: FightScore
    """How it stands with this game."""


class FightEnd(FightEvent, frozen=True, kw_only=True):
    """The last line: all that is counted. It is missing if the run was interrupted."""

    event: Literal["end"] = "end"
    """The kind of event."""
    fight: FightTotals
    """The `fight` document without its records."""
