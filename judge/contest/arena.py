"""Where a schedule of programs is really played: threads, and the user's stop.

Threads are enough, for a worker does nothing but wait for its bots. They outlive every bot that
they start, which matters to what is bound to a parent's thread.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import TypeVar

from judge.contest.schedule import Pairing, derive
from judge.contest.tournament import Fault, Results, run
from judge.contest.waiting import awaited
from judge.errors import BotError
from judge.game.record import Evidence, GameRecord
from judge.game.rules import Fleet
from judge.play.player import Player
from judge.play.referee import Conditions, Watch
from judge.play.table import bot_player, placed_by, play_bot_alone, play_bots
from judge.process.bot import Bot
from judge.process.launch import Stop
from judge.process.launchers import Launchers
from judge.wire.messages import FromBot, ToBot

T = TypeVar("T")

WINDOW = 4  # games that may wait for an earlier one to end, for each job


def playing(
    schedule: Iterable[Pairing],
    bots: Sequence[Bot],
    conditions: Conditions,
    *,
    jobs: int,
    watch: Watch | None = None,
) -> AbstractContextManager[Results]:
    """Play a schedule of games between bots, as `working` says.

    ``watch`` is called from the worker's thread.
    """

    def play(pairing: Pairing, stop: Stop, launchers: Launchers) -> GameRecord:
        return play_bots(
            conditions,
            [bots[number] for number in pairing.seats],
            game_id=pairing.id,
            seed=pairing.seed,
            first=pairing.first,
            bot_seeds=pairing.bot_seeds,
            stop=stop,
            launchers=launchers,
            watch=watch,
        )

    return working(schedule, play, jobs=jobs)


def clearing(
    schedule: Iterable[Pairing],
    bots: Sequence[Bot],
    fleet_of: Callable[[Pairing], Fleet],
    conditions: Conditions,
    *,
    jobs: int,
) -> AbstractContextManager[Results]:
    """Let bots clear boards alone, as `working` says."""

    def play(pairing: Pairing, stop: Stop, launchers: Launchers) -> GameRecord:
        return play_bot_alone(
            conditions,
            bots[pairing.seats[0]],
            fleet_of(pairing),
            game_id=pairing.id,
            seed=pairing.seed,
            bot_seed=pairing.shared_seed,
            stop=stop,
            launchers=launchers,
        )

    return working(schedule, play, jobs=jobs)


def placing(
    schedule: Iterable[Pairing], bot: Bot, conditions: Conditions, *, jobs: int
) -> AbstractContextManager[Generator[Fleet | BotError | Fault, None, None]]:
    """Ask a bot for a fleet for each board, as `working` says; or get what it did wrong."""

    def play(pairing: Pairing, stop: Stop, launchers: Launchers) -> Fleet | BotError:
        try:
            seed = derive(pairing.seed, "against")
            return placed_by(conditions, bot, bot_seed=seed, stop=stop, launchers=launchers)
        except BotError as error:
            return error

    return working(schedule, play, jobs=jobs)


@contextlib.contextmanager
def working(
    schedule: Iterable[Pairing], play: Callable[[Pairing, Stop, Launchers], T], *, jobs: int
) -> Iterator[Generator[T | Fault, None, None]]:
    """Play a schedule, ``jobs`` games at once, and give the results in its order. What was started
    for a bot may serve its next game.

    At the end of the ``with`` block, however it is left, every bot is dead and every worker
    gone; games still under way are dropped.
    """
    with (
        contextlib.closing(Stop()) as stop,
        contextlib.closing(Launchers(stop)) as launchers,
        ThreadPoolExecutor(jobs, thread_name_prefix="game") as pool,
    ):
        results = run(schedule, lambda one: play(one, stop, launchers), pool, window=WINDOW * jobs)
        try:
            yield results
        finally:
            stop.set()
            results.close()


@contextlib.contextmanager
def asking(conditions: Conditions) -> Iterator[Callable[[Bot, int, int], Player]]:
    """Programs for one who asks them move by move: a function from a bot, its seat and its
    BOT_SEED to a player.

    They are started, run and ended in a thread of their own, like those of a schedule: so a signal
    that ends the judge finds the caller waiting, and never between the start of a process and the
    word that it has started. At the end of the ``with`` block, however it is left, every bot is
    dead.
    """
    with contextlib.closing(Stop()) as stop, ThreadPoolExecutor(1, "bot") as pool:
        kept = contextlib.ExitStack()

        def seated(bot: Bot, seat: int, seed: int) -> Player:
            player = bot_player(conditions, bot, seat, seed, stop)
            return _Apart(awaited(pool.submit(kept.enter_context, player)), pool)

        try:
            yield seated
        finally:
            stop.set()
            pool.submit(kept.close).result()


class _Apart:
    """A player that is asked in another thread."""

    def __init__(self, player: Player, pool: ThreadPoolExecutor) -> None:
        self.name = player.name
        self.digest = player.digest
        self.seed = player.seed
        self._player = player
        self._pool = pool

    @property
    def milliseconds(self) -> float:
        return self._player.milliseconds

    def ask(self, message: ToBot) -> FromBot:
        return awaited(self._pool.submit(self._player.ask, message))

    def evidence(self, seat: int) -> Evidence | None:
        return self._player.evidence(seat)
