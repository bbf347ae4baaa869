"""Carries bytes to and from a program that lives for a match; `judge.process.run.pipes` judges its
faults.

Bytes that the program does not read yet are queued. The program's stderr is read during every wait.
"""

from __future__ import annotations

import fcntl
import math
import os
import select
import termios
import time
from array import array

from judge.errors import Interrupted, LaunchFault
from judge.process.run.exchange_files import SeatLog
from judge.process.run.launch import LiveProgram
from judge.process.run.limits import MOST_STDERR_BYTES
from judge.process.run.listening import READ_BYTES, Stop, TwoEnds, read_now
from judge.process.run.pausing import Paused


class Channel:
    """The judge's ends of a program's pipes, in one ``epoll`` together with the program's exit and
    the user's stop."""

    read_bytes = READ_BYTES  # the most bytes of one read

    _ready: select.epoll
    _to_it: int
    _from_it: int

    def __init__(self, stop: Stop) -> None:
        self._stop = stop
        self._program: LiveProgram | None = None  # None once the program was ended
        self._paused: Paused | None = None
        self._has_exited = False
        self._held_until = math.inf  # how long other processes may hold its stdout
        self._queue = bytearray()
        self._written = 0  # bytes
        self._is_stdin_watched = False
        self.is_deaf = False  # whether the program has closed its input
        self._stderr = TwoEnds(MOST_STDERR_BYTES)
        self.stderr_log: SeatLog | None = None
        self._back = 0.0  # the time at which the last wait ended

    def _listen_to(self, program: LiveProgram) -> None:
        """Set the descriptors of the program's input and output, and watch for output from now
        on."""
        self._to_it, self._from_it = program.streams.stdin, program.streams.stdout
        self._ready.register(self._from_it, select.EPOLLIN)

    def _look(self, seconds: float, room: int) -> bytes | None:
        """Wait for events, for ``seconds`` at most, and handle them. Return at most ``room`` bytes
        from stdout, ``b""`` at its end, and None if nothing came from there. Raises `Interrupted`
        on the stop."""
        came = None
        assert self._program, "it is there to be heard"
        ready = self._ready.poll(None if seconds == math.inf else seconds)
        self._back = time.monotonic()
        for fd, _ in ready:
            if fd == self._from_it:
                came = self._read(min(room, self.read_bytes))
            elif fd == self._program.streams.stderr:
                if not self._take_stderr(fd):
                    self._ready.unregister(fd)
            elif fd == self._to_it:
                self._flush()
            elif fd == self._stop.fileno():
                raise Interrupted
            elif fd != self._program.fileno():
                self._look_at(fd)
            elif self._program.has_come():
                self._has_exited = True
                self._held_until = time.monotonic() + self._grace
                self._ready.unregister(fd)
        return came

    @property
    def _grace(self) -> float:
        """The seconds for which other processes may hold the program's pipes after its exit."""
        assert self._program, "it has just exited"
        return self._program.grace

    def _read(self, most: int) -> bytes | None:
        """The bytes that the program has written, ``b""`` at the end of its output, or None if no
        byte is there."""
        came = read_now(self._from_it, most)
        if came == b"":
            self._ready.unregister(self._from_it)
        return came

    def _look_at(self, fd: int) -> None:
        """Handle an event on a descriptor that only a subclass registers."""
        raise AssertionError(f"{fd} has not been registered")

    def _take_stderr(self, stderr: int) -> bool:
        """Read once from stderr. Returns False at the end of stderr."""
        data = read_now(stderr)
        self._stderr.add(data or b"")
        if data and self.stderr_log:
            self.stderr_log.stderr(data)
        return data != b""

    def _flush(self) -> None:
        """Write as much of the queue as the program's input takes now. The rest follows during
        later waits."""
        try:
            while self._queue:
                written = self._write(self._queue)
                self._written += written
                del self._queue[:written]
        except BlockingIOError:
            if self._paused:
                self._paused.resume()  # so that the program can read a long message
            self._watch_stdin(True)
        except (BrokenPipeError, ConnectionResetError):
            self._stop_writing()
        else:
            if self._is_stdin_watched:
                self._watch_stdin(False)

    def _stop_writing(self) -> None:
        self.is_deaf = True
        self._queue.clear()
        self._watch_stdin(False)

    def _write(self, data: bytearray) -> int:
        """Write what can be written at once, and return the number of bytes."""
        return os.write(self._to_it, data)

    def _watch_stdin(self, is_wanted: bool) -> None:
        """Watch, or stop watching, whether more can be written."""
        if is_wanted != self._is_stdin_watched:
            self._is_stdin_watched = is_wanted
            self._watch_for_room(is_wanted)

    def _watch_for_room(self, is_wanted: bool) -> None:
        if is_wanted:
            self._watch(self._to_it, select.EPOLLOUT)
        else:
            self._ready.unregister(self._to_it)

    def _watch(self, fd: int, events: int) -> None:
        """Watch one more descriptor. Raises `LaunchFault` if the user has no more watches."""
        try:
            self._ready.register(fd, events)
        except OSError as error:
            raise LaunchFault(f"a program could not be listened to: {error.strerror}") from error

    def _unread(self) -> int:
        """The number of written bytes that the program has not read from its stdin."""
        count = array("i", [0])
        fcntl.ioctl(self._to_it, termios.FIONREAD, count)
        return count[0]
