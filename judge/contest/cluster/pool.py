"""The pool that sends games to the workers of a cluster and takes their results.

The pool says which workers can play a game, and checks the results. The engine, a `DaskEngine`,
chooses one of these workers, sends the bots' files there, and chooses another when that worker
dies.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from judge.contest.cluster.task_result import read, records_of
from judge.contest.schedule import Pairing
from judge.contest.standings.fight_documents import under
from judge.contest.window import TRIES, Fault, OrderedResults
from judge.documents.codec import encode
from judge.documents.game import GameRecord
from judge.documents.tasks import SentTask, Task, TaskResult, TaskSeat, Terms
from judge.errors import (
    BotChanged,
    Interrupted,
    JudgeFault,
    MachineBusy,
    PlaysNoMore,
    RunsNowhere,
    UsageError,
)
from judge.play.conditions import Conditions
from judge.process.bots.bot import Bot
from judge.process.bots.parcel import Parcel, packed

if TYPE_CHECKING:
    from judge.contest.cluster.dask_engine import DaskEngine

WINDOW = 32  # seeds for each core in the window of games
MOST_WAITING = 4096  # the most seeds in the window
LOOK_SECONDS = 1.0
NO_WORKER_SECONDS = 300.0  # long enough to start workers again after the network was cut

Outcome = Sequence[GameRecord] | Fault
Answer = tuple[str, str]
"""The address of the worker that played a task, and its ``task-result`` document as text."""


class ConnectionLost(JudgeFault):
    """The connection to the workers broke. The games under way are sent again."""


class WorkersDied(JudgeFault):
    """Workers died while they played a game."""

    def __init__(self, last: str) -> None:
        super().__init__(
            f"its workers died while it was played, at last {last}, perhaps for want of memory"
        )


class Roster:
    """The workers that there are now, with the ``cores`` of each, and the bots that each cannot
    run. The roster forgets all about a worker that is gone."""

    def __init__(self, cores: Mapping[str, int]) -> None:
        self.cores = cores
        # The reasons by the bot's digest and the worker; the digest "" stands for all bots.
        self._unfit: defaultdict[str, dict[str, str]] = defaultdict(dict)

    @property
    def playing(self) -> set[str]:
        """The workers, without those that cannot play any game."""
        return self.cores.keys() - self._unfit[""].keys()

    def update(self, cores: Mapping[str, int]) -> None:
        """Replace the workers by those that there are now."""
        for reasons in self._unfit.values():
            for gone in self.cores.keys() - cores.keys():
                reasons.pop(gone, None)
        self.cores = dict(cores)

    def refuse(self, worker: str, reason: str, digest: str = "") -> bool:
        """Note that a worker cannot play games of the bot with this digest, or of any bot if the
        digest is "". Return whether that is new."""
        is_new = worker not in self._unfit[digest]
        self._unfit[digest][worker] = reason
        return is_new

    def able(self, seats: Sequence[TaskSeat]) -> set[str]:
        """The workers that can play a game of these bots; empty if there is no worker.

        Raises `UsageError` if there are workers and none of them can play any game. Raises
        `RunsNowhere` if one of the bots can be run by no worker. Raises `JudgeFault` if each bot
        can be run by some worker, but no worker can run all of them.
        """
        fit = self.playing
        if self.cores and not fit:
            why = "; ".join(sorted({*self._unfit[""].values()}))
            raise UsageError(f"none of the workers can play these games: {why}")
        for seat in seats:
            reasons = self._unfit[seat.digest]
            if fit and not fit - reasons.keys():
                why = "; ".join(sorted({*reasons.values()}))
                raise RunsNowhere(seat.name, why)
        for seat in seats:
            fit -= self._unfit[seat.digest].keys()
        if self.cores and not fit:
            names = " and ".join(seat.name for seat in seats)
            raise JudgeFault(f"no worker can run {names}, though each can be run by one")
        return fit


@dataclass(slots=True, eq=False)
class _Game:
    pairing: Pairing
    sent: SentTask
    promise: Future[Outcome] = field(default_factory=Future)
    where: set[str] = field(default_factory=set)  # the workers that may play it
    future: Future[Answer] = field(default_factory=Future)  # the last answer of the engine
    tries: int = 0  # tries that failed
    is_moved: bool = False  # whether it was sent again, since its worker was gone


class GamePool:
    """A pool that plays games on the workers of an engine. Thread-safe.

    ``bots`` are the bots that play. ``workers`` has the number of cores of each worker at the
    start, and ``cores`` is their sum. ``tell`` gets a sentence about each worker that cannot play
    any game, or the games of some bot, and about times without workers.
    """

    def __init__(
        self,
        engine: DaskEngine,
        bots: Iterable[Bot],
        conditions: Conditions,
        workers: Mapping[str, int],
        tell: Callable[[str], None],
    ) -> None:
        self._engine = engine
        self._bots = {bot.digest: bot for bot in bots}
        self._terms = Terms(**under(conditions))
        self._tell = tell
        self.cores = sum(workers.values())
        self._lock = threading.RLock()  # guards the fields up to the empty line
        self._roster = Roster(workers)
        self._open: set[_Game] = set()  # the games without a result
        self._deadly: set[str] = set()  # ids of the games whose workers have died

        self._last_worker = time.monotonic()
        self._is_closed = False
        self._looks = threading.Event()  # set when the workers are to be looked at now
        self._thread = threading.Thread(target=self._work, name="cluster", daemon=True)
        self._thread.start()

    @property
    def workers(self) -> int:
        """The number of workers that can play, as far as the pool knows."""
        return len(self._roster.playing)

    def playing(
        self, schedule: Iterable[Pairing], task_of: Callable[[Pairing], Task]
    ) -> OrderedResults[Sequence[GameRecord]]:
        """The results of a schedule's games, in its order."""
        window = min(WINDOW * max(self.cores, 1), MOST_WAITING)

        def submit(pairing: Pairing) -> Future[Outcome]:
            return self.submit(pairing, task_of(pairing))

        return OrderedResults(schedule, submit, window, window, self.stop)

    def submit(self, pairing: Pairing, task: Task) -> Future[Outcome]:
        """Send a game or a match to a worker, and return the future of its result. The future
        cannot be cancelled; `stop` ends it early."""
        game = _Game(pairing, SentTask(terms=self._terms, game=task))
        game.promise.set_running_or_notify_cancel()
        with self._lock:
            self._open.add(game)
        self._begin(game)
        return game.promise

    def stop(self) -> None:
        """Have the futures of all games under way raise `Interrupted`. Games that are submitted
        later are played."""
        self._fail(Interrupted())

    def close(self) -> None:
        self._is_closed = True
        self.stop()
        self._looks.set()
        self._thread.join()

    def _begin(self, game: _Game) -> None:
        """Have the engine play a game on one of the workers that can. If there is no worker now, a
        later look sends the game."""
        try:
            with self._lock:
                if game not in self._open:
                    return
                seats = game.sent.game.seats
                game.where = self._roster.able(seats)
                if not game.where:
                    return
                if game.pairing.id in self._deadly:
                    game.where = {min(game.where)}
                parcels = {seat.digest: partial(self._packed, seat.digest) for seat in seats}
                future = self._engine.submit(game.where, encode(game.sent).decode(), parcels)
                game.future = future
        except (JudgeFault, UsageError) as error:
            self._failed(game, error)
        else:
            future.add_done_callback(partial(self._came, game))

    def _packed(self, digest: str) -> Parcel:
        try:
            return packed(self._bots[digest])
        except UsageError as error:
            raise BotChanged(self._bots[digest].name, str(error)) from None

    def _came(self, game: _Game, future: Future[Answer]) -> None:
        """Take a worker's answer. Any thread may call this."""
        if game.future is not future or future.cancelled():
            return  # the game has been sent again, or given up
        try:
            worker, said = future.result()
            result = read(said, game.sent.game)
            if result.refused is None and not result.unfit:
                self._settle(game, records_of(result, game.sent))
                return
            self._learn(worker, result)
        except Exception as error:  # noqa: BLE001 - whatever it is, the game is not a result
            self._failed(game, error)
        else:
            self._begin(game)

    def _learn(self, worker: str, result: TaskResult) -> None:
        """Note why a worker cannot play a game, and tell the reason once."""
        with self._lock:
            if result.refused is not None and self._roster.refuse(worker, result.refused):
                self._tell(f"{worker} plays no game: {result.refused}")
            for one in result.unfit:
                if self._roster.refuse(worker, one.reason, one.digest):
                    name = self._bots[one.digest].name
                    self._tell(f"{worker} plays no game of {name}: {one.reason}")

    def _failed(self, game: _Game, error: Exception) -> None:
        """Send a game again that could not be played; after a `ConnectionLost` the next look sends
        it. Settle it after `TRIES` tries, or at once if a new try would not help."""
        # The error may be kept, so it loses its traceback.
        error.__traceback__ = error.__cause__ = error.__context__ = None
        if isinstance(error, UsageError):
            self._settle(game, error)
        elif isinstance(error, ConnectionLost):
            game.where = set()
            self._looks.set()
        elif isinstance(error, WorkersDied) and game.pairing.id not in self._deadly:
            # Another game may have killed its workers, so this one is played again alone, on one
            # worker.
            self._deadly.add(game.pairing.id)
            self._settle(game, Fault(game.pairing, MachineBusy(str(error))))
        elif isinstance(error, PlaysNoMore | MachineBusy | WorkersDied) or game.tries + 1 >= TRIES:
            self._settle(game, Fault(game.pairing, error))
        else:
            game.tries += 1
            self._begin(game)

    def _settle(self, game: _Game, outcome: Outcome | BaseException) -> None:
        with self._lock:
            if game not in self._open:
                return
            self._open.discard(game)
        game.future.cancel()
        # The lock is not held, since the callback may submit the next game.
        if isinstance(outcome, BaseException):
            game.promise.set_exception(outcome)
        else:
            game.promise.set_result(outcome)

    def _fail(self, error: BaseException) -> None:
        with self._lock:
            failed = [*self._open]
        for game in failed:
            self._settle(game, error)

    # Workers

    def _work(self) -> None:
        while not self._is_closed:
            self._looks.wait(LOOK_SECONDS)
            self._looks.clear()
            try:
                if self._open:
                    self._look()
            except Exception as error:  # noqa: BLE001 - whoever waits for a result is told
                self._fail(error)

    def _look(self) -> None:
        """Update the workers, and send the games that wait for a worker. Raises `JudgeFault` if
        there has been no worker for `NO_WORKER_SECONDS`."""
        workers = self._engine.workers()
        now = time.monotonic()
        if workers:
            self._last_worker = now
        elif now - self._last_worker > NO_WORKER_SECONDS:
            raise JudgeFault(
                f"there has been no worker for {NO_WORKER_SECONDS:.0f} s; start one, and the same "
                "command goes on"
            )
        elif self._roster.cores:
            self._tell(
                "no worker is left; the games go on as soon as there is one, within "
                f"{NO_WORKER_SECONDS:.0f} s"
            )
        with self._lock:
            self._roster.update(workers)
            waiting = [game for game in self._open if not game.where & workers.keys()]
        for game in waiting:
            game.future.cancel()
            if game.where and (game.is_moved or game.pairing.id in self._deadly):
                self._failed(game, WorkersDied(min(game.where)))
            else:
                game.is_moved = game.is_moved or bool(game.where)
                self._begin(game)
