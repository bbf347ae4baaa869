"""Processors: the number that this process may use, and the processors that each of the --jobs
owns.

The programs of a job are bound to the job's processors. Inside bubblewrap, moves are made ready on
processors that no job owns, if there are any. The judge itself is bound to none, since on busy
processors it would wait for bots. The exception is a program that lives for a match and clears
boards alone: the judge then runs on the program's processors. A claim on a processor lasts until
this process ends. Other judges take unclaimed processors first.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Iterator

from judge.errors import UsageError
from judge.process.run.claims import claimed
from judge.process.sandbox import cgroup

Processors = frozenset[int]


def usable() -> int:
    """The number of processors that this process may use: by its affinity, and by the quotas of its
    control group and the groups above; at least 1."""
    allowed = len(os.sched_getaffinity(0))
    quota = cgroup.quota()
    return allowed if quota is None else max(1, min(allowed, int(quota)))


def require(count: int) -> None:
    """Raise `UsageError` if the affinity of this process has fewer processors than ``count``."""
    allowed = len(os.sched_getaffinity(0))
    if count > allowed:
        raise UsageError(
            f"each bot is to have {count} processors by --cores, and this process may use {allowed}"
        )


class _Owners:
    """The number of jobs of this process on each processor. Thread-safe."""

    def __init__(self) -> None:
        self._jobs: dict[int, int] = {}  # jobs by processor
        self._claims: dict[int, socket.socket] = {}
        self._lock = threading.Lock()

    def take(self, count: int) -> Processors:
        """Take processors for a job: first those that no job of this process uses and no other
        judge has claimed, then those with the fewest jobs of this process."""
        allowed = os.sched_getaffinity(0)
        taken: list[int] = []
        with self._lock:
            for number in sorted(allowed):
                if len(taken) < count and not self._jobs.get(number) and self._claim(number):
                    taken.append(number)
            others = sorted(allowed.difference(taken), key=self._rank)
            taken += others[: count - len(taken)]
            for number in taken:
                self._jobs[number] = self._jobs.get(number, 0) + 1
        return frozenset(taken)

    def _rank(self, number: int) -> tuple[int, int]:
        """A sort key: the number of this process's jobs on a processor, and then an order that
        differs from process to process."""
        return self._jobs.get(number, 0), (number + os.getpid()) % (os.cpu_count() or 1)

    def used(self) -> set[int]:
        with self._lock:
            return {number for number, jobs in self._jobs.items() if jobs}

    def give_back(self, processors: Processors) -> None:
        with self._lock:
            for number in processors:
                self._jobs[number] -= 1

    def _claim(self, number: int) -> bool:
        """Claim a processor, and return whether this process holds the claim."""
        if number not in self._claims and (claim := claimed(f"processor/{number}")):
            self._claims[number] = claim
        return number in self._claims


_OWNERS = _Owners()


@contextlib.contextmanager
def owned(count: int) -> Iterator[Processors]:
    """A ``with`` block that owns this number of processors, or fewer if this process may not use as
    many."""
    processors = _OWNERS.take(count)
    try:
        yield processors
    finally:
        _OWNERS.give_back(processors)


def spare() -> Processors:
    """The processors that no job of this process owns, or all if each has an owner."""
    allowed = frozenset(os.sched_getaffinity(0))
    return allowed - _OWNERS.used() or allowed


@contextlib.contextmanager
def bound_to(processors: Processors) -> Iterator[None]:
    """A ``with`` block in which this thread, and processes that it starts, run on these processors.
    An empty set changes nothing."""
    before = os.sched_getaffinity(0)
    if not processors or processors == before:
        yield
        return
    os.sched_setaffinity(0, processors)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def of_seat(processors: Processors, seat: int, seats: int) -> Processors:
    """The processors of one seat, if the ``seats`` seats of a job share out its processors."""
    return frozenset(sorted(processors)[seat::seats])
