"""Prepares a command that plays: its bots, conditions, isolation and executor."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Self

import click

from judge.cli import cluster as clusters
from judge.cli.other_rules import written_for
from judge.cli.output import note
from judge.cli.settings import Settings
from judge.cli.sinks import Event, StepDone
from judge.cli.web import NOBODY, Audience, Nobody
from judge.contest import arena
from judge.contest.ledger.ledger import Ledger
from judge.contest.schedule import Pairing
from judge.contest.tournament import Fault, Results
from judge.documents.game import GameRecord
from judge.documents.rules import Fleet, Rules
from judge.errors import UsageError
from judge.game.events import Event as GameEvent
from judge.game.game import Game
from judge.game.variants import name_of
from judge.play.conditions import Conditions
from judge.play.match import Watch
from judge.play.player_data import AsBefore, learners
from judge.play.run import Called, Connect, Run, require_playable, spoken
from judge.process.bots.bot import Bot, find_all
from judge.process.bots.data_file import lies_by_data, within
from judge.process.bots.forkable import require_forkable, unforkable
from judge.process.bots.shared import sharing, with_library
from judge.process.run.limits import PARTING_SECONDS
from judge.process.sandbox.isolation import choose
from judge.process.sandbox.levels import WALLED, is_weaker
from judge.quoting import word
from judge.show.text import many
from judge.signals import look
from judge.wire import WIRES

if TYPE_CHECKING:
    from judge.cli.ledgers.ledger_option import Unkept
    from judge.cli.web import Audience
    from judge.contest.learning import Kept
    from judge.documents.machines import Machine
    from judge.process.run.listening import Stop


Take = Callable[[GameRecord | Fault], Event]
Settling = Callable[[Take], Take]


_MOST_NAMED = 5  # bots in one sentence
_WHO_LEARNS = (
    "a player that learns is a single file, no folder with a bot.json, and speaks "
    f"{' or '.join(name for name, wire in WIRES.items() if wire.learns)}"
)


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
    data: AsBefore | Kept = field(default_factory=AsBefore)
    cluster: clusters.Cluster | None = None
    _stayed_on: list[str] = field(default_factory=list)

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
        look()
        require_seats(settings.rules, seats)
        if settings.shared is not None:
            bots = sharing(bots, settings.shared, settings.bot_size_bytes)
        asked = bots
        speaking = [spoken(bot, settings.rules, settings.dialect, seats) for bot in bots]
        bots = tuple(
            replace(bot, wires=(wire.name,), dialect=dialect)
            for bot, (wire, dialect) in zip(bots, speaking, strict=True)
        )
        bots = tuple(
            with_library(bot, wire.library, settings.bot_size_bytes) if wire.library else bot
            for bot, (wire, _) in zip(bots, speaking, strict=True)
        )
        if specs is not None:
            require_playable(settings.rules, bots, map(named, bots, specs), seats)
        if not settings.quiet:
            _say_what_seems_wrong(asked, settings.rules)
        dialects = {dialect for _, dialect in speaking}
        if settings.launch == "fork":
            _require_forkable(bots, are_typed=specs is not None, quiet=settings.quiet)
        wires = {bot.name: bot.wires[0] for bot in bots}
        players = learners(bots, wires)
        learning = {bot.name for bot in players}
        data = _data_of(players, [bot for bot in bots if bot.name not in learning], settings)
        level = WALLED if data.keeps else settings.isolation
        isolation, notice = (
            choose(level, settings.limits, bots)
            if settings.cluster is None
            else (clusters.isolation_for(settings), None)
        )
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
        if settings.cluster is None:
            return cls(bots, conditions, settings.jobs, connect, data)
        brought = [name for name, digest in data.digests.items() if digest]
        clusters.require_fit(settings, bots, bring_data=brought)
        cluster = clusters.Cluster.reached(settings, bots, conditions, connect)
        return cls(bots, conditions, max(cluster.cores, 1), connect, data, cluster)

    def playing(
        self,
        schedule: Iterable[Pairing],
        watch: Watch | None = None,
        audience: Audience | Nobody = NOBODY,
    ) -> AbstractContextManager[Results[GameRecord]]:
        """The games of a schedule, in its order, seen by an ``audience``; watched,
        they are played one at a time."""
        if self.cluster is not None:
            return self.cluster.playing(schedule, partial(arena.task, bots=self.bots))
        jobs = 1 if watch else self.jobs

        def watch_of(pairing: Pairing) -> Watch | None:
            seen = audience.watch_of(pairing)
            return both(watch, seen) if watch and seen else watch or seen

        def learners_of(pairing: Pairing) -> list[str]:
            names = (self.bots[number].name for number in pairing.seats)
            return [name for name in names if self.data.keeps and self.data.learns(name)]

        return arena.playing(
            schedule, self.bots, self.run(), jobs=jobs, watch_of=watch_of, learners=learners_of
        )

    def clearing(
        self, schedule: Iterable[Pairing], bots: Sequence[Bot], fleet_of: Callable[[Pairing], Fleet]
    ) -> AbstractContextManager[Results[GameRecord]]:
        """The boards of a schedule, which these bots clear alone, in its order."""
        if self.cluster is None:
            return arena.clearing(schedule, bots, fleet_of, self.run(), jobs=self.jobs)
        return self.cluster.playing(
            schedule, lambda pairing: arena.task(pairing, bots, fleet_of(pairing))
        )

    @property
    def workers(self) -> Callable[[], int] | None:
        """What counts the workers that play now, where games are played on a cluster."""
        return None if self.cluster is None else self.cluster.workers

    def run(self) -> Run:
        """A run for games between these bots."""
        return Run(self.conditions, self.bots, self.connect, self.data, self._stayed_on)

    @contextlib.contextmanager
    def learning(self, ledger: Ledger | Unkept) -> Iterator[Settling]:
        """Go on with what the players have learned by a ledger, if they keep it. Gives what makes
        of a function that takes results one that lets the next games of their players begin, with
        what was learned in a game if its event has a line."""
        if isinstance(self.data, AsBefore):
            yield lambda take: take
            return
        kept = self.data

        def settling(take: Take) -> Take:
            def taken(result: GameRecord | Fault) -> Event:
                event = take(result)
                game = result.pairing.id if isinstance(result, Fault) else result.id
                kept.settle(game, is_kept=isinstance(event, StepDone) and event.line is not None)
                return event

            return taken

        with kept.following(ledger if isinstance(ledger, Ledger) else None):
            yield settling

    @property
    def notes(self) -> list[str]:
        """A sentence for each player that lost data or did not exit."""
        unkept = [] if isinstance(self.data, AsBefore) else self.data.notices
        return [
            *unkept,
            *(
                f"{name} did not exit at the end of {many(times, 'game')} and had to be ended, which "
                f"can take {PARTING_SECONDS:g} s more each time: a player has to exit when its stdin, "
                "or its connection, is closed"
                for name, times in Counter(self._stayed_on).items()
            ),
        ]


def both(first: Watch, second: Watch) -> Watch:
    """Watches for two."""

    def watch(game: Game, event: GameEvent) -> None:
        first(game, event)
        second(game, event)

    return watch


def _require_forkable(bots: Sequence[Bot], *, are_typed: bool, quiet: bool) -> None:
    """Raise `UsageError` if none of these bots can be forked, or not each that was typed. Those of
    a folder that cannot are started by exec, which is said."""
    others = [bot for bot in bots if unforkable(bot)]
    if are_typed or len(others) == len(bots):
        require_forkable(bots)
    if others and not quiet:
        note(f"--launch fork is for Python bots; started by exec: {_several(others)}")


def _several(bots: Sequence[Bot]) -> str:
    """The first few names of these bots, and how many more there are."""
    names = ", ".join(bot.name for bot in bots[:_MOST_NAMED])
    return names + (f" and {len(bots) - _MOST_NAMED} more" if len(bots) > _MOST_NAMED else "")


def _data_of(players: Sequence[Bot], others: Sequence[Bot], settings: Settings) -> AsBefore | Kept:
    """What the ``players`` have that learn; the ``others`` cannot."""
    if not settings.limits.data_bytes:
        data = AsBefore(players)
        for name, problem in data.problems.items():
            if not settings.quiet:
                note(f"{name} has no data in its games, for {problem}")
        holding = [bot for bot in others if WIRES[bot.wires[0]].learns and lies_by_data(bot)]
        if holding and not settings.quiet:
            note(
                f"these players lie in a folder with a data file and have no data in their games: "
                f"{_several(holding)}; {_WHO_LEARNS}"
            )
        return data
    if is_weaker(settings.isolation, WALLED):
        raise UsageError(
            f"--learning on needs --isolation {WALLED}: under {settings.isolation} players could read "
            "and change each other's data"
        )
    if not players:
        raise UsageError(f"--learning on: none of these bots can learn; {_WHO_LEARNS}")
    if others and not settings.quiet:
        note(
            f"--learning on: nothing is kept of what these bots learn: {_several(others)}; {_WHO_LEARNS}"
        )
    for bot in players:
        if program := within(bot):
            raise UsageError(
                f"--learning on gives {bot.name} a folder of its own in place of {bot.folder}, in "
                f"which {program} lies too; put the players into a folder by themselves"
            )
    from judge.contest.learning import Kept  # here, for few players learn

    return Kept(players)


def _say_what_seems_wrong(bots: Iterable[Bot], rules: Rules) -> None:
    """Say which bots seem to be written for other rules."""
    for bot in bots:
        if variant := written_for(bot, rules):
            note(
                f"{bot.name} seems to be written for {variant}, and is asked as {name_of(rules)} has it; "
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
            f"the rules {name_of(rules)} are for {allowed} players, not {seats}: choose others with "
            "--rules"
        )
