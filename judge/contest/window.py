"""The window of games under way: plays a schedule, several games at once, results in its order.

The caller supplies what submits a game, and gets a future for it: `attempts` makes that of a
function that plays a game and a pool with the interface of `concurrent.futures`.

Games are in lanes, in which one begins after another, in order; other games fill the time until
then. Those of one seed are a lane: a bot knows its opponent's fleet in both games of a pair by what
it finds in one, and two processes on one machine can always talk somehow. Those of a player that
learns are another, in which a game begins once the result of the one before has been taken, for it
begins with what the player has learned by that.

The window holds the games of a fixed number of seeds, so memory does not grow with the schedule.
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
from judge.errors import Interrupted, JudgeFault, MachineBusy, PlaysNoMore, UsageError
from judge.waiting import awaited

TRIES = 2
MOST_FAULTS = 10  # failures in a row; then the machine is at fault


@dataclass(frozen=True, slots=True)
class Fault:
    """A game that the judge could not play; it is nobody's loss, and not recorded."""

    pairing: Pairing
    error: Exception
    whose: str = "the judge"
    """The owner of the bug, if it is one."""


def has_changed(faults: Sequence[Fault]) -> bool:
    """Whether the last fault is that a bot plays no more, as where its files have changed."""
    return bool(faults) and isinstance(faults[-1].error, PlaysNoMore)


T = TypeVar("T")

Learners = Callable[[Pairing], Collection[str]]
"""The players of a game that keep what they learn."""


def no_learners(_: Pairing) -> Collection[str]:
    return ()


@dataclass(slots=True, eq=False)
class _Game(Generic[T]):
    """A game of the window, or a match, by its ``number`` in the schedule, with the ``learners`` in
    it, which are lanes. It has a ``future`` once it has been submitted."""

    number: int
    pairing: Pairing
    learners: Collection[str]
    future: Future[T | Fault] | None = None

    @property
    def lanes(self) -> tuple[int | str, ...]:
        return self.pairing.seed, *self.learners


class OrderedResults(Generic[T]):
    """The result of every pairing of a schedule, a game or a match, in its order unless ``in_order`` is
    false: an iterator, which plays ``jobs`` of them at once from the first ``next`` on.

    The ``window`` is the number of seeds whose games are under way, wait for an earlier one of
    their lanes, or wait to be given. The game that begins next is the first of them that is the
    first of its lanes. Games end in other threads, and the next one begins there.

    A game that failed by `MachineBusy` is played again alone, when those under way have ended,
    which may be why; no other begins meanwhile.

    An error that is not a game's own passes through. Raises `JudgeFault` once `MOST_FAULTS` games
    in a row could not be played. Those of bots that play no more do not count: whoever takes the
    results has no more of them played. A bot that keeps the machine busy does not stop a contest
    either: a row by `MachineBusy` counts only if no bot of the contest plays in all of it. In
    other runs all bots play in each game, or take turns, and pairings name none.

    After an error, and after ``close``, no other game begins; those under way are for their player
    to stop."""

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
        """``submit`` is called from one thread at a time. ``stop`` has every game under way end at
        once, by `Interrupted`."""
        assert jobs > 0 < window, "without jobs and a window nothing would be played"
        self._pairings = enumerate(schedule)
        self._submit = submit
        self._jobs = jobs
        self._window = window
        self._stop = stop
        self._learners = learners
        self._is_read = False  # the schedule, as far as there was room
        self._games: deque[_Game[T]] = deque()
        self._seeds: Counter[int] = Counter()  # seeds of these games
        self._taken: _Game[T] | None = None  # known once the next is asked for
        self._faults: list[Fault] = []  # faults in a row
        self.wait: Callable[[Future[None]], None] = awaited
        """How it is waited until another game has ended."""
        self.in_order = True
        """Whether results are given in the order of the schedule, and not as games end."""

        self._lock = threading.RLock()  # guards the fields that follow
        self._is_closed = False
        self._is_alone = False  # a game that is played again, so the end of none begins another
        self._under_way: dict[Future[T | Fault], _Game[T]] = {}
        self._another_over: Future[None] = Future()
        # By seed, the games that are not over; by player that learns, those that are not taken.
        self._lanes: dict[int | str, deque[_Game[T]]] = {}
        # A heap of the games that are the first of their lanes, unless they have begun.
        self._ready: list[tuple[int, _Game[T]]] = []

    def __iter__(self) -> Self:
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Have no other game begin, and those under way end at once."""
        self.close()  # first, or the end of a game would begin another
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
        """After `Interrupted`: the results that are there in spite of it, in order, up to the first
        game that is not finished. A game is finished when its players are only to be told goodbye.
        """
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
                return  # it was to be played again
            self._games.popleft()
            yield result

    @property
    def is_complete(self) -> bool:
        """Whether all results have been given; to be asked after ``finished``."""
        return self._is_read and not self._games and next(self._pairings, None) is None

    def forget(self, is_wanted: Callable[[Pairing], bool]) -> set[int]:
        """Drop the games that have not begun, but for the wanted ones that share a seed with a game
        that has. Returns the seeds of those that are dropped."""
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
        """Drop the games that have not begun."""
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
        self._taken = game  # last, so that a stop until now does not lose the result
        return result

    def _is_no_use(self) -> bool:
        """Whether the last games in a row failed, and the next ones would fail too."""
        if len(self._faults) < MOST_FAULTS:
            return False
        if not all(isinstance(fault.error, MachineBusy) for fault in self._faults):
            return True
        return not set.intersection(*(set(fault.pairing.names) for fault in self._faults))

    def _let_go(self) -> None:
        """Leave the game that was taken last behind, and have those who learned in it begin their next
        one."""
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
        """Read as much of the schedule as there is room for."""
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
        """Submit as many games as may be under way, in the order of the schedule."""
        while self._ready and len(self._under_way) < self._jobs and not self._is_closed:
            self._begin_one(heappop(self._ready)[1])

    def _leave(self, *lanes: int | str) -> None:
        """Have the next game of these lanes come up."""
        for name in lanes:
            lane = self._lanes[name]
            lane.popleft()
            if lane:
                self._make_ready(lane[0])
            else:
                del self._lanes[name]

    def _make_ready(self, game: _Game[T]) -> None:
        """Have a game come up if it is the first of its lanes."""
        if all(self._lanes[lane][0] is game for lane in game.lanes):
            heappush(self._ready, (game.number, game))

    def _begin_one(self, game: _Game[T]) -> None:
        try:
            future = self._submit(game.pairing)
        except Exception as error:  # noqa: BLE001 - whoever takes the result is told
            future = Future()
            future.set_exception(error)
        game.future = future
        self._under_way[future] = game
        future.add_done_callback(self._ended)

    def _first_over(self, games: Collection[_Game[T]]) -> tuple[_Game[T], T | Fault]:
        """The first of these games that is over, as soon as one is, and its result."""
        while True:
            with self._lock:
                for game in games:
                    if game.future is not None and game.future.done():
                        self._ended(game.future)  # which its callback may not have said yet
                        return game, game.future.result()
                self._another_over = over = Future[None]()
            self.wait(over)

    def _ended(self, future: Future[T | Fault]) -> None:
        """A game has ended, and the next begins. Called in any thread, perhaps more than once."""
        with self._lock:
            if not self._another_over.done():
                self._another_over.set_result(None)
            game = self._under_way.pop(future, None)
            if game is not None and not self._is_alone:
                self._leave(game.pairing.seed)
                self._begin()

    def _played_alone(self, game: _Game[T]) -> T | Fault:
        """The result of the next game, played again when no other is under way."""
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
    """Each result, until there are no more or ``is_done`` says so.

    Once the user has stopped the work, ``at_stop`` is called, then come the results of games that
    were finished by then; and then this raises `Interrupted`, unless those were the last. A result
    whose taking is itself stopped, as where it waits for a ledger, is the last that is taken: games
    are kept in their order.
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
    """Submits games to a pool, where they are played."""

    def submit(pairing: Pairing) -> Future[T | Fault]:
        return pool.submit(_attempt, play, pairing)

    return submit


def _attempt(play: Callable[[Pairing], T], pairing: Pairing) -> T | Fault:
    """One game, or match; whatever kept the judge from playing it is tried once more, then told.
    A busy machine is told at once, for such a game is to be played again alone."""
    for remaining in reversed(range(TRIES)):
        try:
            return play(pairing)
        except UsageError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it is ours, and is reported
            if not remaining or isinstance(error, PlaysNoMore | MachineBusy):
                whose = whose_bug(error)
                # Without its traceback, whose frames hold pipes and processes.
                error.__traceback__ = error.__cause__ = error.__context__ = None
                return Fault(pairing, error, whose)
    raise AssertionError("the last try returns")
