"""Games in worker processes: what is sent there, and the run that each keeps."""

from __future__ import annotations

import atexit
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from judge.contest.arena import played
from judge.contest.tournament import MatchResults
from judge.game.limits import Limits
from judge.game.record import GameRecord
from judge.game.rules import Rules
from judge.play.conditions import Conditions
from judge.play.run import Connect, Run, Task
from judge.process.bots.bot import Bot
from judge.process.sandbox.isolation import choose


@dataclass(frozen=True, slots=True)
class Terms:
    """What makes a `Run`, in words that can be sent to another process: the isolation is a level's
    name, and the bots lie where they lie here."""

    rules: Rules
    dialect: str | None
    launch: str
    isolation: str
    limits: Limits
    bots: tuple[Bot, ...]
    connect: Connect | None = None

    @classmethod
    def of(cls, conditions: Conditions, bots: Iterable[Bot], connect: Connect | None) -> Self:
        return cls(
            conditions.rules,
            conditions.dialect,
            conditions.launch,
            conditions.isolation.name,
            conditions.limits,
            tuple(bots),
            connect,
        )

    def run(self) -> Run:
        """A run here; raises `UsageError` where this machine does not offer the isolation."""
        isolation, _ = choose(self.isolation, self.limits, self.bots)
        conditions = Conditions(
            rules=self.rules,
            dialect=self.dialect,
            launch=self.launch,
            isolation=isolation,
            limits=self.limits,
        )
        return Run(conditions, self.bots, self.connect)


class _Here:
    """The run of this worker process, kept from one game to the next."""

    terms: Terms | None = None
    run: Run | None = None

    def playing(self, terms: Terms) -> Run:
        if self.run is None or self.terms != terms:
            self.close()
            self.terms, self.run = terms, terms.run()
        return self.run

    def close(self) -> None:
        if self.run is not None:
            self.run.close()
            self.run = None


_here = _Here()


def play_here(terms: Terms, task: Task) -> GameRecord | MatchResults[GameRecord]:
    """Play a game, or a match, in this worker process, a fresh interpreter, which ends its bots
    when it ends."""
    if _here.run is None:
        atexit.register(_here.close)
    return played(_here.playing(terms), task)
