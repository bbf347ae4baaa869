"""Listening to one program: its exit, its output up to the most allowed, and the user's stop.

All in one poll against one monotonic deadline.

Measured: this costs little over a bare spawn, where waiting in other ways sleeps, copies or forks
more than it should.
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
HELD_UP_SECONDS = 0.5  # seconds of delay that show that the judge did not run
# A read or a write that need not wait takes less. A program that is kept in the middle of its own
# write holds the pipe, and the kernel has everybody else wait for it.
READ_SECONDS = 0.05


class RunEnd(Enum):
    """How a run came to its end."""

    BY_ITSELF = "by itself"
    NOT_STARTED = "not started"
    TIMED_OUT = "timed out"
    FLOODED = "printed too much"
    OVER_MEMORY = "had too much memory"


class Stop:
    """The user's wish to stop, as something that can be polled. Thread-safe."""

    def __init__(self) -> None:
        self._fd = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)

    def set(self) -> None:
        os.eventfd_write(self._fd, 1)

    def wait(self, seconds: float) -> None:
        """Do nothing for so long; raises `Interrupted` once it is set, or a signal has come."""
        if waiting.ready(self._fd, seconds=seconds):
            raise Interrupted

    def fileno(self) -> int:
        return self._fd

    def close(self) -> None:
        os.close(self._fd)


class Waits:
    """The judge's waits for one answer: whether the judge itself came back late from one of them,
    as it does where all processes stop for a while. Times are those of `time.monotonic`."""

    def __init__(self, now: float) -> None:
        self.were_late = False
        self._due = now

    def begin(self, now: float, seconds: float) -> None:
        """The judge means to be back after ``seconds`` at the latest."""
        self._due = now + seconds

    def end(self, now: float) -> None:
        """The judge is back."""
        self.were_late = self.were_late or now > self._due + HELD_UP_SECONDS


def require_in_time(waits: Waits, usage: Usage, ms: float) -> None:
    """Raise `MachineBusy` if an answer was not there within the milliseconds because the judge did
    not run, or the program was denied a processor."""
    if waits.were_late:
        raise HeldUp
    if (denied_ms := usage.denied_ms(ms)) is not None:
        raise Starved(denied_ms, ms)


class Running(Protocol):
    """A program that has been started, and our ends of its pipes."""

    streams: Streams

    @property
    def grace(self) -> float:
        """The seconds for which others may hold its pipes after its exit."""

    def fileno(self) -> int:
        """A descriptor that can be read from when it has exited, perhaps."""

    def has_come(self) -> bool:
        """Whether it has exited; asked when there is something to be read."""


class Listener:
    """The ear on one program: its exit and the pipes of its output.

    Its ``usage`` is looked at meanwhile, and the ``lookout`` is heeded.
    """

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
        """Read until the program, whose time began then, has exited and its pipes are closed, or it
        has to be ended after ``seconds``. Raises `MachineBusy` where that is the judge's fault or
        the machine's, and `Interrupted`."""
        deadline = began + seconds
        waits = Waits(began)
        waits.end(time.monotonic())
        used, kept = time.thread_time(), 0.0
        self._usage.begin(began)
        poll = select.poll()
        end = self._program.fileno()
        for fd in (end, stop.fileno(), *self._open):
            poll.register(fd, select.POLLIN)
        exited = False
        while True:
            # The clock before the poll: a flood is always readable, and would be read for ever.
            # Once time is up there is one last look: the judge itself may have been delayed.
            now = time.monotonic()
            # How long a look took is up to the program, by what it has, and so is a read.
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
            if len(self.stdout) > self._most_bytes:
                del self.stdout[self._most_bytes :]
                return RunEnd.FLOODED
            if exited and not self._open:
                return RunEnd.BY_ITSELF
            if not exited and self._is_over(now):
                return RunEnd.OVER_MEMORY

    @property
    def _due(self) -> float:
        """When something has to be looked at next."""
        return min(lookout.due for lookout in self._lookouts)

    def _is_over(self, now: float) -> bool:
        """Look at what is due; whether the program has too much memory."""
        for lookout in self._lookouts:
            if now >= lookout.due:
                lookout.look(now)
        return self._usage.is_over

    def _take(self, fd: int) -> bool:
        """Read once from a pipe; False at its end."""
        if (data := read_now(fd)) is None:
            return True
        if fd == self._out:
            self.stdout += data
        else:
            self.stderr.add(data)
        if not data:
            self._open.discard(fd)
        return bool(data)


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
    """Read from a pipe that does not block: ``b""`` at its end, None if it is empty.

    A pipe can be empty although a poll has just said otherwise: a program that writes to it can
    often open the reading end too, and take its bytes back.
    """
    try:
        return os.read(fd, most)
    except BlockingIOError:
        return None
