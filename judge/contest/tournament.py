"""The window of games under way: plays a schedule, several games at once, results in its order.

The caller supplies what submits a game, and gets a future for it: `attempts` makes that of a
function that plays a game and a pool with the interface of `concurrent.futures`. No more games are under way, or waiting for an
earlier one to end, than a window holds, so memory does not grow with the schedule.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import islice
from typing import Generic, Self, TypeVar

from judge.contest.futures import Waiting, awaited
from judge.contest.schedule import Pairing
from judge.errors import Interrupted, JudgeFault, NotUp, PlaysNoMore, TooManyReferences, UsageError

TRIES = 2
MOST_FAULTS = 10  # in a row; then the machine is at fault, and more games are no use


@dataclass(frozen=True, slots=True)
class Fault:
    """A game that the judge could not play; it is nobody's loss, and not recorded."""

    pairing: Pairing
    error: Exception


def has_changed(faults: Sequence[Fault]) -> bool:
    """Whether the last fault is that a bot plays no more, as where its files have changed."""
    return bool(faults) and isinstance(faults[-1].error, PlaysNoMore)


T = TypeVar("T")

NobodyWaits = Callable[[], AbstractContextManager[None]]
"""Makes a ``with`` block in which games raise `NotUp` that would have to wait for others."""


class MatchResults(tuple[T, ...]):
    """The results of the games of one match, at least one."""

    __slots__ = ()


class Results(Generic[T]):
    """The result of every game of a schedule, in its order: an iterator, which plays ``window``
    games at once from the first ``next`` on. Those of a match are given one by one when it is over.

    An error that is not a game's own passes through. A game that failed by `TooManyReferences` is
    played again alone, when those under way have ended, whose bots may be why; games that wait for
    others are put back for that time. Raises `JudgeFault`
    once `MOST_FAULTS` games in a row could not be played, those that still failed by that and those
    of bots that play no more apart: no bot stops a contest so, and whoever takes the results has no
    more games of such bots played. After an error, and after ``close``, no other game
    begins; those under way are for their player to stop."""

    def __init__(
        self,
        schedule: Iterable[Pairing],
        submit: Callable[[Pairing], Future[T | MatchResults[T] | Fault]],
        window: int,
        stop: Callable[[], None] | None = None,
        *,
        nobody_waits: NobodyWaits = nullcontext,
    ) -> None:
        """``stop`` has every game under way end at once, by `Interrupted`; ``nobody_waits`` is for
        games that wait for others."""
        assert window > 0, "without a window nothing would be played"
        self._pairings = iter(schedule)
        self._submit = submit
        self._stop = stop
        self._nobody_waits = nobody_waits
        self._room = window
        self._waiting: deque[Future[T | MatchResults[T] | Fault]] = deque()
        self._given: deque[T] = deque()  # of a match that is over
        self.together: tuple[T, ...] = ()
        """The results of the match that the last one given belongs to; itself, if there is none."""
        self._faults: list[Fault] = []  # in a row
        self._is_closed = False
        self.wait: Waiting = awaited
        """How it is waited for the next result."""

    def __iter__(self) -> Self:
        return self

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
        while self._given:
            yield self._given.popleft()
        while self._waiting and not self._waiting[0].cancelled():
            try:
                result = awaited(self._waiting[0])
            except Interrupted:
                return
            if isinstance(result, Fault) and _is_put_back(result):
                return
            self._waiting.popleft()
            yield from self._all_of(result)

    @property
    def is_complete(self) -> bool:
        """Whether all results have been given; to be asked after ``finished``."""
        is_played = not self._waiting and not self._given and not self._room
        return is_played and next(self._pairings, None) is None

    @property
    def is_within_match(self) -> bool:
        """Whether more results of a match that is over are to be given."""
        return bool(self._given)

    def close(self) -> None:
        """Drop the games that have not begun."""
        self._is_closed = True
        for future in self._waiting:
            future.cancel()

    def _next(self) -> T | Fault:
        if self._given:
            return self._given.popleft()
        if (count := len(self._faults)) == MOST_FAULTS:
            said = self._faults[-1].error
            raise JudgeFault(f"{count} games in a row could not be played: {said}")
        self._fill()
        if not self._waiting:
            raise StopIteration
        result = self.wait(self._waiting[0])
        if isinstance(result, Fault) and isinstance(result.error, TooManyReferences):
            result = self._played_alone(result.pairing)
        if not isinstance(result, Fault):
            self._faults = []
        elif not isinstance(result.error, PlaysNoMore | TooManyReferences):
            self._faults.append(result)
        self._room = 1
        self._fill()
        self._waiting.popleft()  # last, so that a stop until now does not lose the result
        first, *rest = self._all_of(result)
        self._given.extend(one for one in rest if not isinstance(one, Fault))
        return first

    def _played_alone(self, pairing: Pairing) -> T | MatchResults[T] | Fault:
        """The result of the next game, played again when no other is under way.

        A game that waits for others has not begun. It may wait for the next one, and would end
        after that alone; so it is put back, and submitted again."""
        with self._nobody_waits():
            others = [self.wait(other) for other in islice(self._waiting, 1, None)]
            self._waiting[0] = self._submit(pairing)
            result = self.wait(self._waiting[0])
        for place, other in enumerate(others, 1):
            if isinstance(other, Fault) and _is_put_back(other):
                self._waiting[place] = self._submit(other.pairing)
        return result

    def _all_of(self, result: T | MatchResults[T] | Fault) -> tuple[T | Fault, ...]:
        """The results that have come together, one or those of a match."""
        if isinstance(result, Fault):
            self.together = ()
            return (result,)
        self.together = result if isinstance(result, MatchResults) else (result,)
        return self.together

    def _fill(self) -> None:
        """Submit as many games as there is room for."""
        for pairing in islice(self._pairings, self._room):
            self._waiting.append(self._submit(pairing))
        self._room = 0


def _is_put_back(fault: Fault) -> bool:
    """Whether a game has not begun, and is to be submitted again."""
    return isinstance(fault.error, NotUp)


def attempts(
    play: Callable[[Pairing], T | MatchResults[T]], pool: Executor
) -> Callable[[Pairing], Future[T | MatchResults[T] | Fault]]:
    """What submits games to a pool, where they are played."""

    def submit(pairing: Pairing) -> Future[T | MatchResults[T] | Fault]:
        return pool.submit(_attempt, play, pairing)

    return submit


def _attempt(
    play: Callable[[Pairing], T | MatchResults[T]], pairing: Pairing
) -> T | MatchResults[T] | Fault:
    """One game, or match; whatever kept the judge from playing it is tried once more, then told."""
    for remaining in reversed(range(TRIES)):
        try:
            return play(pairing)
        except UsageError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it is ours, and is reported
            if not remaining or isinstance(error, PlaysNoMore | NotUp):
                # Without what it holds on to: frames, and in them pipes and processes.
                error.__traceback__ = error.__cause__ = error.__context__ = None
                return Fault(pairing, error)
    raise AssertionError("the last try returns")
