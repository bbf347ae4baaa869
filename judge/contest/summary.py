"""What a fight of two bots comes to, added up game by game.

Pure, and of constant size: a summary keeps counts and, of each bot's forfeits, the first of every
cause; never a record. All but the pairs is the same in whatever order the games are added; a
pair is two games added one after the other, in which the bots have the same seeds and
the other one moves first, so games must come in schedule order.

Times go into a histogram rather than a list: a list of a million moves would be small enough
(4 MB), but to look at it means to sort it, and then a running score could not show it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from judge.contest.rating import (
    EloDifference,
    Interval,
    Sprt,
    elo_difference,
    pair_effect,
    wilson,
)
from judge.contest.tournament import Fault
from judge.errors import JudgeFault
from judge.game.events import Termination
from judge.game.record import Evidence, GameRecord, Limits
from judge.game.rules import Rules

VERSION = 1


class Forfeit(NamedTuple):
    """A game that a bot forfeited: its id, how, the sentence for the bot's author, and what the
    run looked like."""

    game: str
    termination: Termination
    detail: str
    evidence: Evidence | None


class Times:
    """A histogram of durations, in milliseconds: every value to half a percent, the worst exactly.

    Each bucket ends 1% above the one before it (the sketch of Masson, Rim and Lee, "DDSketch",
    PVLDB 12, 2019), so from a microsecond to three hours there are no more than 2,400 of them.
    """

    GROWTH = 1.01
    LEAST = 1e-3  # what is shorter counts as a microsecond

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
        """The shortest time that ``share`` (over 0, up to 1) of the moves kept within."""
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

    def to_json(self) -> dict[str, float] | None:
        if not self.count:
            return None
        return {
            "median": round(self.quantile(0.5), 3),
            "p99": round(self.quantile(0.99), 3),
            "max": self.worst,
        }


@dataclass(slots=True)
class BotTotals:
    """One bot's counts. Shots and misses are its own, of all games that count, and a wasted
    repeat is a miss; ``won_in`` holds the shots of the ``won_played`` games that it won by
    playing them out. ``points_before`` are those before its first game here, ``points_after``
    those after its last; None as long as no game is rated."""

    name: str
    wins: int = 0
    losses: int = 0
    shots: int = 0
    misses: int = 0
    won_in: int = 0
    won_played: int = 0
    forfeits: Counter[Termination] = field(default_factory=Counter)
    first_forfeits: dict[Termination, Forfeit] = field(default_factory=dict)
    times: Times = field(default_factory=Times)
    points_before: float | None = None
    points_after: float | None = None


class FightSummary:
    """The running totals of a fight; seat 0 of every record is the first of ``names``.

    ``pairs[k]`` is how many swapped pairs ended with k half-points (of 4) for the first bot: what
    `Sprt.verdict` and `pair_effect` take.
    """

    def __init__(self, names: Sequence[str]) -> None:
        first, second = names
        self.bots = (BotTotals(first), BotTotals(second))
        self.games = 0
        self.void = 0
        self.ties = 0
        self.first_mover_wins = 0
        self.pairs = [0] * 5
        self._half_pair: tuple[tuple[int, ...], int, int] | None = None

    def add(self, record: GameRecord) -> None:
        """Count one more game; raises ValueError if it is not one of these two bots.

        The same game's points, if it is rated, are for `rate`.
        """
        names = tuple(seat.name for seat in record.seats)
        if names != self.names:
            raise ValueError(f"game {record.id} is of {names}, not of {self.names}")
        self.games += 1
        for seat, ms in run_times(record):
            self.bots[seat].times.add(ms)
        self._add_forfeits(record)
        if record.outcome.termination is Termination.VOID:
            self.void += 1
            return
        self._add_shots(record)
        self._add_result(record)

    def rate(self, before: Sequence[float], after: Sequence[float]) -> None:
        """Take in the points that the bots had before and after a game, seat by seat."""
        for bot, had, has in zip(self.bots, before, after, strict=True):
            if bot.points_before is None:
                bot.points_before = had
            bot.points_after = has

    @property
    def names(self) -> tuple[str, str]:
        return self.bots[0].name, self.bots[1].name

    @property
    def counted(self) -> int:
        """The games that count: all but the void ones."""
        return self.games - self.void

    @property
    def decided(self) -> int:
        """The games that somebody won."""
        return self.counted - self.ties

    def win_rate(self, bot: int) -> float | None:
        """The share of the games that count which the bot won, ties half; None without any."""
        return self._score(bot) / self.counted if self.counted else None

    def win_rate_95(self, bot: int) -> Interval:
        return wilson(self._score(bot), self.counted)

    def elo(self) -> EloDifference | None:
        """By how much the first bot is stronger; None if no game counts.

        Pairs, where there are any, say how much a game is worth.
        """
        if not self.counted:
            return None
        a, b = self.bots
        effect = pair_effect(self.pairs) if any(self.pairs) else None
        return elo_difference(a.wins, b.wins, self.ties, effect=effect)

    def score(self) -> dict[str, Any]:
        """How it stands: the ``score`` of an event."""
        return {
            "games": self.games,
            "void": self.void,
            "wins": [bot.wins for bot in self.bots],
            "ties": self.ties,
        }

    def to_json(
        self,
        records: Iterable[GameRecord],
        *,
        seed: int | None = None,
        faults: Iterable[Fault] = (),
        sprt: Sprt | None = None,
    ) -> dict[str, Any]:
        """The ``fight`` document; ``seed`` is that of the whole fight."""
        document = self._totals(seed, faults, sprt)
        document["records"] = [record.to_json() for record in records]
        return document

    def start_event(
        self,
        *,
        games: int | None,
        seed: int,
        rules: Rules,
        dialect: str | None,
        launch: str,
        isolation: str,
        limits: Limits,
    ) -> dict[str, Any]:
        """The first line of ``--jsonl``; ``games`` is how many are to be played at most."""
        return {
            "version": VERSION,
            "event": "start",
            "bots": list(self.names),
            "games": games,
            "seed": seed,
            "rules": rules.to_json(),
            "dialect": dialect,
            "launch": launch,
            "isolation": isolation,
            "limits": asdict(limits),
        }

    def game_event(self, record: GameRecord) -> dict[str, Any]:
        """A line of ``--jsonl`` for a game that has been added, and how it stands with that."""
        return {
            "version": VERSION,
            "event": "game",
            "record": record.to_json(),
            "score": self.score(),
        }

    def end_event(
        self, *, seed: int | None = None, faults: Iterable[Fault] = (), sprt: Sprt | None = None
    ) -> dict[str, Any]:
        """The last line of ``--jsonl``: the fight, without the records that went before."""
        return {"version": VERSION, "event": "end", "fight": self._totals(seed, faults, sprt)}

    # Adding

    def _add_forfeits(self, record: GameRecord) -> None:
        for seat, forfeit in forfeits(record).items():
            bot = self.bots[seat]
            bot.forfeits[forfeit.termination] += 1
            bot.first_forfeits.setdefault(forfeit.termination, forfeit)

    def _add_shots(self, record: GameRecord) -> None:
        fired = [0, 0]
        for one in record.shots:
            fired[one.shot.seat] += 1
            self.bots[one.shot.seat].misses += not one.shot.is_hit
        for bot, shots in zip(self.bots, fired, strict=True):
            bot.shots += shots
        winner = record.outcome.winner
        if winner is not None and not record.outcome.termination.is_forfeit:
            self.bots[winner].won_in += fired[winner]
            self.bots[winner].won_played += 1

    def _add_result(self, record: GameRecord) -> None:
        winner = record.outcome.winner
        if winner is None:
            self.ties += 1
        else:
            self.bots[winner].wins += 1
            self.bots[1 - winner].losses += 1
            self.first_mover_wins += winner == record.first
        seeds = tuple(seat.seed for seat in record.seats)
        half_points = 1 if winner is None else 2 * (1 - winner)
        if self._half_pair is not None:
            other_seeds, other_first, other_half_points = self._half_pair
            if seeds == other_seeds and record.first != other_first:
                self.pairs[half_points + other_half_points] += 1
                self._half_pair = None
                return
        self._half_pair = (seeds, record.first, half_points)

    # Telling

    def _score(self, bot: int) -> float:
        return self.bots[bot].wins + self.ties / 2

    def _totals(
        self, seed: int | None, faults: Iterable[Fault], sprt: Sprt | None
    ) -> dict[str, Any]:
        elo = self.elo()
        return {
            "version": VERSION,
            "kind": "fight",
            "seed": seed,
            "games": self.games,
            "void": self.void,
            "pairs": list(self.pairs),
            "first_mover_wins": self.first_mover_wins,
            "bots": [self._bot_to_json(number) for number in range(2)],
            "elo": elo
            and {
                "difference": elo.difference,
                "interval_95": list(elo.interval_95),
                "los": elo.los,
            },
            "sprt": sprt and _sprt_to_json(sprt, self.pairs),
            "faults": [
                {"id": fault.pairing.id, "message": fault_message(fault)} for fault in faults
            ],
        }

    def _bot_to_json(self, number: int) -> dict[str, Any]:
        bot = self.bots[number]
        return {
            "name": bot.name,
            "wins": bot.wins,
            "losses": bot.losses,
            "ties": self.ties,
            "forfeits": {
                cause: bot.forfeits[cause] for cause in Termination if bot.forfeits[cause]
            },
            "win_rate": self.win_rate(number),
            "win_rate_95": list(self.win_rate_95(number)),
            "shots_mean": mean(bot.shots, self.counted),
            "misses_mean": mean(bot.misses, self.counted),
            "shots_to_win_mean": mean(bot.won_in, bot.won_played),
            "ms": bot.times.to_json(),
            "points_before": bot.points_before,
            "points_after": bot.points_after,
        }


def run_times(record: GameRecord) -> Iterator[tuple[int, float]]:
    """The seat and the milliseconds of every move, that is of every run of a bot: placing, each
    volley, and the run that lost the game.

    A volley's time stands at its first shot; the others have 0, which no run ever takes.
    """
    for number, seat in enumerate(record.seats):
        if seat.ms:
            yield number, seat.ms
    for one in record.shots:
        if one.ms:
            yield one.shot.seat, one.ms
    for evidence in record.evidence:
        placing = record.seats[evidence.seat]
        if placing.fleet is not None or not placing.ms:  # else it was placing, and is told
            yield evidence.seat, evidence.wall_ms


def forfeits(record: GameRecord) -> dict[int, Forfeit]:
    """Who forfeited the game, and how: two seats in a void one, none in one played out."""
    outcome = record.outcome
    how = {
        aside.seat: Termination(aside.what)
        for aside in record.asides
        if aside.what not in ("skip", "leave", "return")
    }
    if outcome.termination.is_forfeit and outcome.loser is not None:  # who left for good resigned
        how.setdefault(outcome.loser, outcome.termination)
    # The outcome joins the sentences of those who forfeited at once, seat by seat.
    details = outcome.detail.split("; ")
    if outcome.winner is not None or len(details) != len(how):
        details = [outcome.detail] * len(how)
    evidence = {one.seat: one for one in record.evidence}
    return {
        seat: Forfeit(record.id, how[seat], detail, evidence.get(seat))
        for seat, detail in zip(sorted(how), details, strict=True)
    }


def fault_event(fault: Fault) -> dict[str, Any]:
    """A line of ``--jsonl`` for a game that the judge could not play."""
    return {
        "version": VERSION,
        "event": "fault",
        "id": fault.pairing.id,
        "message": fault_message(fault),
    }


def fault_message(fault: Fault) -> str:
    """What kept the judge from a game: its own sentence, or what kind of bug it met."""
    error = fault.error
    return str(error) if isinstance(error, JudgeFault) else f"{type(error).__name__}: {error}"


def mean(total: int, count: int) -> float | None:
    return total / count if count else None


def _sprt_to_json(sprt: Sprt, pairs: Sequence[int]) -> dict[str, Any]:
    return {
        **asdict(sprt),
        "llr": sprt.llr(pairs),
        "bounds": list(sprt.bounds),
        "verdict": sprt.verdict(pairs).value,
    }
