"""Plays what a schedule says, several games at once, and gives the results in schedule order.

How a game is played is the caller's (`Play`), and where is the pool's: anything with the
interface of `concurrent.futures` will do. No more games are under way, or waiting for an earlier
one to end, than a window holds, so memory does not grow with the schedule.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from itertools import islice

from judge.contest.schedule import Pairing
from judge.errors import UsageError
from judge.game.record import GameRecord

TRIES = 2


@dataclass(frozen=True, slots=True)
class Fault:
    """A game that the judge could not play; it is nobody's loss, and not recorded."""

    pairing: Pairing
    error: Exception


Play = Callable[[Pairing], GameRecord]
Results = Generator[GameRecord | Fault, None, None]


def run(schedule: Iterable[Pairing], play: Play, pool: Executor, window: int) -> Results:
    """Play every game, ``window`` of them at once, and yield each result in schedule order.

    Closing the iterator early drops the games that have not begun; those under way are for
    their player to stop. An error that is not the game's own passes through.
    """
    assert window > 0, "without a window nothing would be played"
    pairings = iter(schedule)
    waiting: deque[Future[GameRecord | Fault]] = deque()

    def submit(count: int) -> None:
        waiting.extend(pool.submit(_attempt, play, one) for one in islice(pairings, count))

    try:
        submit(window)
        while waiting:
            result = waiting.popleft().result()
            submit(1)
            yield result
    finally:
        for future in waiting:
            future.cancel()


def _attempt(play: Play, pairing: Pairing) -> GameRecord | Fault:
    """One game; whatever kept the judge from playing it is tried once more, then told."""
    for remaining in reversed(range(TRIES)):
        try:
            return play(pairing)
        except UsageError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it is ours, and is reported
            if not remaining:
                return Fault(pairing, error)
    raise AssertionError("the last try returns")
