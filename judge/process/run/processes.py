"""The processes of a bot as the kernel shows them from outside: memory, processor time, waiting.

Nothing of this is asked of the bot. The name and the command line of a process are never read.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import platform
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple, Protocol

LOOK_SECONDS = 0.05  # seconds between two measurements of an answering program, at most
COUNT_SECONDS = 0.005  # seconds that a measurement waits for a count of shared memory
LOOKS = 40  # measurements of a program that takes all of its time, at least
DENIED_SHARE = 0.25  # share of an answer's time without a processor that makes the machine late
BUSY_SHARE = 0.5  # share of its processors; a bot that used more was not denied them

_luck = Random()  # seeded by the system, so no bot can foresee it

First = Callable[[], Sequence[int]]
"""The processes that all others of a program are children of, if they are there by now."""

_SHARED_OUT = re.compile(rb"\nPss:\s*(\d+) kB")
_MEMORY = re.compile(rb"\nVmHWM:\s*(\d+) kB\nVmRSS:\s*(\d+) kB")
_READ_BYTES = 4096
_KCMP = {"x86_64": 312, "aarch64": 272}  # from the kernel's tables of system calls
_KCMP_MEMORY = 1  # KCMP_VM of linux/kcmp.h
_libc = ctypes.CDLL(None)


def next_look(now: float, seconds: float) -> float:
    """When to look again at processes, within ``seconds``: at a moment that none of them can
    foresee, to hide in between."""
    return now + seconds * _luck.random()


class Lookout(Protocol):
    """Looks at processes from time to time while the judge waits for an answer."""

    due: float
    """When it looks next, a time of `time.monotonic`."""

    def look(self, now: float) -> None:
        """Look; ``due`` is later afterwards. May raise a `BotError` of the program waited for."""


def family(first: Sequence[int]) -> Iterator[int]:
    """These processes and all that come from them, as far as they are there."""
    found: set[int] = set()
    ahead = [*first]
    while ahead:
        process = ahead.pop()
        if process not in found:
            found.add(process)
            yield process
            for task in tasks(process):
                ahead += children(process, task)


def signal_family(first: Sequence[int], number: int) -> None:
    """Send a signal to these processes and to all that come from them, each as soon as it is found:
    all children of one before theirs."""
    found: set[int] = set()
    ahead = deque(first)
    while ahead:
        process = ahead.popleft()
        below = [child for task in tasks(process) for child in children(process, task)]
        for one in (process, *below):
            if one not in found:
                found.add(one)
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(one, number)
        ahead += [child for child in below if child not in first]


def tasks(process: int) -> list[int]:
    """The threads of a process; none if it has gone."""
    try:
        names = os.listdir(f"/proc/{process}/task")  # noqa: PTH208 - it is done often
        return [int(name) for name in names]
    except OSError:
        return []


def children(process: int, task: int) -> list[int]:
    """The children of one thread, in the order in which they were started."""
    return [int(number) for number in _read(f"/proc/{process}/task/{task}/children").split()]


def parent(process: int) -> int:
    """The process that started another; 0 if that has gone."""
    fields = _fields(f"/proc/{process}/stat")
    return int(fields[1]) if fields else 0


def used_ns(process: int) -> int:
    """The processor time of a process, of threads that have ended too; 0 if it has gone."""
    try:
        return time.clock_gettime_ns((~process << 3) | 2)  # CPUCLOCK_SCHED of a process
    except OSError:
        return 0


def is_runnable(process: int) -> bool:
    """Whether a thread of a process runs, or waits for a processor."""
    return any(
        _fields(f"/proc/{process}/task/{task}/stat")[:1] == [b"R"] for task in tasks(process)
    )


class _Thread(NamedTuple):
    """The nanoseconds that a thread has used and waited; since when it waits, as far as looks tell,
    or None if it does not."""

    ran: int
    waited: int
    waiting_since: float | None = None


class Usage:
    """The usage of a program while it answers, by looks at its processes; a `Lookout`.

    ``processors`` is how many it may use, ``timeout_ms`` how long it may take for an answer, and
    ``most_kib`` the memory that it may have, None where that is not for looks to tell.
    """

    def __init__(
        self,
        first: First,
        processors: int,
        timeout_ms: float,
        most_kib: int | None = None,
        *,
        is_new: bool = True,
    ) -> None:
        """It ``is_new`` if it has begun with the first question."""
        self.due = math.inf
        self._look_seconds = min(LOOK_SECONDS, timeout_ms / 1000 / LOOKS)
        self.peak_kib = 0
        """One process's own peak, or the largest sum of all that was seen, where that decides."""
        self._first = first
        self._processors = processors
        self._most_kib = most_kib
        self._is_new = is_new
        self._looked = 0.0  # the time of the last look
        self._count: _Count | None = None  # under way, without a result yet
        self._begin()

    def _begin(self) -> None:
        self._before: dict[tuple[int, int], _Thread] = {}
        self._threads: dict[tuple[int, int], _Thread] = {}
        self._used: dict[int, int] = {}  # processor time by process
        self._used_before = 0 if self._is_new else None  # None until the first look
        self._used_by_gone = 0  # as far as looks tell
        self._unseen = 0.0  # seconds between two looks after which a process was gone
        self._has_begun_before = not self._is_new
        self.most_processes = 0
        """How many a look at this answer has seen at most."""
        self.served = 0.0
        """Seconds of processor time that the judge has spent on this program since its question."""

    @property
    def processes(self) -> Collection[int]:
        """Its processes that the last look has seen."""
        return self._used.keys()

    def cpu_ms(self) -> float:
        """The processor time of all its processes that are there."""
        return sum(map(used_ns, family(self._first()))) / 1e6

    @property
    def is_over(self) -> bool:
        """Whether it has been seen to have more memory than it may."""
        return self._most_kib is not None and self.peak_kib > self._most_kib

    def begin(self, now: float) -> None:
        """A question is put; what a program that lives on has used before does not count."""
        self._begin()
        self._is_new, self._looked = False, now
        self.due = max(now, min(self.due, next_look(now, self._look_seconds)))

    def look(self, now: float) -> None:
        began = time.thread_time()
        self.due = next_look(now, self._look_seconds)
        resident: dict[int, int] = {}
        used: dict[int, int] = {}
        threads: dict[tuple[int, int], _Thread] = {}
        for process in family(self._first()):
            used[process] = used_ns(process)
            peak, resident[process] = _memory(process)
            self.peak_kib = max(self.peak_kib, peak)
            for task in tasks(process):
                if (seen := self._seen(process, task, now)) is not None:
                    threads[process, task] = seen
        if self._most_kib is not None:
            self.peak_kib = max(self.peak_kib, self._together(resident, self._most_kib))
        if gone := self._used.keys() - used.keys():
            self._used_by_gone += sum(self._used[process] for process in gone)
            self._unseen += now - self._looked
        self._looked, self._threads, self._used = now, threads, used
        self.most_processes = max(self.most_processes, len(used))
        if self._used_before is None:
            self._used_before = sum(used.values())
        if self._has_begun_before:  # what a thread did before it was seen is not known to be this
            self._before = {**threads, **self._before}
        self.served += time.thread_time() - began

    def _together(self, resident: Mapping[int, int], most_kib: int) -> int:
        """The memory in KiB of processes together, by what each has. If the sum is too much, shared
        memory counts once; 0 until that is known."""
        if len(resident) < 2 or sum(resident.values()) <= most_kib:
            return sum(resident.values())
        if self._count is None:
            with contextlib.suppress(RuntimeError):  # no thread can be started now
                self._count = _Count(resident)
        if self._count is None:
            return 0
        kib = self._count.wait(COUNT_SECONDS)
        self.served += self._count.newly_used()
        if kib is None:
            return 0
        self._count = None
        return kib

    def _seen(self, process: int, task: int, now: float) -> _Thread | None:
        times = _read(f"/proc/{process}/task/{task}/schedstat").split()
        if len(times) < 2:
            return None
        ran, waited = int(times[0]), int(times[1])
        if _fields(f"/proc/{process}/task/{task}/stat")[:1] != [b"R"]:
            return _Thread(ran, waited)
        last = self._threads.get((process, task))
        since = last.waiting_since if last and last[:2] == (ran, waited) else None
        return _Thread(ran, waited, now if since is None else since)

    def denied_ms(self, ms: float) -> float | None:
        """How long the program was denied a processor by others, if that is why an answer was not
        there within the milliseconds; None if the program itself is why.

        While one of its threads waited, others of its own may have run, or the judge for it: what
        those used counts as its own doing. The kernel does not tell what a process used that has
        ended. So the whole time between two looks counts as used after which one was gone.
        """
        now = time.monotonic()
        self.look(now)
        if not (self._used or self._unseen):  # it has not even begun
            return ms
        threads = []
        for key, thread in self._threads.items():
            ran, waited, _ = self._before.get(key, _Thread(0, 0))
            # A wait is counted only when it is over.
            still = 0 if thread.waiting_since is None else (now - thread.waiting_since) * 1e9
            threads.append((thread.ran - ran, thread.waited - waited + still))
        seen = sum(self._used.values()) + self._used_by_gone - (self._used_before or 0)
        own = seen + (self.served + self._unseen * self._processors) * 1e9
        if own >= BUSY_SHARE * ms * 1e6 * self._processors:
            return None
        denied = denied_ns(threads, own, self._processors)
        return denied / 1e6 if denied >= DENIED_SHARE * ms * 1e6 else None


class _Count:
    """A count of the memory of processes; what they share counts once.

    A process can have whoever counts its memory wait, by changing what it has all the time. So a
    thread of its own counts, and is left behind by who has waited long enough: it ends when the
    process does, at the latest.
    """

    def __init__(self, resident: Mapping[int, int]) -> None:
        """Raises `RuntimeError` if no thread can be started."""
        self._kib: int | None = None
        self._used = self._told = 0.0
        self._thread = threading.Thread(target=self._run, args=(resident,), daemon=True)
        self._thread.start()

    def _run(self, resident: Mapping[int, int]) -> None:
        counted = {}
        for process in resident:
            pss = _SHARED_OUT.search(_read(f"/proc/{process}/smaps_rollup"))
            counted[process] = int(pss[1]) if pss else resident[process]
            self._used = time.thread_time()
        self._kib = _sum_of_those_there(counted)

    def wait(self, seconds: float) -> int | None:
        """The memory in KiB, if it is known within ``seconds``."""
        self._thread.join(seconds)
        return self._kib

    def newly_used(self) -> float:
        """The seconds of processor time that it has used since this was asked last."""
        used, self._told = self._used - self._told, self._used
        return used


def _sum_of_those_there(counted: Mapping[int, int]) -> int:
    """The memory of processes in KiB by a count that has taken some time.

    Meanwhile processes end, and what they shared is then counted as that of others: each has no
    more than it still has when all have been counted. A process that vfork has started has the
    very memory of its parent until it runs its own program; the kernel counts that for each.
    """
    return sum(
        min(kib, _memory(process)[1])
        for process, kib in counted.items()
        if not ((above := parent(process)) in counted and _have_one_memory(process, above))
    )


def _memory(process: int) -> tuple[int, int]:
    """The most memory that a process has had, and what it has, in KiB; 0 if it has gone."""
    memory = _MEMORY.search(_read(f"/proc/{process}/status"))
    return (int(memory[1]), int(memory[2])) if memory else (0, 0)


def _have_one_memory(one: int, other: int) -> bool:
    """Whether two processes are known to have the very same memory; a copy is not the same."""
    number = _KCMP.get(platform.machine())
    return number is not None and _libc.syscall(number, one, other, _KCMP_MEMORY, 0, 0) == 0


def denied_ns(threads: Iterable[tuple[float, float]], own_ns: float, processors: int) -> float:
    """How long others than a program itself kept one of its threads from running, at least.

    Each of the ``threads`` is given by how long it ran and how long it waited for a processor, in
    nanoseconds. While it waited, others of the program may have run, which used ``own_ns`` together
    with it, on ``processors`` processors.
    """
    return max((waited - (own_ns - ran) / processors for ran, waited in threads), default=0.0)


def _fields(path: str) -> list[bytes]:
    """The fields of a ``stat`` file from the state on; none if it has gone."""
    return _read(path).rpartition(b")")[2].split()


def _read(path: str) -> bytes:
    """The text of a file of /proc; empty if its process has gone."""
    with contextlib.suppress(OSError):
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return b"".join(iter(lambda: os.read(file, _READ_BYTES), b""))
        finally:
            os.close(file)
    return b""
