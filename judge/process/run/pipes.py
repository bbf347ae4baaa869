"""The connection to a program that lives for a match, by its stdin and stdout.

The time for an answer runs from the question to the last byte of the answer. The judge reads stdout
only after a question: early bytes stay in the pipe, and a program that writes more than the pipe
holds has to wait. The program cannot make the judge wait longer than the time for an answer: bytes
that it does not read are queued, and its stderr is read while its answer is awaited. A pipe that
the program closes is not a fault by itself: the wire decides at the next question or at the end of
stdout.
"""

from __future__ import annotations

import contextlib
import math
import select
import time
from collections.abc import Mapping, Sequence

from judge.documents.game import Evidence
from judge.errors import (
    BadOutput,
    BotError,
    Crashed,
    LaunchFault,
    TimedOut,
)
from judge.process.bots.data_file import OwnData
from judge.process.bots.interpreters import flushing
from judge.process.run.channel import Channel
from judge.process.run.connection import GONE, crash, over_peak, signal_name, text_of
from judge.process.run.exchange_log import ExchangeLog
from judge.process.run.launch import DataFile, Exit, Launcher, LiveProgram, NotStarted, Start
from judge.process.run.limits import GRACE_SECONDS, PARTING_SECONDS, most_kib
from judge.process.run.listening import (
    READ_SECONDS,
    Stop,
    Waits,
    require_in_time,
)
from judge.process.run.pausing import Pausing
from judge.process.run.processes import Usage
from judge.process.sandbox.isolation import Isolation

MOST_UNREAD_BYTES = 2**20  # bytes queued for a program that does not read, at most
EXIT_SECONDS = 0.25  # seconds from the end of stdout to the program's exit
BUSY = 0.5  # share of the time on a processor; such a program computes and does not wait


class Pipes(Channel):
    """The `judge.process.run.connection.Connection` to a process that lives for a match."""

    parting_seconds = PARTING_SECONDS

    def __init__(
        self,
        start: Start,
        isolation: Isolation,
        lent: contextlib.AbstractContextManager[Launcher],
        stop: Stop,
        *,
        luck: Mapping[str, str],
        workplace: Sequence[str] | None,
        data: DataFile | None = None,
        pausing: Pausing | None = None,
    ) -> None:
        """``lent`` is the program's launcher, from the run's pool. ``luck`` are the environment
        variables that differ from match to match. ``workplace`` and ``data`` are as in
        `judge.process.run.launch.Launcher.start`. ``pausing`` stops players of the game that
        compute unasked."""
        self._start = start
        self._luck = luck
        self._workplace = workplace
        self._data = data
        self._isolation = isolation
        super().__init__(stop)
        self._kept = contextlib.ExitStack()
        self._launcher = self._kept.enter_context(lent)
        self._opened: float | None = None
        self._fault: BotError | None = None  # nothing more is read after a fault
        self._exit: Exit | None = None
        self._has_ended = False  # whether its stdout has ended
        self._fetched: bytes | BotError | None = None
        self.waits = Waits(math.inf)  # the judge's waits for the last answer
        self._has_kept_us = False  # whether its last read or write made the judge wait
        self._overdue = 0.0  # the deadline after which the last look was taken
        self._is_late = False  # whether it was too late with an answer
        self.stayed_on = False  # whether it had to be ended after its match
        self._log = ExchangeLog()
        self._pausing = pausing or Pausing()
        self._usage: Usage | None = None  # the program's usage, once it was started

    @property
    def milliseconds(self) -> float:
        return self._log.milliseconds

    @property
    def left(self) -> OwnData | None:
        """The data that the program has left, once it has ended, or None if they are not known."""
        return self._exit.left if self._exit else None

    def open(self) -> None:
        if self._opened is not None:
            return
        self._opened = time.monotonic()
        try:
            program = self._program = self._launched()
        except NotStarted as error:
            self._fault = Crashed(f"could not be started: {error}")
            return
        self._kept.callback(self._conclude)
        processors = len(self._start.processors) or 1
        most = most_kib(self._start.limits, peak_decides=self._isolation.peak_decides)
        self._usage = Usage(program.first, processors, self._start.limits.timeout_ms, most)
        self._paused = self._pausing.add(program, self._end_for_escaping)
        try:
            self._ready = self._kept.enter_context(select.epoll())
            for fd in (program.streams.stderr, program.fileno(), self._stop.fileno()):
                self._ready.register(fd, select.EPOLLIN)
            self._listen_to(program)
        except OSError as error:
            said = f"{program.argv[0]} could not be listened to: {error.strerror}"
            raise LaunchFault(said) from error

    def _launched(self) -> LiveProgram:
        return self._launcher.start(self._luck, self._workplace, data=self._data)

    def expect(self) -> None:
        self.open()
        if isinstance(self._fetched, BotError):  # the fault belongs to a withdrawn question
            self._fetched = None
        self.waits = Waits(math.inf)
        self._has_kept_us = False
        self._log.ask()
        if self._paused and self._usage:
            self._paused.ask()
            self._usage.begin(self._log.asked)

    def rest(self) -> None:
        if self._paused:
            self._paused.rest()

    def send(self, data: bytes) -> None:
        self.open()
        self._log.send(data)
        if self._program is None or self.is_deaf:
            return
        self._queue += data
        began = time.monotonic()
        self._flush()
        self._has_kept_us = self._has_kept_us or time.monotonic() - began > READ_SECONDS
        if len(self._queue) > MOST_UNREAD_BYTES:
            self._stop_writing()
            kept = f"{MOST_UNREAD_BYTES / 2**20:g} MiB"
            self._fault = TimedOut(f"did not read what it was sent, until that was over {kept}")

    def receive(self, deadline: float) -> bytes:
        """See `judge.process.run.connection.Connection.receive`."""
        if self._paused and not self._paused.is_asked:  # after its farewell the program may go on
            self._paused.ask()
        fetched, self._fetched = self._fetched, None
        if isinstance(fetched, BotError):
            raise fetched
        if fetched is None:
            fetched = self._next(deadline, is_waiting=True)
        assert fetched is not None, "it has been waited for"
        return fetched

    def fetch(self, deadline: float) -> None:
        """Read what is available now, without waiting. The next `receive` returns these bytes or
        raises the fault that was found."""
        try:
            self._fetched = self._next(deadline, is_waiting=False)
        except BotError as error:
            self._fetched = error

    @property
    def has_fetched(self) -> bool:
        """Whether `fetch` has found something that `receive` has not given yet."""
        return self._fetched is not None

    @property
    def heard_by(self) -> float:
        """The time at which ``receive`` returns at the latest, apart from deadlines; minus infinity
        means at once."""
        return -math.inf if self._fault or self._has_ended else self._held_until

    def fileno(self) -> int:
        """A descriptor that becomes readable when there is an event of this program."""
        return self._ready.fileno()

    def failure(self) -> BotError | None:
        if self._fault is None and self._program:
            until = time.monotonic() + EXIT_SECONDS
            while not self._has_exited and (left := until - time.monotonic()) > 0:
                self._look(left, self.read_bytes)
            if self._has_exited:
                self._conclude()
        if self._fault is None and self._exit:
            said = bytes(self._log.received), self._stderr.whole()
            self._fault = crash(self._exit, *said, self._start, self._isolation, when=self._when)
        return self._fault

    @property
    def _when(self) -> str:
        """Words on when the program ended, for the sentence on a crash."""
        return ""

    @property
    def gone(self) -> str:
        return GONE

    def evidence(self, seat: int) -> Evidence | None:
        if self._opened is None:
            return None
        assert self._usage is not None or self._exit is None, "what has ended has been started"
        status = self._exit.status if self._exit else None
        cpu_ms = peak_kib = None
        if self._usage:
            cpu_ms = self._exit.cpu_ms if self._exit else self._usage.cpu_ms()
            counted = self._exit.peak_kib if self._exit else None
            peak_kib = max(counted or 0, self._usage.peak_kib) or None
        return Evidence(
            seat=seat,
            argv=self._start.bot.command,
            stdout=text_of(self._printed),
            stderr=text_of(self._stderr.whole()),
            exit=status if status is not None and status >= 0 else None,
            signal=signal_name(-status) if status is not None and status < 0 else None,
            wall_ms=round((time.monotonic() - self._opened) * 1000, 1),
            cpu_ms=None if cpu_ms is None else round(cpu_ms, 1),
            peak_kib=peak_kib,
            exchanges=self._log.exchanges(self._text),
        )

    @property
    def _printed(self) -> bytes:
        """The part of stdout that the evidence shows."""
        return bytes(self._log.received)

    @staticmethod
    def _text(data: bytes) -> str:
        """The bytes of a question or an answer, as text for the evidence."""
        return text_of(data)

    def finish(self) -> None:
        if self._program is None:
            return
        if self._paused:
            self._paused.ask()
        self._flush()
        self._stop_writing()
        self._end_of_questions(self._program)
        until = time.monotonic() + self.parting_seconds
        room = self._start.limits.output_bytes  # a longer text is not an answer to the farewell
        while not self._has_exited and room > 0 and (left := until - time.monotonic()) > 0:
            room -= len(self._look(left, self.read_bytes) or b"")
        self.stayed_on = not (self._has_exited or self._is_late)
        self._conclude()

    def _end_of_questions(self, program: LiveProgram) -> None:
        """Close the program's input, so that the program sees the end of it."""
        program.streams.close_stdin()

    def close(self) -> None:
        self._kept.close()

    # Listening

    def _next(self, deadline: float, *, is_waiting: bool) -> bytes | None:
        """The next bytes of stdout, ``b""`` at its end. Without ``is_waiting``, None if no byte is
        there yet. Raises `BotError` for a fault of the program, such as too much output or a late
        answer. Raises `MachineBusy` if the machine or the judge is the cause of the delay, and
        `Interrupted` once the user stops the run."""
        if self._fault:
            raise self._fault
        most = self._start.limits.output_bytes
        while not self._has_ended:
            assert self._usage, "it has been started"
            now = time.monotonic()
            if (room := most + 1 - len(self._log.received)) <= 0:
                raise BadOutput(f"printed more than {most} bytes and no whole reply")
            # The clock is read before the poll. Once time is up there is one last look, since the
            # judge itself may have been held up.
            is_late = now >= deadline
            if is_late and (self._overdue == deadline or self._has_kept_us):
                self._overdue = deadline
                raise self._too_late()
            is_held_out = now >= self._held_until
            until = min(deadline, self._held_until, self.due)
            seconds = max(until - now, 0.0) if is_waiting else 0.0
            self.waits.begin(now, seconds)
            # A first look reads little. The judge's own time is measured from the second look on,
            # since the clock for it takes longer than a short read.
            used = time.thread_time() if self._log.has_looked else None
            came = self._look(seconds, room)
            if used is not None:
                self._usage.served += time.thread_time() - used
            looked = self._log.look()
            self.waits.end(self._back)
            if is_late:
                self._overdue = deadline
            if came:
                self._log.received += came
            self._has_kept_us = looked - self._back > READ_SECONDS
            if self._has_kept_us and looked >= deadline:
                continue
            self.look_out(looked)
            if came:
                return came
            if came is not None or is_held_out:
                self._has_ended = True
            elif is_late:
                raise self._too_late()
            elif not is_waiting:
                return None
        return b""

    @property
    def due(self) -> float:
        """The time at which `look_out` has something to do next."""
        return min(self._usage.due if self._usage else math.inf, self._pausing.due)

    def look_out(self, now: float) -> None:
        """Look at the processes of this program and of programs that are not asked, if a look is
        due. Raises the fault of this program, such as `Crashed` for too much memory."""
        if self._usage and now >= self._usage.due:
            self._usage.look(now)
            if self._usage.is_over:
                self._fault = over_peak(self._usage.peak_kib, self._start, self._isolation)
        if now >= self._pausing.due:
            self._pausing.look(now)
        if self._fault:
            raise self._fault

    def _too_late(self) -> TimedOut:
        """The fault of a program whose time is up. Raises `MachineBusy` if the machine or the judge
        is the cause."""
        assert self._usage, "it has been started"
        require_in_time(self.waits, self._usage, (self._overdue - self._log.asked) * 1000)
        self._is_late = True
        return self._late()

    def _late(self) -> TimedOut:
        said = "no whole reply" if self._log.received else "no reply"
        within = f"{said} within {self._start.limits.timeout_ms / 1000:g} s"
        return TimedOut(f"{within}{self._held_back()}")

    def _held_back(self) -> str:
        """A hint on why a running program has never written a byte: it is still starting, does not
        read its stdin, or does not flush its output. Empty if there is nothing to say."""
        if self._log.has_received or self._has_exited or self._program is None:
            return ""
        assert self._opened is not None, "it has been started"
        assert self._usage is not None, "and is looked at"
        if self._written and self._unread() == self._written:
            return (
                "; it had read nothing by then: it was still starting, which counts, or it does not "
                "read its stdin"
            )
        if self._usage.cpu_ms() > BUSY * (time.monotonic() - self._opened) * 1000:
            return ""
        bot = self._start.bot
        hint = flushing(bot.language, bot.command)
        return (
            hint if self._written or not hint else f"{hint}; or it was still starting, which counts"
        )

    # The end

    def _conclude(self) -> None:
        """End the program if it was not ended yet, and note how it ended."""
        if self._program is None:
            return
        program, self._program = self._program, None
        self._has_ended = True
        if self._paused:
            self._pausing.remove(self._paused)
            self._paused.resume()
        poll = select.poll()
        poll.register(program.streams.stderr, select.POLLIN)
        until = time.monotonic() + GRACE_SECONDS
        # Read the rest of stderr, but stop if a process keeps writing.
        while poll.poll(0) and self._take_stderr(program.streams.stderr):
            if time.monotonic() > until:
                break
        try:
            self._exit = program.end()
        except NotStarted as error:
            self._fault = Crashed(f"could not be started: {error}")

    def _end_for_escaping(self) -> None:
        """End a program that computes while it is not asked, although it was stopped."""
        self._fault = Crashed(
            "went on computing while another player was asked, although the judge had stopped it"
        )
        self._conclude()


class Listening:
    """Waits for several programs at once. Repeated waits for the same programs are quick."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._registered: list[Pipes] = []

    def wait_for_any(self, waiting: Sequence[tuple[Pipes, float]]) -> None:
        """Wait until one of several programs has an event, a deadline is over, or a look is due.
        Each program comes with its deadline.

        After the wait, the available bytes of all programs are fetched, so that no program's time
        goes on while the judge is busy with another.
        """
        until = math.inf
        heard: list[Pipes] = []
        for pipes, deadline in waiting:
            heard_by = pipes.heard_by
            until = min(until, deadline, heard_by, pipes.due)
            if heard_by > -math.inf:
                heard.append(pipes)
        if heard != self._registered:
            self._poll, self._registered = select.poll(), heard
            for pipes in heard:
                self._poll.register(pipes, select.POLLIN)
        now = time.monotonic()
        left = max(until - now, 0.0)
        self._poll.poll(None if left == math.inf else left * 1000)
        back = time.monotonic()
        for pipes, deadline in waiting:
            pipes.waits.begin(now, left)
            pipes.waits.end(back)
            if not pipes.has_fetched:
                pipes.fetch(deadline)
