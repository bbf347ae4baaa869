"""Plays what a schedule says, several games at once, and gives the results in schedule order.

How a game is played and what comes of it is the caller's, and where is the pool's: anything with
the interface of `concurrent.futures` will do. No more games are under way, or waiting for an
earlier one to end, than a window holds, so memory does not grow with the schedule.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from judge.contest.futures import awaited
from judge.contest.schedule import Pairing
from judge.errors import JudgeFault, UsageError
from judge.game.record import GameRecord

TRIES = 2
MOST_FAULTS = 10  # in a row; then the machine is at fault, and more games are no use


@dataclass(frozen=True, slots=True)
class Fault:
    """A game that the judge could not play; it is nobody's loss, and not recorded."""

    pairing: Pairing
    error: Exception


T = TypeVar("T")
Results = Generator[GameRecord | Fault, None, None]


def run(
    schedule: Iterable[Pairing], play: Callable[[Pairing], T], pool: Executor, window: int
) -> Generator[T | Fault, None, None]:
    """Play every game, ``window`` of them at once, and yield each result in schedule order.

    Closing the iterator early drops the games that have not begun; those under way are for
    their player to stop. An error that is not the game's own passes through. Raises `JudgeFault`
    once `MOST_FAULTS` games in a row could not be played.
    """
    assert window > 0, "without a window nothing would be played"
    pairings = iter(schedule)
    waiting: deque[Future[T | Fault]] = deque()

    def submit(count: int) -> None:
        waiting.extend(pool.submit(_attempt, play, one) for one in islice(pairings, count))

    faults = 0
    try:
        submit(window)
        while waiting:
            result = awaited(waiting.popleft())
            submit(1)
            yield result
            if not isinstance(result, Fault):
                faults = 0
                continue
            faults += 1
            if faults == MOST_FAULTS:
                raise JudgeFault(f"{faults} games in a row could not be played: {result.error}")
    finally:
        for future in waiting:
            future.cancel()


def _attempt(play: Callable[[Pairing], T], pairing: Pairing) -> T | Fault:
    """One game; whatever kept the judge from playing it is tried once more, then told."""
    for remaining in reversed(range(TRIES)):
        try:
            return play(pairing)
        except UsageError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it is ours, and is reported
            if not remaining:
                # Without what it holds on to: frames, and in them pipes and processes.
                error.__traceback__ = error.__cause__ = error.__context__ = None
                return Fault(pairing, error)
    raise AssertionError("the last try returns")
