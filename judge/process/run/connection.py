"""Connections to players: the interface, the connection with a process for each question, and a
fake for tests.

The sentences on how a program ended are here too.

`OneShot` starts a process for every question: the question is its last argument, and the answer its
stdout. `judge.process.run.pipes.Pipes` connects to a process that lives for a match. `Script` is a
function in this process, for tests. The failure of a process is a `BotError`. The wire judges the
output of a process.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from judge.documents.game import Evidence
from judge.errors import BadOutput, BotError, Crashed, LaunchFault, TimedOut
from judge.process.bots import crash_hints
from judge.process.run.launch import Exit, Launcher, ProcessRun, Start
from judge.process.run.listening import RunEnd
from judge.process.run.processes import Lookout
from judge.process.sandbox.isolation import Isolation

MOST_SEARCHED = 64 * 2**10  # bytes of stdout that are searched for complaints
GONE = "exited with status 0, or closed its stdin or stdout, before it replied"


class Connection(Protocol):
    """The connection to one player, for as long as the player has its seat."""

    @property
    def milliseconds(self) -> float:
        """The milliseconds from the last question to its whole answer; 0 if no process was waited
        for."""

    def open(self) -> None:
        """Start the program if it lives for the match and was not started yet. Raises `LaunchFault`
        if the machine cannot start the program or listen to it, and `Interrupted` once the user
        stops the run."""

    def expect(self) -> None:
        """Note that a question comes next; bytes received after this call are its answer. Raises as
        ``open``."""

    def send(self, data: bytes) -> None:
        """Send bytes to the player. Raises as ``open``, and the `BotError` that the function of a
        `Script` raises."""

    def rest(self) -> None:
        """Note that the answer is complete. The player may not compute until the next question."""

    def receive(self, deadline: float) -> bytes:
        """Wait for the next bytes and return them; ``b""`` once the stream has ended. Raises
        `BotError` for a fault of the player, such as no bytes until the ``deadline``. Raises
        `JudgeFault` if the machine cannot start the program or listen to it, or if the machine or
        the judge has made the player late. Raises `Interrupted` once the user stops the run.

        ``deadline`` is a time of `time.monotonic`.
        """

    @property
    def is_deaf(self) -> bool:
        """Whether no more questions reach the program, as after it has closed its input."""

    def failure(self) -> BotError | None:
        """The fault with which the program ended, or None if it exited with status 0 or has only
        closed the stream. Call this once the stream has ended."""

    @property
    def gone(self) -> str:
        """Words on the end of a program without a ``failure``, such as `GONE`."""

    def evidence(self, seat: int) -> Evidence | None:
        """The evidence of the last answer, or None if no process was started for it."""

    def finish(self) -> None:
        """Close the program's input, and wait a short while for the program to exit by itself."""

    def close(self) -> None:
        """End the program, with all processes that it has started."""


class OneShot:
    """The connection to a player with a new process for every question. The launcher enforces the
    time limit, which runs from the start of a process to its exit."""

    def __init__(
        self,
        start: Start,
        luck: Mapping[str, str],
        isolation: Isolation,
        lent: contextlib.AbstractContextManager[Launcher],
        lookout: Lookout | None = None,
    ) -> None:
        """``luck`` are the environment variables that differ from game to game. ``lent`` is the
        program's launcher, from the run's pool. The ``lookout`` looks at other programs of the game
        while a process runs."""
        self._start = start
        self._isolation = isolation
        self._luck = luck
        self._lookout = lookout
        self._kept = contextlib.ExitStack()
        self._launcher = self._kept.enter_context(lent)
        self._question: bytes | None = None
        self._last: ProcessRun | None = None
        self._has_run = False  # whether a process has run since the last question
        self._asked_at = 0.0  # a time of `time.monotonic`

    @property
    def milliseconds(self) -> float:
        return self._last.wall_ms if self._last and self._has_run else 0.0

    def open(self) -> None:
        """Nothing is started: each question starts a process of its own."""

    def expect(self) -> None:
        self._has_run = False
        self._asked_at = time.monotonic()

    def send(self, data: bytes) -> None:
        self._question, self._last = data, None

    def receive(self, deadline: float) -> bytes:
        """Run the bot with the sent question as its last argument, and return its stdout. Returns
        ``b""`` if no question was sent since the last call."""
        if self._question is None:
            return b""
        question, self._question = self._question, None
        seconds = deadline - self._asked_at
        self._last = self._launcher.run(question.decode(), self._luck, seconds, self._lookout)
        self._has_run = True
        _check(self._last, self._start, self._isolation)
        return self._last.stdout

    def rest(self) -> None:
        """Nothing runs between two questions."""

    is_deaf = False

    def failure(self) -> BotError | None:
        return None  # ``receive`` raises every failure

    gone = GONE

    def evidence(self, seat: int) -> Evidence | None:
        return _evidence(self._last, seat) if self._last else None

    def finish(self) -> None:
        """Nothing runs between two questions."""

    def close(self) -> None:
        """Give the launcher back to the pool."""
        self._kept.close()


class Script:
    """A connection to a function in this process, which takes the sent bytes and returns those of
    the answer. The function may raise a `BotError`. Without a process there is no evidence."""

    milliseconds = 0.0

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        self._answer = answer
        self._pending: list[bytes] = []

    def open(self) -> None:
        """Nothing is started."""

    def expect(self) -> None:
        self._pending.clear()  # drops the answer to a withdrawn question

    def send(self, data: bytes) -> None:
        if answer := self._answer(data):
            self._pending.append(answer)

    def receive(self, deadline: float) -> bytes:
        return self._pending.pop(0) if self._pending else b""

    def rest(self) -> None:
        """The function computes only when it is called."""

    is_deaf = False

    def failure(self) -> BotError | None:
        return None

    gone = GONE

    def evidence(self, seat: int) -> Evidence | None:
        return None

    def finish(self) -> None:
        """Nothing is done, since there is no process."""

    def close(self) -> None:
        """Nothing is done, since there is no process."""


def _check(run: ProcessRun, start: Start, isolation: Isolation) -> None:
    """Raise the `BotError` of a run that did not end as it should, whatever the program printed.
    Raises `LaunchFault` as `crash`."""
    if run.ended is RunEnd.NOT_STARTED:
        raise Crashed(f"could not be started: {text_of(run.stderr)}")
    limits = start.limits
    if run.out_of_memory:  # whatever the exit status is
        raise too_much_memory(start)
    if run.ended is RunEnd.OVER_MEMORY and (fault := over_peak(run.peak_kib, start, isolation)):
        raise fault
    if run.ended is RunEnd.TIMED_OUT:
        said = "no reply" if not run.stdout else "it replied, but did not exit,"
        raise TimedOut(f"{said} within {limits.timeout_ms / 1000:g} s")
    if run.ended is RunEnd.FLOODED:
        raise BadOutput(f"printed more than {limits.output_bytes} bytes")
    if fault := crash(run, run.stdout, run.stderr, start, isolation):
        raise fault


def crash(
    done: ProcessRun | Exit,
    stdout: bytes,
    stderr: bytes,
    start: Start,
    isolation: Isolation,
    *,
    when: str = "",
) -> Crashed | None:
    """The fault of a program that crashed or used too much memory, or None if it did neither.
    ``when`` are words on the time of its end. Raises `LaunchFault` if the exit status is not 0 and
    this user has no ``epoll`` watches left."""
    if done.out_of_memory:
        return too_much_memory(start)
    if fault := over_peak(done.peak_kib, start, isolation):
        return fault
    if done.status:
        _require_epoll()
    hint = (
        crash_hints.too_little_memory(start.bot.command, stdout[:MOST_SEARCHED] + stderr)
        if done.status
        else ""
    )
    if done.status < 0:
        return Crashed(f"was ended by {signal_name(-done.status)}{when}{hint}")
    if done.status:
        hint = hint or crash_hints.missed(start.bot, stderr, is_walled=isolation.walls_off)
        after = _as_after_a_signal(done.status)
        return Crashed(f"exited with status {done.status}{when}{after}{hint}")
    return None


def _require_epoll() -> None:
    """Raise `LaunchFault` if this user has no `epoll` watches left: a bot in another seat may have
    taken them all, and programs such as Node.js then abort."""
    try:
        with os.fdopen(os.eventfd(0, os.EFD_CLOEXEC), "rb") as watched, select.epoll() as poll:
            poll.register(watched, select.EPOLLIN)
    except OSError as error:
        raise LaunchFault(
            "a program crashed, and the judge could watch no file by epoll either, for programs of "
            f"this user, bots among them, have taken too much: {error.strerror}"
        ) from error


def too_much_memory(start: Start) -> Crashed:
    allowed = f"{start.limits.memory_bytes / 2**20:g} MiB"
    hint = crash_hints.too_much_memory(start.bot.command)
    return Crashed(f"used more memory than the {allowed} that are allowed{hint}")


def over_peak(peak_kib: int | None, start: Start, isolation: Isolation) -> Crashed | None:
    """The fault of a program whose peak of memory is over the limit. None if it is not, is not
    known, or does not decide under this isolation."""
    most = start.limits.memory_bytes
    if not isolation.peak_decides or peak_kib is None or peak_kib * 1024 <= most:
        return None
    used, allowed = f"{peak_kib / 1024:.0f} MiB", f"{most / 2**20:g} MiB"
    hint = crash_hints.too_much_memory(start.bot.command)
    return Crashed(f"used {used} of memory, where {allowed} are allowed{hint}")


def _as_after_a_signal(status: int) -> str:
    """Words for an exit status by which a shell shows a signal; empty for any other. A bot may also
    exit with such a status by itself."""
    number = status - 128
    is_one = number in signal.valid_signals()
    return f", as after {signal_name(number)}" if is_one else ""


def _evidence(run: ProcessRun, seat: int) -> Evidence:
    cut = "\n… cut at the output limit …\n" if run.ended is RunEnd.FLOODED else ""
    return Evidence(
        seat=seat,
        argv=run.argv,
        stdout=text_of(run.stdout) + cut,
        stderr=text_of(run.stderr),
        exit=run.status if run.status >= 0 else None,
        signal=signal_name(-run.status) if run.status < 0 else None,
        wall_ms=round(run.wall_ms, 1),
        cpu_ms=round(run.cpu_ms, 1),
        peak_kib=run.peak_kib,
    )


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
