"""What a command that plays has on its table: the bots, the conditions, and how to begin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import click

from judge.cli.other_rules import written_for
from judge.cli.output import note
from judge.cli.settings import Settings
from judge.contest import arena
from judge.contest.schedule import Pairing
from judge.contest.tournament import Results
from judge.errors import UsageError
from judge.game.record import GameRecord
from judge.game.rules import Rules
from judge.play.conditions import Conditions
from judge.play.match import Watch
from judge.play.run import Called, Connect, Run, require_playable, spoken
from judge.process.bots.bot import Bot, find_all
from judge.process.bots.forkable import require_forkable
from judge.process.sandbox.isolation import choose
from judge.quoting import word

if TYPE_CHECKING:
    from judge.process.run.listening import Stop
    from judge.process.sandbox.doctor import Machine


@dataclass(frozen=True, slots=True)
class Embedding:
    """What a program that calls a command hands in as click's ``obj``: how players are connected
    to, and how the machine is examined; None where that is as usual."""

    connect: Connect | None = None
    examine: Callable[[Stop], Machine] | None = None


@dataclass(frozen=True, slots=True)
class Setup:
    """Bots that can be started and play these rules, and how they are to be held."""

    bots: tuple[Bot, ...]
    conditions: Conditions
    jobs: int
    connect: Connect | None = None

    @classmethod
    def of(cls, specs: Sequence[str], settings: Settings, *, seats: int = 2) -> Self:
        """The table for these bots; raises `UsageError` before anything is played."""
        return cls.holding(find_all(specs, **settings.finding), settings, seats, specs=specs)

    @classmethod
    def holding(
        cls,
        bots: tuple[Bot, ...],
        settings: Settings,
        seats: int = 2,
        *,
        specs: Sequence[str] | None = None,
    ) -> Self:
        """The same for bots that have been found already; ``seats`` is how many play a game, and
        ``specs`` what was typed for each, None where nothing was and their names are known to be
        fit for the game."""
        require_seats(settings.rules, seats)
        asked = bots
        speaking = [spoken(bot, settings.rules, settings.dialect, seats) for bot in bots]
        bots = tuple(
            replace(bot, wires=(wire.name,), dialect=dialect)
            for bot, (wire, dialect) in zip(bots, speaking, strict=True)
        )
        if specs is not None:
            require_playable(settings.rules, bots, map(named, bots, specs), seats)
        if not settings.quiet:
            _say_what_seems_wrong(asked, settings.rules)
        dialects = {dialect for _, dialect in speaking}
        if settings.launch == "fork":
            require_forkable(bots)
        isolation, notice = choose(settings.isolation, settings.limits, bots)
        if notice and not settings.quiet:
            note(notice)
        conditions = Conditions(
            rules=settings.rules,
            dialect=dialects.pop() if len(dialects) == 1 else None,
            launch=settings.launch,
            isolation=isolation,
            limits=settings.limits,
        )
        embedding = click.get_current_context().find_object(Embedding)
        connect = embedding.connect if embedding else None
        return cls(bots, conditions, settings.jobs, connect)

    def playing(
        self, schedule: Iterable[Pairing], watch: Watch | None = None
    ) -> AbstractContextManager[Results[GameRecord]]:
        """The games of a schedule, in its order; watched, they are played one at a time."""
        jobs = 1 if watch else self.jobs
        return arena.playing(schedule, self.bots, self.run(), jobs=jobs, watch=watch)

    def run(self) -> Run:
        """A run for games between these bots."""
        return Run(self.conditions, self.bots, self.connect)


def _say_what_seems_wrong(bots: Iterable[Bot], rules: Rules) -> None:
    """Say which bots seem to be written for other rules."""
    for bot in bots:
        if variant := written_for(bot, rules):
            note(
                f"{bot.name} seems to be written for {variant}, and is asked as {rules.name} has it; "
                f"--rules {variant} plays its game"
            )


def named(bot: Bot, spec: str) -> Called:
    """The bot's name, and how to type another for it."""
    unnamed = spec.removeprefix(f"{bot.name.partition('#')[0]}=")
    return Called(bot.name, spec, f"rename it: NAME={word(unnamed)}")


def require_seats(rules: Rules, seats: int) -> None:
    """Raise `UsageError` unless so many can play."""
    least, most = rules.players
    if not least <= seats <= most:
        allowed = str(least) if least == most else f"{least} to {most}"
        raise UsageError(
            f"the rules {rules.name} are for {allowed} players, not {seats}: choose others with "
            "--rules"
        )
