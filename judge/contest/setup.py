"""The setup of games between some bots: their wires, their conditions, their data, and where the
games are played."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Self

from judge.contest import threads
from judge.contest.cluster import reached as clusters
from judge.contest.ledger.ledger import Ledger
from judge.contest.schedule import Pairing
from judge.contest.settings import PlaySettings
from judge.contest.window import Fault, OrderedResults
from judge.documents.game import GameRecord
from judge.documents.rules import Fleet, Rules
from judge.errors import UsageError
from judge.game.events import Event as GameEvent
from judge.game.game import Game
from judge.game.variants import name_of
from judge.play.conditions import Conditions
from judge.play.match import Watch
from judge.play.player_data import FixedPlayerData, learns
from judge.play.proof import Proofs
from judge.play.protocol_hint import written_for
from judge.play.run import Connect, Objects, Run
from judge.play.spoken import Called, plays_games_in_a_row, require_playable, spoken
from judge.process.bots.bot import Bot, require_apart, sharing, with_library
from judge.process.bots.data_file import within
from judge.process.bots.forkable import FEW, require_forkable, unforkable
from judge.process.run.exchange_files import SeatLogs, exchanges_in
from judge.process.run.limits import PARTING_SECONDS
from judge.process.run.listening import Stop
from judge.process.sandbox.isolation import choose
from judge.process.sandbox.levels import WALLED, is_weaker
from judge.quoting import word
from judge.signals import look
from judge.wire import WIRES

if TYPE_CHECKING:
    from pathlib import Path

    from judge.contest.cluster.pool import GamePool
    from judge.contest.learning_data import LearningData
    from judge.contest.no_ledger import NoLedger

Tell = Callable[[str], None]

Clearing = Callable[["Setup", Stop], AbstractContextManager[threads.Clear]]
"""A function that opens another place to clear boards. Its second argument is the stop that ends
all bots there."""

IN_A_ROW = 25  # boards of one process; so two or four jobs share the usual 100 evenly
_MOST_NAMED = 5  # the most bots named in one sentence
_WHO_LEARNS = (
    "a player that learns is a single file, no folder with a bot.json, and speaks "
    f"{' or '.join(name for name, wire in WIRES.items() if wire.learns)}"
)


def untold(_: str) -> None:
    """Drop a note."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Bots that can be started and can play the rules, with the conditions and the means to play
    their games. ``jobs`` is the number of games played at once. ``cluster`` plays the games, if it
    is given. ``io`` makes the files that log what the players of a game are told and answer.
    ``objects`` are the bots that are objects of this process. ``clearing`` has boards cleared
    elsewhere if a process of each bot can clear several."""

    bots: tuple[Bot, ...]
    conditions: Conditions
    jobs: int
    connect: Connect | None = None
    data: FixedPlayerData | LearningData = field(default_factory=FixedPlayerData)
    cluster: GamePool | None = None
    io: SeatLogs | None = None
    stayed_on: list[str] = field(default_factory=list)
    proofs: Proofs = field(default_factory=Proofs)
    objects: Objects = field(default_factory=dict)
    clearing: Clearing | None = None

    @classmethod
    def holding(
        cls,
        bots: tuple[Bot, ...],
        settings: PlaySettings,
        seats: int = 2,
        *,
        specs: Sequence[str] | None = None,
        connect: Connect | None = None,
        tell: Tell = untold,
        open_until: contextlib.ExitStack | None = None,
    ) -> Self:
        """The setup of these bots by a user's settings. Raises `UsageError` if the bots cannot play
        so, and `JudgeFault` if a cluster does not answer.

        ``seats`` is the number of seats of a game. ``specs`` is the typed text for each bot; it is
        None if the bots' names are known to fit the game. ``connect`` is as in
        `judge.play.run.Run`. ``tell`` gets notes, a sentence each. The connection to a cluster ends
        when ``open_until`` closes.
        """
        look()
        require_seats(settings.rules, seats)
        if settings.shared is not None:
            bots = sharing(bots, settings.shared, settings.bot_size_bytes)
        asked = bots
        bots = tuple(_as_it_speaks(bot, settings, seats) for bot in bots)
        if specs is not None:
            require_playable(settings.rules, bots, map(named, bots, specs), seats)
        _say_what_seems_wrong(asked, settings.rules, tell)
        dialects = {bot.dialect for bot in bots}
        if settings.launch == "fork":
            _require_forkable(bots, are_typed=specs is not None, tell=tell)
        players = [bot for bot in bots if learns(bot)]
        learning = {bot.name for bot in players}
        data = _data_of(players, [bot for bot in bots if bot.name not in learning], settings, tell)
        level = WALLED if data.keeps else settings.isolation
        isolation, notice = (
            choose(level, settings.limits, bots)
            if settings.cluster is None
            else (clusters.isolation_for(settings), None)
        )
        if notice:
            tell(notice)
        conditions = Conditions(
            rules=settings.rules,
            dialect=dialects.pop() if len(dialects) == 1 else None,
            launch=settings.launch,
            isolation=isolation,
            limits=settings.limits,
        )
        if settings.cluster is None:
            here = cls(bots, conditions, settings.jobs, connect, data)
            return here.keeping_exchanges(settings.io)
        brought = [name for name, digest in data.digests.items() if digest]
        clusters.require_fit(settings, bots, bring_data=brought, connect=connect)
        assert open_until, "a caller that asks for a cluster says how long"
        cluster = clusters.pool_for(settings, bots, conditions, tell=tell, open_until=open_until)
        return cls(bots, conditions, max(cluster.cores, 1), data=data, cluster=cluster)

    @contextlib.contextmanager
    def playing(
        self,
        schedule: Iterable[Pairing],
        watch: Watch | None = None,
        watch_of: Callable[[Pairing], Watch | None] = threads.unwatched,
        bots: Sequence[Bot] | None = None,
        fleet_of: Callable[[Pairing], Fleet] | None = None,
    ) -> Iterator[OrderedResults[Sequence[GameRecord]]]:
        """The results of a schedule's games, in its order; a result is the records of a game or a
        match. ``watch_of`` gives the watch of a game. ``watch`` watches all games, which are then
        played one at a time. Pairings name ``bots`` by index, by default the setup's own bots; the
        list may grow during play. With ``fleet_of`` each bot clears boards alone, and ``fleet_of``
        gives the fleet of a board. A cluster ignores ``watch`` and ``watch_of``."""
        bots = self.bots if bots is None else bots
        if self.cluster is not None:
            task_of = partial(threads.task, bots=bots, fleet_of=fleet_of)
            with self.cluster.playing(schedule, task_of) as results:
                yield results
            return

        def watches(pairing: Pairing) -> Watch | None:
            seen = watch_of(pairing)
            return both(watch, seen) if watch and seen else watch or seen

        def learners_of(pairing: Pairing) -> list[str]:
            names = (bots[number].name for number in pairing.seats)
            return [name for name in names if self.data.keeps and self.data.learns(name)]

        run = self.run()
        with contextlib.ExitStack() as until:
            there = self.clearing if fleet_of and self.jobs > 1 and self._is_portable else None
            clear = until.enter_context(there(self, run.stop)) if there else None
            played = threads.playing(
                schedule,
                bots,
                run,
                jobs=1 if watch else self.jobs,
                watch_of=watches,
                learners=learners_of,
                fleet_of=fleet_of,
                clear=clear,
            )
            yield until.enter_context(played)

    @property
    def _is_portable(self) -> bool:
        """Whether another process can have these bots clear several boards. Such a process knows
        the judge's own wires alone, and has neither ``connect`` nor ``io``."""
        are_ours = all(WIRES[bot.wires[0]].__module__.startswith("judge.") for bot in self.bots)
        return are_ours and all(self._go_on) and self.connect is None and self.io is None

    @property
    def _go_on(self) -> list[bool]:
        """Whether a process of each bot can clear several boards."""
        rules = self.conditions.rules
        return [plays_games_in_a_row(WIRES[bot.wires[0]], rules) for bot in self.bots]

    @property
    def boards_in_a_row(self) -> int:
        """The number of boards that a bot clears in a row: `IN_A_ROW` if a process of some bot can
        clear several and there is no cluster, otherwise one. The number of boards does not depend
        on the number of jobs, so the results do not either."""
        return IN_A_ROW if any(self._go_on) and self.cluster is None else 1

    @property
    def workers(self) -> Callable[[], int] | None:
        """A function that counts the cluster's workers that can play now; None without a
        cluster."""
        pool = self.cluster
        return None if pool is None else lambda: pool.workers

    def run(self) -> Run:
        """A run for games between these bots."""
        return Run(
            self.conditions,
            self.bots,
            self.connect,
            self.data,
            self.stayed_on,
            proofs=self.proofs,
            io=self.io,
            objects=self.objects,
        )

    def expecting(self, games: float) -> Self:
        """The setup for bots that play this number of games each, or clear this number of boards.
        With launch auto, bots that play at most `FEW` games are started by exec, without forks."""
        if self.conditions.launch != "auto" or games > FEW:
            return self
        return replace(self, conditions=replace(self.conditions, launch="exec"))

    def keeping_exchanges(self, folder: Path | None) -> Self:
        """The setup that keeps each bot's exchange and stderr in a folder, if one is given. Raises
        `UsageError` if nothing can be written there, or as `require_apart`."""
        if folder is None:
            return self
        require_apart(folder, self.bots)
        return replace(self, io=exchanges_in(folder))

    def learning(self, ledger: Ledger | NoLedger) -> AbstractContextManager[None]:
        """A block in which the players go on with their last data in a ledger, if the setup keeps
        data."""
        if isinstance(self.data, FixedPlayerData):
            return contextlib.nullcontext()
        return self.data.following(ledger if isinstance(ledger, Ledger) else None)

    def settle(self, result: GameRecord | Fault, *, is_kept: bool) -> None:
        """Settle the learning players' data after a game. If the game ``is_kept``, their next games
        begin with the data that they left in it."""
        if not isinstance(self.data, FixedPlayerData):
            game = result.pairing.id if isinstance(result, Fault) else result.id
            self.data.settle(game, is_kept=is_kept)

    @property
    def notes(self) -> list[str]:
        """A sentence for each problem with a player's data, and for each player that did not exit,
        or was not forked since a proof failed."""
        unkept = [] if isinstance(self.data, FixedPlayerData) else self.data.notices
        return [
            *unkept,
            *self.proofs.differences,
            *(
                f"{name} did not exit at the end of {times:,} game{'s' * (times != 1)} and had to be ended, which "
                f"can take {PARTING_SECONDS:g} s more each time: a player has to exit when its stdin, "
                "or its connection, is closed"
                for name, times in Counter(self.stayed_on).items()
            ),
        ]


def _as_it_speaks(bot: Bot, settings: PlaySettings, seats: int) -> Bot:
    """The bot with the one wire and dialect in which it is asked, and the wire's library, if it has
    one."""
    wire, dialect = spoken(bot, settings.rules, settings.dialect, seats)
    bot = replace(bot, wires=(wire.name,), dialect=dialect)
    return with_library(bot, wire.library, settings.bot_size_bytes) if wire.library else bot


def both(first: Watch, second: Watch) -> Watch:
    """A watch that calls two watches."""

    def watch(game: Game, event: GameEvent) -> None:
        first(game, event)
        second(game, event)

    return watch


def _require_forkable(bots: Sequence[Bot], *, are_typed: bool, tell: Tell) -> None:
    """Raise `UsageError` if none of these bots can be forked, or if one of the typed bots cannot.
    ``tell`` gets a note on the bots of a folder that are started by exec."""
    others = [bot for bot in bots if unforkable(bot)]
    if are_typed or len(others) == len(bots):
        require_forkable(bots)
    if others:
        tell(f"--launch fork is for Python bots; started by exec: {_several(others)}")


def _several(bots: Sequence[Bot]) -> str:
    """The first `_MOST_NAMED` names of these bots, and the number of the others."""
    names = ", ".join(bot.name for bot in bots[:_MOST_NAMED])
    return names + (f" and {len(bots) - _MOST_NAMED} more" if len(bots) > _MOST_NAMED else "")


def _data_of(
    players: Sequence[Bot], others: Sequence[Bot], settings: PlaySettings, tell: Tell
) -> FixedPlayerData | LearningData:
    """The data of the ``players`` that can learn. The ``others`` cannot learn. Raises `UsageError`
    if the settings ask for learning and the isolation or the bots do not allow it."""
    if not settings.limits.data_bytes:
        data = FixedPlayerData(players)
        for name, problem in data.problems.items():
            tell(f"{name} has no data in its games, for {problem}")
        return data
    if is_weaker(settings.isolation, WALLED):
        raise UsageError(
            f"--learning on needs --isolation {WALLED}: under {settings.isolation} players could read "
            "and change each other's data"
        )
    if not players:
        raise UsageError(f"--learning on: none of these bots can learn; {_WHO_LEARNS}")
    if others:
        tell(
            f"--learning on: nothing is kept of what these bots learn: {_several(others)}; {_WHO_LEARNS}"
        )
    for bot in players:
        if program := within(bot):
            raise UsageError(
                f"--learning on gives {bot.name} a folder of its own in place of {bot.folder}, in "
                f"which {program} lies too; put the players into a folder by themselves"
            )
    from judge.contest.learning_data import LearningData  # imported here, since few players learn

    return LearningData(players)


def _say_what_seems_wrong(bots: Iterable[Bot], rules: Rules, tell: Tell) -> None:
    """Tell which bots seem to be written for other rules."""
    for bot in bots:
        if variant := written_for(bot, rules):
            tell(
                f"{bot.name} seems to be written for {variant}, and is asked as {name_of(rules)} has it; "
                f"--rules {variant} plays its game"
            )


def named(bot: Bot, spec: str) -> Called:
    """The bot's name, with the text typed for it and how to mend a name that does not fit."""
    unnamed = spec.removeprefix(f"{bot.name.partition('#')[0]}=")
    return Called(bot.name, spec, f"rename it: NAME={word(unnamed)}")


def require_seats(rules: Rules, seats: int) -> None:
    """Raise `UsageError` unless the rules allow this number of seats."""
    least, most = rules.players
    if not least <= seats <= most:
        allowed = str(least) if least == most else f"{least} to {most}"
        raise UsageError(
            f"the rules {name_of(rules)} are for {allowed} players, not {seats}: choose others with "
            "--rules"
        )
