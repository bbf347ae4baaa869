"""Every bot against every other, as a schedule: for tests that need one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from judge.contest.formats.registry import FORMATS
from judge.contest.schedule import Games, Pairing, contest_key
from judge.documents.ledger import Plan
from judge.documents.rules import Rules


@dataclass(frozen=True)
class RoundRobin:
    """A contest of ``rounds`` rounds; every two bots play a pair of games in each."""

    names: tuple[str, ...]
    rules: Rules
    seed: int
    rounds: int
    bot: str | None = None

    def __len__(self) -> int:
        return len(self._games())

    def __iter__(self) -> Iterator[Pairing]:
        return iter(self._games())

    def _games(self) -> Games:
        name = "rounds" if self.bot is None else "gauntlet"
        plan = Plan(format=name, bots=self.names, units=2 * self.rounds, bot=self.bot)
        (stage,) = FORMATS[name].stages(plan, lambda _: None)
        called = contest_key(self.rules, self.seed)
        return Games(self.names, called, self.seed, plan, stage.meetings)
