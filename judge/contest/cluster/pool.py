"""Hands games out to workers, in batches, and takes what became of them.

Every batch goes to one worker, which this side chooses: so a bot's files go once to each, a worker
that cannot run a bot gets none of its games, and it is known whose games a worker that dies had.
One thread does all that; an `Engine` says which workers there are, and carries texts to them.

When a worker dies, each of its games is played again, alone on a worker. If that worker dies too,
the game is given up: this is the judge's fault, and costs no bot anything.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from msgspec.structs import replace

from judge.contest.cluster.engine import ConnectionLost, Engine, WorkerDied
from judge.contest.cluster.roster import Roster
from judge.contest.cluster.task_result import BatchResult, terms_of
from judge.contest.schedule import Pairing
from judge.contest.tournament import TRIES, Fault, MatchResults, Results
from judge.documents.codec import encode
from judge.documents.game import GameRecord
from judge.documents.tasks import Batch, Task
from judge.errors import BotChanged, Interrupted, JudgeFault, MachineBusy, UsageError
from judge.play.conditions import Conditions
from judge.process.bots.bot import Bot
from judge.process.bots.parcel import packed

BATCH_SECONDS = 0.2
GATHER_SECONDS = 0.05  # that games wait for others until they are half a batch
MOST_GAMES = 64  # of a batch
AHEAD = 2  # batches for each core: one is played, one waits
MOST_BYTES = 64 * 2**20  # of results that wait for an earlier one
WINDOW = 32  # games that are under way, and seeds of games that wait for others, for each core
MOST_WAITING = 4096  # of either in all
MOST_MISSES = 8  # of files for a game, in a try; more than a worker with a full cache has
LOOK_SECONDS = 1.0
NO_WORKER_SECONDS = 300.0  # long enough to start some again after the network was cut

Outcome = GameRecord | MatchResults[GameRecord] | Fault


class _Promise(Future[Outcome]):
    """A result that says when it has been taken."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0  # that it holds until then
        self.at_taking: Callable[[int], None] | None = None

    def result(self, timeout: float | None = None) -> Outcome:
        found = super().result(timeout)
        if self.at_taking is not None:
            self.at_taking(self.bytes)
            self.at_taking = None
        return found


@dataclass(slots=True, eq=False)
class _Game:
    pairing: Pairing
    task: Task
    promise: _Promise
    tries: int = 0  # that have failed
    misses: int = 0  # answers that files of its bots, or of others in the batch, are not there
    deaths: int = 0  # of workers that had it


@dataclass(slots=True, eq=False)
class _Sent:
    """A batch under way; ``parcels`` are the digests of the bots that went with it."""

    worker: str
    games: tuple[_Game, ...]
    parcels: Collection[str]
    is_alone: bool
    forget: Callable[[], None] = field(default=lambda: None)


class GamePool:
    """Plays games by the workers of an engine. A context manager, at whose end all is dropped that
    is under way. Thread-safe.

    ``bots`` are those that play, and ``tell`` gets a sentence about a worker that can play none, or
    none of a bot's games.
    """

    def __init__(
        self,
        engine: Engine,
        bots: Iterable[Bot],
        conditions: Conditions,
        tell: Callable[[str], None],
    ) -> None:
        self._engine = engine
        self._bots = {bot.digest: bot for bot in bots}
        self._terms = terms_of(conditions)
        self._tell = tell
        self._events: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._lock = threading.Lock()  # for what follows, up to the empty line
        self._open: set[_Game] = set()  # whose results are not there
        self._held = 0  # bytes of results that nobody has taken
        self._is_closed = False

        self._queued: deque[_Game] = deque()
        self._gathered = 0.0  # when those that wait are enough for a batch, however few
        self._suspects: deque[_Game] = deque()
        self._under_way: set[_Sent] = set()
        self._roster = Roster()
        self._seconds = BATCH_SECONDS  # that a game takes, as far as is known
        self._next_look = 0.0
        self._last_worker = time.monotonic()
        self._thread = threading.Thread(target=self._work, name="cluster", daemon=True)
        self._thread.start()

    @property
    def workers(self) -> int:
        """How many there were at the last look that can play."""
        return len(self._roster.playing)

    def submit(self, pairing: Pairing, task: Task) -> Future[Outcome]:
        """Have a game played, or a match."""
        game = _Game(pairing, task, _Promise())
        with self._lock:
            if self._is_closed:
                game.promise.set_exception(Interrupted())
                return game.promise
            self._open.add(game)
        self._events.put(partial(self._queue, game))
        return game.promise

    def stop(self) -> None:
        """End what is under way by `Interrupted`; games that come later are played."""
        self._fail(Interrupted())
        self._events.put(self._forget_all)

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
        self.stop()
        self._thread.join()

    def _work(self) -> None:
        while not self._is_closed or not self._events.empty():
            try:
                self._handle_events()
                if self._open:
                    self._look()
                    self._hand_out()
            except Exception as error:  # noqa: BLE001 - whoever waits for a result is told
                self._fail(error)
                self._forget_all()

    def _queue(self, game: _Game) -> None:
        if not self._queued:
            self._gathered = time.monotonic() + GATHER_SECONDS
        self._queued.append(game)

    def _handle_events(self) -> None:
        """Wait for something to happen, but no longer than until the next look, or until the games
        that wait are to be sent."""
        gathering = self._gathered - time.monotonic() if self._queued else 0
        try:
            self._events.get(timeout=gathering if gathering > 0 else LOOK_SECONDS)()
            while True:
                self._events.get_nowait()()
        except queue.Empty:
            return

    def _fail(self, error: BaseException) -> None:
        with self._lock:
            failed = [game for game in self._open if _begins(game.promise)]
            self._open.clear()
            self._held = 0
        for game in failed:  # without the lock, for that may submit the next one
            game.promise.set_exception(error)

    def _forget_all(self) -> None:
        """Drop what nobody waits for any more."""
        for sent in [*self._under_way]:
            if not any(game in self._open for game in sent.games):
                sent.forget()
                self._under_way.discard(sent)
        for games in (self._queued, self._suspects):
            kept = [game for game in games if game in self._open]
            games.clear()
            games.extend(kept)

    def _settle(self, game: _Game, outcome: Outcome, size: int = 0) -> None:
        with self._lock:
            if game not in self._open:
                return
            self._open.discard(game)
            if not _begins(game.promise):
                return
            game.promise.bytes, game.promise.at_taking = size, self._taken
            self._held += size
        game.promise.set_result(outcome)  # without the lock, for that may submit the next one

    def _taken(self, size: int) -> None:
        with self._lock:
            self._held = max(0, self._held - size)  # after a stop nobody takes the rest
        self._events.put(lambda: None)  # there may be room for another batch

    # Workers

    def _look(self) -> None:
        """See which workers there are, and which have died."""
        now = time.monotonic()
        if now < self._next_look:
            return
        workers = self._engine.workers()
        self._next_look = time.monotonic() + LOOK_SECONDS
        if workers:
            self._last_worker = time.monotonic()
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
        for gone in self._roster.update(workers):
            for sent in [one for one in self._under_way if one.worker == gone]:
                self._under_way.discard(sent)
                sent.forget()
                self._suspect(sent)

    def _suspect(self, sent: _Sent) -> None:
        """Have the games played again whose worker died, each alone; but not for ever."""
        for game in sent.games:
            game.deaths += 1
            if game.deaths < TRIES:
                self._suspects.append(game)
            else:
                self._settle(
                    game,
                    Fault(
                        game.pairing,
                        JudgeFault(
                            f"the worker died twice while it was played, at last {sent.worker}, as where "
                            "its memory does not suffice"
                        ),
                    ),
                )

    # Sending

    def _hand_out(self) -> None:
        self._drop_cancelled()
        load = Counter(sent.worker for sent in self._under_way)
        closed = {sent.worker for sent in self._under_way if sent.is_alone}
        while self._suspects:
            game = self._suspects[0]
            able = self._able(game)
            if able is None:
                self._suspects.popleft()
                continue
            if not (idle := [one for one in able if not load[one]]):
                if able and not closed.issuperset(able):
                    # This one gets no more, and is idle soon.
                    closed.add(min(able - closed, key=load.__getitem__))
                break
            self._suspects.popleft()
            self._send(idle[0], (game,), is_alone=True)
            load[idle[0]] += 1
            closed.add(idle[0])
        while self._queued and (self._held < MOST_BYTES or not self._under_way):
            if len(self._queued) < self._fewest and time.monotonic() < self._gathered:
                break
            game = self._queued[0]
            able = self._able(game)
            if able is None:
                self._queued.popleft()
                continue
            cores = self._roster.cores
            free = [one for one in able if one not in closed and load[one] < AHEAD * cores[one]]
            if not free:
                break
            worker = min(free, key=lambda one: load[one] / cores[one])
            self._send(worker, self._batch_for(worker))
            load[worker] += 1

    def _drop_cancelled(self) -> None:
        with self._lock:
            for game in [*self._queued]:
                if game.promise.cancelled():
                    self._queued.remove(game)
                    self._open.discard(game)

    def _able(self, game: _Game) -> set[str] | None:
        """The workers that can play a game; None if it has been settled that none can."""
        able = self._roster.able(game.task.seats)
        if isinstance(able, JudgeFault):
            self._settle(game, Fault(game.pairing, able))
            return None
        return able

    @property
    def _whole(self) -> int:
        """How many games make a whole batch, for what they take."""
        return min(max(1, int(BATCH_SECONDS / self._seconds)), MOST_GAMES)

    @property
    def _fewest(self) -> int:
        return max(1, self._whole // 2)

    def _batch_for(self, worker: str) -> tuple[_Game, ...]:
        """The next games of the queue, as many as take some time together, but no more than a fair
        share of what is left, unless that is less than half a batch."""
        share = -(-len(self._queued) // (AHEAD * sum(self._roster.cores.values())))
        most = min(self._whole, max(share, self._fewest))
        games = [self._queued.popleft()]
        while len(games) < most and self._queued:
            able = self._able(self._queued[0])
            if able is not None and worker not in able:
                break
            game = self._queued.popleft()
            if able is not None:
                games.append(game)
        return tuple(games)

    def _send(self, worker: str, games: tuple[_Game, ...], *, is_alone: bool = False) -> None:
        begun = [one for one in games if _begins(one.promise)]
        batch = replace(self._terms, tasks=tuple(one.task for one in begun))
        parcels = {}
        for digest in self._roster.lacks(worker, batch.digests):
            try:
                parcels[digest] = packed(self._bots[digest])
            except UsageError as error:
                changed = BotChanged(self._bots[digest].name, str(error))
                self._unpackable(begun, digest, changed)
                return
        if not begun:
            return
        sent = _Sent(worker, tuple(begun), parcels.keys(), is_alone)
        self._under_way.add(sent)
        try:
            text = encode(batch).decode()
            sent.forget = self._engine.send(worker, text, parcels, partial(self._came, sent))
        except ConnectionLost as error:
            self._came(sent, error)
        self._roster.sent(worker, parcels)

    def _unpackable(self, games: Sequence[_Game], digest: str, error: BotChanged) -> None:
        """Give up the games of a bot whose files have changed; the others wait again."""
        for game in reversed(games):
            if any(seat.digest == digest for seat in game.task.seats):
                self._settle(game, Fault(game.pairing, error))
            else:
                self._queued.appendleft(game)

    # Results

    def _came(self, sent: _Sent, said: str | Exception) -> None:
        """Called in any thread."""
        self._events.put(partial(self._take, sent, said))

    def _take(self, sent: _Sent, said: str | Exception) -> None:
        if sent not in self._under_way:
            return  # it has been given up
        self._under_way.discard(sent)
        sent.forget()
        if isinstance(said, ConnectionLost):
            self._next_look = 0
            self._again(sent, sent.games)
            return
        if isinstance(said, WorkerDied):
            self._next_look = 0
            self._suspect(sent)
            return
        result = said if isinstance(said, Exception) else _read(said, sent, self._terms)
        if isinstance(result, Exception):
            # Without what it holds on to, for it may be kept.
            result.__traceback__ = result.__cause__ = result.__context__ = None
            self._failed(sent, [(game, result) for game in sent.games])
            return
        if result.refused is not None:
            self._roster.refuse(sent.worker, result.refused)
            self._tell(f"{sent.worker} plays no game: {result.refused}")
        for digest, reason in result.unfit.items():
            self._roster.cannot_run(sent.worker, digest, reason)
            self._tell(f"{sent.worker} plays no game of {self._bots[digest].name}: {reason}")
        self._roster.threw_away(sent.worker, {*result.missing, *result.unfit})
        if not result.games:
            self._unplayed(sent, result)
            return
        assert isinstance(said, str), "it has been read"
        self._seconds = max(0.8 * self._seconds + 0.2 * result.ms / 1000 / len(sent.games), 1e-4)
        size = len(said) // len(sent.games)
        failed = []
        for game, outcome in zip(sent.games, result.games, strict=True):
            if isinstance(outcome, JudgeFault):
                failed.append((game, outcome))
            else:
                self._settle(game, outcome, size)
        self._failed(sent, failed)

    def _unplayed(self, sent: _Sent, result: BatchResult) -> None:
        """Have games played that a worker has not played; not for ever where it lacks files, of
        which it may say so at each time."""
        if result.missing:
            for game in sent.games:
                game.misses += 1
        tired = {game for game in sent.games if game.misses > MOST_MISSES}
        for game in tired:
            game.misses = 0
        said = JudgeFault(f"{sent.worker} asks for the files of bots again and again")
        self._again(sent, [game for game in sent.games if game not in tired])
        self._failed(sent, [(game, said) for game in sent.games if game in tired])

    def _failed(self, sent: _Sent, failed: Sequence[tuple[_Game, Exception]]) -> None:
        again = []
        for game, error in failed:
            game.tries += 1
            if game.tries >= TRIES or isinstance(error, MachineBusy):
                self._settle(game, Fault(game.pairing, error))
            else:
                again.append(game)
        self._again(sent, again)

    def _again(self, sent: _Sent, games: Sequence[_Game]) -> None:
        (self._suspects if sent.is_alone else self._queued).extendleft(reversed(games))


def _read(said: str, sent: _Sent, terms: Batch) -> BatchResult | JudgeFault:
    """What a worker said of a batch; a fault if it makes no sense."""
    try:
        batch = replace(terms, tasks=tuple(game.task for game in sent.games))
        result = BatchResult.read(said, batch)
    except JudgeFault as error:
        return JudgeFault(f"{sent.worker}: {error}")
    named = {*result.missing, *result.unfit}
    if other := named.difference(seat.digest for game in sent.games for seat in game.task.seats):
        names = ", ".join(sorted(other))
        return JudgeFault(f"{sent.worker} speaks of bots that play none of its games: {names}")
    if not result.games and not named and result.refused is None:
        return JudgeFault(f"{sent.worker} sent no game, and no reason")
    if again := [one for one in result.missing if one in sent.parcels]:
        return JudgeFault(f"{sent.worker} has not kept the files of {', '.join(again)}")
    return result


@contextmanager
def handed_out(
    schedule: Iterable[Pairing],
    task_of: Callable[[Pairing], Task],
    pool: GamePool,
    cores: int,
) -> Iterator[Results[GameRecord]]:
    """Play a schedule by a pool whose workers have so many cores, and give the results in its
    order; at the end of the block, however it is left, games under way are dropped."""

    def submit(pairing: Pairing) -> Future[Outcome]:
        return pool.submit(pairing, task_of(pairing))

    window = min(WINDOW * max(cores, 1), MOST_WAITING)
    results: Results[GameRecord] = Results(schedule, submit, window, window, stop=pool.stop)
    try:
        yield results
    finally:
        results.close()
        pool.stop()


def _begins(promise: _Promise) -> bool:
    """Whether a game is wanted still; it cannot be cancelled from now on."""
    return promise.running() or (not promise.cancelled() and promise.set_running_or_notify_cancel())
