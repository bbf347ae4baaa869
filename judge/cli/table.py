"""What a command that plays has on its table: the bots, the conditions, and how to begin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Self

from judge.cli.settings import Settings
from judge.cli.telling import note
from judge.contest import arena
from judge.contest.schedule import Pairing
from judge.contest.tournament import Results
from judge.play.referee import Conditions, Watch
from judge.play.table import require_playable
from judge.process.bot import Bot, find_all
from judge.process.fork import require_forkable
from judge.process.isolation import choose


@dataclass(frozen=True, slots=True)
class Table:
    """Bots that can be started and play these rules, and how they are to be held."""

    bots: tuple[Bot, ...]
    conditions: Conditions
    jobs: int

    @classmethod
    def of(cls, specs: Sequence[str], settings: Settings) -> Self:
        """The table for these bots; raises `UsageError` before anything is played."""
        return cls.holding(
            find_all(specs, python=settings.python, most_bytes=settings.bot_size_bytes), settings
        )

    @classmethod
    def holding(cls, bots: tuple[Bot, ...], settings: Settings) -> Self:
        """The same for bots that have been found already."""
        require_playable(settings.rules, bots)
        if settings.launch == "fork":
            require_forkable(bots)
        isolation, notice = choose(settings.isolation, settings.limits)
        if notice and not settings.quiet:
            note(notice)
        conditions = Conditions(
            rules=settings.rules,
            dialect=settings.dialect,
            launch=settings.launch,
            isolation=isolation,
            limits=settings.limits,
        )
        return cls(bots, conditions, settings.jobs)

    def playing(
        self, schedule: Iterable[Pairing], watch: Watch | None = None
    ) -> AbstractContextManager[Results]:
        """The games of a schedule, in its order; watched, they are played one at a time."""
        return arena.playing(
            schedule, self.bots, self.conditions, jobs=1 if watch else self.jobs, watch=watch
        )
