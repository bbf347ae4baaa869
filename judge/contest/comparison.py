"""Compares two versions of a bot: first by their shots on the same boards, then by a match against
each other with a sequential test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from judge.contest.schedule import Fight, First, Solo, one_by_one
from judge.contest.seeds import spelled
from judge.contest.setup import Setup
from judge.contest.shooting.boards import drawn_fleet
from judge.contest.shooting.shooting import ShootingSummary
from judge.contest.standings.fight_documents import played_records
from judge.contest.standings.summary import FightSummary
from judge.contest.window import taken
from judge.documents.comparison import Compared, ComparisonReport, Verdict
from judge.documents.game import GameRecord
from judge.errors import Interrupted, UsageError
from judge.stats import sprt as tests
from judge.stats.samples import Difference, paired_difference

BOARDS, GAMES = 100, 400
SPRT = tests.Sprt(0, 20)
"""The test of whether the new version is 20 Elo stronger than the old one, or equally strong."""


class Comparison:
    """A comparison of two versions of a bot, and its results. The ``setup`` has the old version
    first and the new version second."""

    def __init__(self, setup: Setup, *, boards: int, games: int, seed: int) -> None:
        """Each version plays ``boards`` boards alone. The match has at most ``games`` games; the
        sequential test may end it sooner. Raises `UsageError` if both versions are the same."""
        old, new = setup.bots
        if (old.digest, old.wires, old.dialect) == (new.digest, new.wires, new.dialect):
            raise UsageError(
                f"{old.name} and {new.name} have the same files: name two versions that differ"
            )
        self._setup = setup.expecting(boards + games)
        self.boards, self.most, self.seed = boards, games, seed
        names = [bot.name for bot in setup.bots]
        self.shooting = ShootingSummary(names, setup.conditions.rules)
        self.match = FightSummary(names[::-1])  # the new version is A

    def playing(self) -> Iterator[GameRecord]:
        """Play the boards, then the match, and yield each record. Raises `JudgeFault` if a game
        could not be played. Raises `Interrupted` if the user stops the comparison."""
        setup = self._setup
        solo = Solo(2, self.boards, self.seed, in_a_row=setup.boards_in_a_row)
        fleet_of = partial(drawn_fleet, setup.conditions.rules)
        stops: list[bool] = []
        with setup.playing(solo, fleet_of=fleet_of) as boards:
            todo = one_by_one(solo)
            for result in taken(boards, at_stop=lambda: stops.append(True)):
                for record in played_records(result):
                    board = next(todo)
                    self.shooting.add(board.seats[0], board.round, record)
                    yield record
        if stops:  # all boards were over at the stop
            raise Interrupted
        games = Fight(self.most, self.seed, First.ALTERNATE, 2)
        reversed_seats = (replace(game, seats=(1, 0)) for game in games)
        with setup.playing(reversed_seats) as results:
            for result in taken(results, lambda: self._decision is not tests.Verdict.CONTINUE):
                for record in played_records(result):
                    self.match.add(record)
                    yield record

    @property
    def _decision(self) -> tests.Verdict:
        return SPRT.verdict(self.match.pairs)

    @property
    def difference(self) -> Difference | None:
        """The new version's mean shots a board minus the old version's, over the boards that both
        cleared. None if there is no such board."""
        old, new = self.shooting.bots
        return paired_difference(new.shots, old.shots)

    @property
    def verdict(self) -> Verdict:
        """The verdict: "stronger" if the sequential test says so or the Elo interval is above 0,
        else "weaker" if the interval is below 0, else "not stronger" if the test says so, else
        "undecided". The interval counts as `FightSummary.stronger` says."""
        stronger = self.match.stronger()
        if self._decision is tests.Verdict.H1 or stronger == 0:
            return "stronger"
        if stronger == 1:
            return "weaker"
        return "not stronger" if self._decision is tests.Verdict.H0 else "undecided"

    def document(self) -> ComparisonReport:
        old, new = self.shooting.bots
        shots, elo = self.difference, self.match.elo()
        played = self.match.bots[0].counts
        versions = [
            Compared(
                name=bot.name,
                digest=found.digest,
                shots_mean=bot.mean,
                not_cleared=bot.forfeits.total(),
                forfeits=sum(games.counts.forfeits.values()),
            )
            for bot, games, found in zip(
                (old, new), self.match.bots[::-1], self._setup.bots, strict=True
            )
        ]
        return ComparisonReport(
            verdict=self.verdict,
            seed=spelled(self.seed),
            old=versions[0],
            new=versions[1],
            boards=self.boards,
            difference=None if shots is None else shots.mean,
            difference_95=None if shots is None else shots.interval_95,
            games=self.match.games,
            won=played.won,
            lost=played.lost,
            tied=self.match.ties,
            elo=None if elo is None else elo.difference,
            elo_95=None if elo is None else elo.interval_95,
        )
