"""The running totals of a fight, added up game by game.

Pure. A summary has constant size: it holds counts and each bot's first forfeit of every cause, and
no records. Games must be added in the order of the schedule, since this order makes the pairs: a
pair is two rated games, added one after the other, with the same seeds and the other bot first.

Times go into a histogram and not into a list, since a quantile of a list needs a sort, which is too
slow for a running score.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from judge.contest.results import forfeits_of, result_of
from judge.documents.game import Evidence, GameRecord, Outcome, RecordedSeat, Termination
from judge.documents.ledger import Counts
from judge.documents.reports import MoveTimes
from judge.documents.rules import Rules, Turn
from judge.game.steps import volleys_of
from judge.stats.intervals import EloDifference, Interval, elo_difference, pair_effect, wilson
from judge.wire import mend_of, variables_of

DECISIVE_GAMES = 12
"""The fewest games that show which of two bots is stronger. The Elo interval of two equal bots leaves
out 0 in up to 12% of shorter fights, and in 7% at most of fights of this length or more."""


class Forfeit(NamedTuple):
    """A game that a bot forfeited. ``game`` is the game's name, ``detail`` a sentence for the bot's
    author, and ``evidence`` what the judge saw of the run. ``variables`` are the environment
    variables of the bot's protocol. ``mend`` says how to mend the fault, or is ""."""

    game: str
    termination: Termination
    detail: str
    evidence: Evidence | None
    variables: Mapping[str, str]
    mend: str = ""

    @classmethod
    def of(
        cls,
        seat: RecordedSeat,
        rules: Rules,
        *,
        game: str,
        termination: Termination,
        detail: str,
        evidence: Evidence | None,
    ) -> Self:
        """The forfeit of the player at ``seat``, by these rules, with the variables and the mend of
        its protocol."""
        variables = variables_of(seat.wire, rules, seat.seed)
        mend = mend_of(seat.wire, termination, detail, evidence) if evidence else ""
        return cls(game, termination, detail, evidence, variables, mend)


class Times:
    """A histogram of durations in milliseconds. Quantiles are right to half a percent, and the
    longest duration is exact.

    Each bucket ends 1% above the bucket before it, as in the sketch of Masson, Rim and Lee
    ("DDSketch", PVLDB 12, 2019). So fewer than 2,400 buckets reach from a microsecond to three
    hours.
    """

    GROWTH = 1.01
    LEAST = 1e-3  # shorter times count as a microsecond

    def __init__(self) -> None:
        self._buckets: Counter[int] = Counter()
        self.count = 0
        self.best = math.inf
        self.worst = 0.0

    def add(self, ms: float) -> None:
        self._buckets[math.ceil(math.log(max(ms, self.LEAST)) / math.log(self.GROWTH))] += 1
        self.count += 1
        self.best = min(self.best, ms)
        self.worst = max(self.worst, ms)

    def quantile(self, share: float) -> float:
        """The time within which ``share`` of the moves were made; ``share`` is above 0 and at most
        1. The quantile is 0.0 without a time."""
        rank = math.ceil(share * self.count)
        if rank == self.count:
            return self.worst
        passed = 0
        for bucket, count in sorted(self._buckets.items()):
            passed += count
            if passed >= rank:
                middle = 2 * self.GROWTH**bucket / (self.GROWTH + 1)
                return min(max(middle, self.best), self.worst)
        raise ValueError("there is no quantile of no times")

    def document(self) -> MoveTimes | None:
        """The median, the 99th percentile and the longest time, for a document; None without a
        time."""
        if not self.count:
            return None
        median, p99 = (round(self.quantile(share), 3) for share in (0.5, 0.99))
        return MoveTimes(median=median, p99=p99, max=self.worst)


@dataclass(slots=True)
class BotTotals:
    """The totals of one bot. ``shots``, ``volleys`` and ``misses`` are the bot's own in all games
    that count; a repeated shot is a miss. ``points_before`` and ``points_after`` are its points in
    a ledger before the fight's first and after its last game; None without a ledger."""

    name: str
    counts: Counts = field(default_factory=Counts)
    shots: int = 0
    volleys: int = 0
    misses: int = 0
    first_forfeits: dict[Termination, Forfeit] = field(default_factory=dict)
    times: Times = field(default_factory=Times)
    points_before: float | None = None
    points_after: float | None = None


class FightSummary:
    """The running totals of a fight. The seats of every record are the bots of ``names`` in this
    order.

    ``pairs[k]`` is the number of pairs in which the first bot has k of 4 half points, as
    `Sprt.verdict` and `pair_effect` take them. Only a fight of two bots has pairs and Elo. A fight
    that is one match has no Elo, since a match is a single result.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.bots = tuple(BotTotals(name) for name in names)
        self.is_duel = len(self.bots) == 2
        self.games = 0
        self.first_moved = 0  # the decided games in which somebody moved first
        self.first_mover_wins = 0
        self.pairs = [0] * 5
        self._half_pair: tuple[tuple[int, ...], int, int] | None = None
        self.match_games = 0  # the games of the single match that was played
        self.match_ended_by: Outcome | None = None  # the outcome of the forfeit that ended it

    def add(self, record: GameRecord) -> None:
        """Count a game; `rate` takes in its points. Raises ValueError if its bots are others."""
        names = tuple(seat.name for seat in record.seats)
        if names != self.names:
            raise ValueError(f"game {record.id} is of {names}, not of {self.names}")
        self.games += 1
        for seat, ms in run_times(record):
            self.bots[seat].times.add(ms)
        game = result_of(record)
        for seat, bot in enumerate(self.bots):
            bot.counts.add(game, seat)
        for seat, forfeit in forfeits(record).items():
            self.bots[seat].first_forfeits.setdefault(forfeit.termination, forfeit)
        if record.match is not None:
            self.match_games = record.match.games
            lost = record.outcome.termination
            if lost.is_forfeit or lost is Termination.BOTH_FAILED:
                self.match_ended_by = record.outcome
        if game.rated:
            self._add_shots(record)
            self._add_result(record)

    def rate(self, before: Sequence[float], after: Sequence[float]) -> None:
        """Set the bots' points, from those ``before`` and ``after`` a game, seat by seat."""
        for bot, had, has in zip(self.bots, before, after, strict=True):
            if bot.points_before is None:
                bot.points_before = had
            bot.points_after = has

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(bot.name for bot in self.bots)

    @property
    def counted(self) -> int:
        """The number of games that count."""
        return self.bots[0].counts.games

    @property
    def void(self) -> int:
        """The number of void games."""
        return self.games - self.counted

    @property
    def ties(self) -> int:
        """The number of games that count and have no winner."""
        return self.counted - sum(bot.counts.won for bot in self.bots)

    def win_rate(self, bot: int) -> float | None:
        """The bot's share of the wins in the games that count; None if no game counts. A game that
        nobody won counts as an equal part of a win for every bot."""
        return self._score(bot) / self.counted if self.counted else None

    def win_rate_95(self, bot: int) -> Interval:
        """The 95% interval of the win rate. The games of a match count as one result."""
        if self.match_games and self.counted:
            return wilson(self._score(bot) / self.counted, 1)
        return wilson(self._score(bot), self.counted)

    def elo(self) -> EloDifference | None:
        """The first bot's Elo above the second's, with its interval; None if no game counts, if
        there are not two bots, or if the games are of a match.

        The width of the interval comes from the pairs, if there are any.
        """
        if not self.counted or not self.is_duel or self.match_games:
            return None
        a, b = self.bots
        effect = pair_effect(self.pairs) if any(self.pairs) else None
        return elo_difference(a.counts.won, b.counts.won, self.ties, effect=effect)

    def stronger(self) -> int | None:
        """The bot that the Elo interval shows to be the stronger. None if the interval contains 0,
        if fewer than `DECISIVE_GAMES` games count, or without Elo."""
        elo = self.elo()
        if elo is None or self.counted < DECISIVE_GAMES:
            return None
        low, high = elo.interval_95
        return 0 if low > 0 else 1 if high < 0 else None

    # Adding

    def _add_shots(self, record: GameRecord) -> None:
        fired, volleys = [0] * len(self.bots), [0] * len(self.bots)
        for shot in record.shots:
            fired[shot.seat] += 1
            self.bots[shot.seat].misses += not shot.is_hit
        if record.rules.turn is Turn.SALVO:
            for volley in volleys_of(record):
                volleys[volley.seat] += 1
        else:
            volleys = fired
        for seat, bot in enumerate(self.bots):
            bot.shots += fired[seat]
            bot.volleys += volleys[seat]

    def _add_result(self, record: GameRecord) -> None:
        winner = record.outcome.winner
        if winner is not None and record.rules.turn is not Turn.BOTH:
            self.first_moved += 1
            self.first_mover_wins += winner == record.first
        if self.is_duel:
            self._add_to_pairs(record)

    def _add_to_pairs(self, record: GameRecord) -> None:
        winner = record.outcome.winner
        seeds = tuple(seat.seed for seat in record.seats)
        half_points = 1 if winner is None else 2 * (1 - winner)
        if self._half_pair is not None:
            other_seeds, other_first, other_half_points = self._half_pair
            if seeds == other_seeds and record.first != other_first:
                self.pairs[half_points + other_half_points] += 1
                self._half_pair = None
                return
        self._half_pair = (seeds, record.first, half_points)

    def _score(self, bot: int) -> float:
        return self.bots[bot].counts.won + self.ties / len(self.bots)


def run_times(record: GameRecord) -> Iterator[tuple[int, float]]:
    """The seat and the milliseconds of every answer of a bot: its fleet, each volley, and the
    answer that forfeited the game.

    The first shot of a volley has the time of the volley; its other shots have 0 ms.
    """
    for number, seat in enumerate(record.seats):
        if seat.ms:
            yield number, seat.ms
    for shot in record.shots:
        if shot.ms:
            yield shot.seat, shot.ms
    for evidence in record.evidence:
        placing = record.seats[evidence.seat]
        if placing.fleet is not None or not placing.ms:  # otherwise it is the time of placing
            yield evidence.seat, evidence.answer_ms


def forfeits(record: GameRecord) -> dict[int, Forfeit]:
    """Each forfeit of a game, by seat."""
    how = forfeits_of(record)
    details = _details(record, sorted(how))
    evidence = {evidence.seat: evidence for evidence in record.evidence}
    found = {}
    for seat in sorted(how):
        found[seat] = Forfeit.of(
            record.seats[seat],
            record.rules,
            game=record.display_name,
            termination=how[seat],
            detail=details.get(seat, ""),
            evidence=evidence.get(seat),
        )
    return found


def _details(record: GameRecord, forfeited: Sequence[int]) -> dict[int, str]:
    """The sentence on each forfeit, by seat. The outcome has them in a game of two seats, the
    incidents in a game of more."""
    if len(record.seats) > 2:
        return {incident.seat: incident.detail for incident in record.incidents}
    outcome = record.outcome
    if outcome.winner is not None:
        return dict.fromkeys(forfeited, outcome.detail)
    details = outcome.detail.split("; ")  # the outcome joins the sentences of both seats so
    if len(details) != len(forfeited):
        details = [outcome.detail] * len(forfeited)
    return dict(zip(forfeited, details, strict=True))


def mean(total: float, count: int) -> float | None:
    return total / count if count else None
