"""Listens to one program that answers one question.

One poll waits for the exit, the output, the user's stop and a deadline. Measured, this costs little
more than a bare spawn; other ways of waiting sleep, copy or fork more.
"""

from __future__ import annotations

import os
import select
import time
from enum import Enum
from typing import Protocol

from judge import waiting
from judge.errors import HeldUp, Interrupted, Starved
from judge.process.run.limits import MOST_STDERR_BYTES
from judge.process.run.processes import Lookout, Usage
from judge.process.run.streams import Streams

READ_BYTES = 64 * 2**10
HELD_UP_SECONDS = 0.5  # seconds of delay after which the judge itself counts as held up
# Seconds; a read or a write that need not wait takes less. A program that is stopped in the middle
# of a write holds the pipe, and the kernel makes the judge wait.
READ_SECONDS = 0.05
# Seconds in which only the exit of a program is awaited, if no look is due: a program that has ended
# by then wakes the judge once, and not for each of its writes.
QUICK_SECONDS = 0.005


class RunEnd(Enum):
    """How a run ended."""

    BY_ITSELF = "by itself"
    NOT_STARTED = "not started"
    TIMED_OUT = "timed out"
    FLOODED = "printed too much"
    OVER_MEMORY = "had too much memory"


class Stop:
    """The user's wish to stop, as a descriptor that can be polled. Thread-safe. ``of`` is the
    descriptor of another process's stop, if this is the same."""

    def __init__(self, of: int | None = None) -> None:
        self._fd = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK) if of is None else of

    def set(self) -> None:
        os.eventfd_write(self._fd, 1)

    def wait(self, seconds: float) -> None:
        """Wait for ``seconds``. Raises `Interrupted` once the stop is set or a signal has come."""
        if waiting.ready(self._fd, seconds=seconds):
            raise Interrupted

    def fileno(self) -> int:
        return self._fd

    def close(self) -> None:
        os.close(self._fd)


class Waits:
    """The judge's waits for one answer. ``were_late`` says that the judge itself came back late
    from a wait, as when all processes of the machine stop for a while. Times are by
    `time.monotonic`."""

    def __init__(self, now: float) -> None:
        self.were_late = False
        self._due = now

    def begin(self, now: float, seconds: float) -> None:
        """Note the beginning of a wait that is to last ``seconds`` at most."""
        self._due = now + seconds

    def end(self, now: float) -> None:
        """Note the end of a wait."""
        self.were_late = self.were_late or now > self._due + HELD_UP_SECONDS


def require_in_time(waits: Waits, usage: Usage, ms: float) -> None:
    """Raise `MachineBusy` if an answer was not there within ``ms`` milliseconds because the judge
    was held up or the program was denied a processor."""
    if waits.were_late:
        raise HeldUp
    if (denied_ms := usage.denied_ms(ms)) is not None:
        raise Starved(denied_ms, ms)


class Running(Protocol):
    """A started program, and the judge's ends of its pipes."""

    streams: Streams

    @property
    def grace(self) -> float:
        """The seconds for which other processes may hold the program's pipes after its exit."""

    def fileno(self) -> int:
        """A descriptor that becomes readable when the program may have exited."""

    def has_come(self) -> bool:
        """Whether the program has exited. Call this when the descriptor is readable."""


class Listener:
    """Listens to one program: its exit and the pipes of its output. Meanwhile the ``usage``
    measures the program, and the ``lookout`` looks at others."""

    def __init__(
        self, program: Running, most_bytes: int, usage: Usage, lookout: Lookout | None = None
    ) -> None:
        self.stdout = bytearray()
        self.stderr = TwoEnds(MOST_STDERR_BYTES)
        self._program = program
        self._out = program.streams.stdout
        self._open = {self._out, program.streams.stderr}
        self._most_bytes = most_bytes
        self._usage = usage
        self._lookouts: tuple[Lookout, ...] = (usage, lookout) if lookout else (usage,)

    def listen(self, began: float, seconds: float, stop: Stop) -> RunEnd:
        """Read until the program has exited and its pipes are closed, or until it has to be ended:
        for its output, its memory, or its time, ``seconds`` after ``began``. After an exit, other
        processes may hold the pipes for the `Running.grace` only. Raises `MachineBusy` if the
        program is late because of the judge or the machine. Raises `Interrupted` once ``stop`` is
        set."""
        deadline = began + seconds
        waits = Waits(began)
        waits.end(time.monotonic())
        used, kept = time.thread_time(), 0.0
        self._usage.begin(began)
        quick = max(0.0, min(QUICK_SECONDS, seconds / 2, self._due - began))
        waits.begin(time.monotonic(), quick)
        exited = self._has_ended_within(quick)
        if exited:
            deadline = time.monotonic() + self._program.grace
        end = self._program.fileno()
        poll = select.poll()
        for fd in (stop.fileno(), *self._open, *(() if exited else (end,))):
            poll.register(fd, select.POLLIN)
        while self._open or not exited:
            # The clock is read before the poll, since a flood is always readable. Once time is up
            # there is one last look, since the judge itself may have been delayed.
            now = time.monotonic()
            # A program can make looks and reads slow, so their time does not count as the judge's
            # delay.
            waits.end(now - (time.thread_time() - used) - kept)
            left = deadline - now
            patience = max(0.0, left if exited else min(left, self._due - now))
            waits.begin(now, patience)
            ready = [fd for fd, _ in poll.poll(patience * 1000)]
            used, back = time.thread_time(), time.monotonic()
            waits.end(back)
            if stop.fileno() in ready:
                raise Interrupted
            if left <= 0 and (end not in ready or kept > READ_SECONDS):
                if exited:
                    return RunEnd.BY_ITSELF
                require_in_time(waits, self._usage, seconds * 1000)
                return RunEnd.TIMED_OUT
            for fd in ready:
                if fd != end:
                    if not self._take(fd):
                        poll.unregister(fd)
                elif self._program.has_come():
                    exited = True
                    poll.unregister(fd)
                    deadline = time.monotonic() + self._program.grace
            served = time.thread_time() - used
            self._usage.served += served
            kept = time.monotonic() - back - served
            if self._floods():
                return RunEnd.FLOODED
            if not exited and self._is_over(now):
                return RunEnd.OVER_MEMORY
        return RunEnd.FLOODED if self._floods() else RunEnd.BY_ITSELF

    def _has_ended_within(self, seconds: float) -> bool:
        """Wait for the program's exit only. If it has come, read the output that is there."""
        poll = select.poll()
        poll.register(self._program.fileno(), select.POLLIN)
        if not (poll.poll(seconds * 1000) and self._program.has_come()):
            return False
        for fd in [*self._open]:
            self._take(fd)
        return True

    def _floods(self) -> bool:
        """Cut stdout at the limit, and return whether it was longer."""
        is_longer = len(self.stdout) > self._most_bytes
        del self.stdout[self._most_bytes :]
        return is_longer

    @property
    def _due(self) -> float:
        """The time at which a lookout has to look next."""
        return min(lookout.due for lookout in self._lookouts)

    def _is_over(self, now: float) -> bool:
        """Look if a look is due, and return whether the program has too much memory."""
        for lookout in self._lookouts:
            if now >= lookout.due:
                lookout.look(now)
        return self._usage.is_over

    def _take(self, fd: int) -> bool:
        """Read from a pipe, and once more, since most often the end follows. Returns False at the
        end of the pipe."""
        for _ in range(2):
            if (data := read_now(fd)) is None:
                return True
            if fd == self._out:
                self.stdout += data
            else:
                self.stderr.add(data)
            if not data:
                self._open.discard(fd)
                return False
        return True


class TwoEnds:
    """The first and the last bytes of a stream of any length."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._first = bytearray()
        self._last = bytearray()
        self._skipped = 0

    def add(self, data: bytes) -> None:
        room = self._size - len(self._first)
        self._first += data[:room]
        self._last += data[room:]
        surplus = len(self._last) - self._size
        if surplus > 0:
            self._skipped += surplus
            del self._last[:surplus]

    def whole(self) -> bytes:
        gap = f"\n… {self._skipped} bytes left out …\n".encode() if self._skipped else b""
        return bytes(self._first + gap + self._last)


def read_now(fd: int, most: int = READ_BYTES) -> bytes | None:
    """Read from a pipe that does not block. Returns ``b""`` at the end of the pipe, and None if the
    pipe is empty.

    A pipe may be empty although a poll has just found it readable: the program can often open its
    reading end too, and take its bytes back.
    """
    try:
        return os.read(fd, most)
    except BlockingIOError:
        return None
