"""The window of games under way: plays a schedule, several games at once, and gives the results in
the schedule's order.

The caller supplies a function that submits a game and returns its future. `attempts` makes that
function from a function that plays a game and an executor.

A lane is a queue of games: a game begins when the one before is over. Games of other lanes fill the
time. A game is in one lane or more. The games of one seed are a lane, since they have the same
fleets, and two processes of a bot on one machine could tell each other where the ships are. The
games of a player that learns are a lane too. A game of such a lane begins when the result of the
game before has been taken, since it begins with what the player has learned.

The window holds the games of a limited number of seeds, so memory does not grow with the schedule.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Generic, Self, TypeVar

from judge.contest.futures import MOST_REPLAYS
from judge.contest.outside import whose_bug
from judge.contest.schedule import Pairing
from judge.errors import (
    Interrupted,
    JudgeFault,
    MachineBusy,
    PlaysNoMore,
    UsageError,
    WorkersDied,
)
from judge.waiting import awaited

TRIES = 2
MOST_FAULTS = 10  # failures in a row that stop the run


@dataclass(frozen=True, slots=True)
class Fault:
    """A game that the judge could not play. Such a game counts for nobody and is not recorded."""

    pairing: Pairing
    error: Exception
    whose: str = "the judge"
    """The owner of the bug, if the error is a bug."""


def has_changed(faults: Sequence[Fault]) -> bool:
    """Whether the last fault is that a bot can play no more, since its files have changed or no
    worker can run it."""
    return bool(faults) and isinstance(faults[-1].error, PlaysNoMore)


T = TypeVar("T")

Learners = Callable[[Pairing], Collection[str]]
"""A function that gives the players of a game that keep what they learn."""


def no_learners(_: Pairing) -> Collection[str]:
    return ()


@dataclass(slots=True, eq=False)
class _Game(Generic[T]):
    """A game or a match in the window. ``number`` is its place in the schedule. ``learners`` are
    its players that learn. ``future`` is None until the game is submitted."""

    number: int
    pairing: Pairing
    learners: Collection[str]
    future: Future[T | Fault] | None = None

    @property
    def lanes(self) -> tuple[int | str, ...]:
        return self.pairing.seed, *self.learners


class OrderedResults(Generic[T]):
    """An iterator over the results of a schedule's pairings, each a game or a match. At most
    ``jobs`` pairings are played at once; none begins before the first ``next``. Results come in the
    order of the schedule, unless ``in_order`` is false.

    ``window`` is the largest number of seeds with games in the window. A game is in the window from
    when it is read until its result has been taken. The next game to begin is the first in the
    window that is at the front of all its lanes.

    A game that failed by `MachineBusy` is played again alone, after the games under way, which may
    be the reason, have ended. No other game begins meanwhile.

    An exception of a game's future is raised. Raises `JudgeFault` after `MOST_FAULTS` faults in a
    row. A fault by `PlaysNoMore` does not count, since the caller puts off that bot's games. A row
    of faults by `MachineBusy` does not count if one bot of a contest plays in all its games, so
    that a single bot cannot stop a contest.

    No game begins after an error or ``close``. Games under way go on until ``stop`` is called.
    """

    def __init__(
        self,
        schedule: Iterable[Pairing],
        submit: Callable[[Pairing], Future[T | Fault]],
        jobs: int,
        window: int,
        stop: Callable[[], None] | None = None,
        *,
        learners: Learners = no_learners,
    ) -> None:
        """``submit`` is called in any thread, but in one at a time. ``stop`` ends every game under
        way at once, by `Interrupted`."""
        assert jobs > 0 < window, "without jobs and a window nothing would be played"
        self._pairings = enumerate(schedule)
        self._submit = submit
        self.jobs = jobs
        """The most games under way. It may be changed between two results."""
        self._window = window
        self._stop = stop
        self._learners = learners
        self._is_read = False  # whether the window is filled from the schedule
        self._games: deque[_Game[T]] = deque()
        self._seeds: Counter[int] = Counter()  # seeds of these games
        self._taken: _Game[T] | None = None  # known once the next is asked for
        self._faults: list[Fault] = []  # faults in a row
        self.wait: Callable[[Future[None]], None] = awaited
        """The function that waits until another game has ended."""
        self.in_order = True
        """Whether results are given in the order of the schedule, and not as games end."""

        self._lock = threading.RLock()  # guards the fields that follow
        self._is_closed = False
        self._is_alone = False  # a game is played again alone, so no other game may begin
        self._under_way: dict[Future[T | Fault], _Game[T]] = {}
        self._another_over: Future[None] = Future()
        # The games that are not over by their seeds, and those that are not taken by their
        # learners.
        self._lanes: dict[int | str, deque[_Game[T]]] = {}
        # A heap of the games that may begin: the first of all their lanes.
        self._ready: list[tuple[int, _Game[T]]] = []

    def __iter__(self) -> Self:
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Let no other game begin, and end the games under way at once."""
        self.close()  # closed first, since the end of a game would begin another
        if self._stop:
            self._stop()

    def __next__(self) -> T | Fault:
        if self._is_closed:
            raise StopIteration
        try:
            return self._next()
        except BaseException:
            self.close()
            raise

    def finished(self) -> Iterator[T | Fault]:
        """After `Interrupted`: the results of the games that finished all the same, in order, up to
        the first game that did not. Also closes the window and stops the games under way."""
        self.close()
        if self._stop:
            self._stop()
        self._let_go()
        while self._games and (future := self._games[0].future) and not future.cancelled():
            try:
                result = awaited(future)
            except Interrupted:
                return
            if _failed_by(result, MachineBusy):
                return  # this game was to be played again
            self._games.popleft()
            yield result

    @property
    def is_complete(self) -> bool:
        """Whether all results of the schedule have been given. To be called after ``finished``."""
        return self._is_read and not self._games and next(self._pairings, None) is None

    def forget(self, is_wanted: Callable[[Pairing], bool]) -> set[int]:
        """Drop games that have not begun, and return the seeds of the dropped games. A game stays
        if ``is_wanted`` says so and a game of its seed has begun."""
        with self._lock:
            begun = {game.pairing.seed for game in self._games if game.future}
            gone = {
                game
                for game in self._games
                if game.future is None
                and not (game.pairing.seed in begun and is_wanted(game.pairing))
            }
            self._games = deque(game for game in self._games if game not in gone)
            self._seeds = Counter(game.pairing.seed for game in self._games)
            for name, lane in [*self._lanes.items()]:
                self._lanes[name] = deque(game for game in lane if game not in gone)
                if not self._lanes[name]:
                    del self._lanes[name]
            self._ready = []
            for game in self._games:
                if game.future is None:
                    self._make_ready(game)
        return {game.pairing.seed for game in gone}

    def close(self) -> None:
        """Let no other game begin, and cancel the futures that have not started."""
        with self._lock:
            self._is_closed = True
            under_way = [*self._under_way]
        for future in under_way:
            future.cancel()

    def _next(self) -> T | Fault:
        if self._is_no_use():
            said = self._faults[-1].error
            raise JudgeFault(f"{len(self._faults)} games in a row could not be played: {said}")
        self._let_go()
        self._read()
        if not self._games:
            raise StopIteration
        game, result = self._first_over([self._games[0]] if self.in_order else self._games)
        if _failed_by(result, MachineBusy):
            result = self._played_alone(game)
        if not isinstance(result, Fault):
            self._faults = []
        elif not isinstance(result.error, PlaysNoMore):
            self._faults.append(result)
        self._taken = game  # set last, so that a stop before this line does not lose the result
        return result

    def _is_no_use(self) -> bool:
        """Whether the run is to stop, since too many games in a row failed."""
        if len(self._faults) < MOST_FAULTS:
            return False
        if not all(isinstance(fault.error, MachineBusy) for fault in self._faults):
            return True
        return not set.intersection(*(set(fault.pairing.names) for fault in self._faults))

    def _let_go(self) -> None:
        """Remove the game whose result was given last, and let its learners' next games begin."""
        if self._taken is not None:
            self._games.remove(self._taken)
            seed = self._taken.pairing.seed
            self._seeds[seed] -= 1
            if not self._seeds[seed]:
                del self._seeds[seed]
            with self._lock:
                self._leave(*self._taken.learners)
                self._begin()
            self._taken = None

    def _read(self) -> None:
        """Read games from the schedule until the window is full."""
        self._is_read = False
        while len(self._seeds) < self._window and (found := next(self._pairings, None)):
            game = _Game[T](*found, self._learners(found[1]))
            self._games.append(game)
            self._seeds[game.pairing.seed] += 1
            with self._lock:
                for lane in game.lanes:
                    self._lanes.setdefault(lane, deque()).append(game)
                self._make_ready(game)
                self._begin()
        self._is_read = True

    def _begin(self) -> None:
        """Submit games that may begin, in the order of the schedule, until ``jobs`` games are under
        way."""
        while self._ready and len(self._under_way) < self.jobs and not self._is_closed:
            self._begin_one(heappop(self._ready)[1])

    def _leave(self, *lanes: int | str) -> None:
        """Remove the first game of each of these lanes, so that the next game of the lane may
        begin."""
        for name in lanes:
            lane = self._lanes[name]
            lane.popleft()
            if lane:
                self._make_ready(lane[0])
            else:
                del self._lanes[name]

    def _make_ready(self, game: _Game[T]) -> None:
        """Add a game to those that may begin if it is the first of all its lanes."""
        if all(self._lanes[lane][0] is game for lane in game.lanes):
            heappush(self._ready, (game.number, game))

    def _begin_one(self, game: _Game[T]) -> None:
        try:
            future = self._submit(game.pairing)
        except Exception as error:  # noqa: BLE001 - the caller that takes the result gets the error
            future = Future()
            future.set_exception(error)
        game.future = future
        self._under_way[future] = game
        future.add_done_callback(self._ended)

    def _first_over(self, games: Collection[_Game[T]]) -> tuple[_Game[T], T | Fault]:
        """Wait until one of these games is over, and return the first such game and its result."""
        while True:
            with self._lock:
                for game in games:
                    if game.future is not None and game.future.done():
                        self._ended(game.future)  # in case its callback has not run yet
                        return game, game.future.result()
                self._another_over = over = Future[None]()
            self.wait(over)

    def _ended(self, future: Future[T | Fault]) -> None:
        """Remove a game that has ended from those under way, and begin the next, unless a game is
        being played alone. Any thread may call this, even twice for a game."""
        with self._lock:
            if not self._another_over.done():
                self._another_over.set_result(None)
            game = self._under_way.pop(future, None)
            if game is not None and not self._is_alone:
                self._leave(game.pairing.seed)
                self._begin()

    def _played_alone(self, game: _Game[T]) -> T | Fault:
        """Play a game again, up to `MOST_REPLAYS` times, once the games under way have ended."""
        with self._lock:
            self._is_alone = True
            others = [*self._under_way.values()]
        for other in others:
            self._first_over([other])
        for _ in range(MOST_REPLAYS):
            with self._lock:
                self._begin_one(game)
            _, result = self._first_over([game])
            if not _failed_by(result, MachineBusy):
                break
        with self._lock:
            self._is_alone = False
            for other in others:
                self._leave(other.pairing.seed)
            self._begin()
        return result


def taken(
    results: OrderedResults[T],
    is_done: Callable[[], bool] = bool,
    at_stop: Callable[[], object] = bool,
) -> Iterator[T | Fault]:
    """Yield the results until there are no more, or until ``is_done`` returns true after a result.

    When the user stops the run, ``at_stop`` is called, the results of the finished games follow,
    and then `Interrupted` is raised, unless the schedule is complete. If a stop comes while the
    caller handles a result, no result follows, so that games are recorded in order.
    """

    def until_stopped() -> Iterator[T | Fault]:
        while True:
            try:
                yield next(results)
            except StopIteration:
                return
            except Interrupted:
                at_stop()
                yield from results.finished()
                if results.is_complete:
                    return
                raise

    for result in until_stopped():
        yield result
        if is_done():
            return


def _failed_by(result: object, error: type[Exception]) -> bool:
    return isinstance(result, Fault) and isinstance(result.error, error)


def attempts(
    play: Callable[[Pairing], T], pool: Executor
) -> Callable[[Pairing], Future[T | Fault]]:
    """A function that submits a game to ``pool``, which plays it by ``play``."""

    def submit(pairing: Pairing) -> Future[T | Fault]:
        return pool.submit(_attempt, play, pairing)

    return submit


def _attempt(play: Callable[[Pairing], T], pairing: Pairing) -> T | Fault:
    """Play a game or a match, with a second try after an error. The last error becomes a `Fault`.
    `MachineBusy`, `PlaysNoMore` and `WorkersDied` become a `Fault` at once: after `MachineBusy` the
    window plays the game again alone, after `PlaysNoMore` another try would fail too, and after
    `WorkersDied` it could end more workers. A `UsageError` is raised."""
    for remaining in reversed(range(TRIES)):
        try:
            return play(pairing)
        except UsageError:
            raise
        except Exception as error:  # noqa: BLE001 - any other error is the judge's and is reported
            if not remaining or isinstance(error, PlaysNoMore | MachineBusy | WorkersDied):
                whose = whose_bug(error)
                # The error loses its traceback, whose frames hold pipes and processes.
                error.__traceback__ = error.__cause__ = error.__context__ = None
                return Fault(pairing, error, whose)
    raise AssertionError("the last try returns")
