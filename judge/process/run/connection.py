"""Connections to players: their interface, one new process a question, and the scripted fake.

The sentence on an answer that comes too late is here, too.

`OneShot` starts a process for every question: what is sent is its last argument, and what is
received is its stdout and then ``b""``, its exit. `judge.process.run.pipes.Pipes` is the way to a
process that lives for a match. `Script` is a player in this very process, the fake of the tests.
The failure of a process is a `BotError`; its words are the wire's to judge.
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
from judge.process.bots import memory_flags
from judge.process.bots.missing import missed
from judge.process.run.launch import Exit, ProcessRun, Start
from judge.process.run.launcher_pool import LauncherPool
from judge.process.run.listening import RunEnd
from judge.process.run.processes import Lookout
from judge.process.sandbox.isolation import Isolation

LANG = "C.UTF-8"  # the locale in which bots play
MOST_SEARCHED = 64 * 2**10  # bytes of stdout for what an interpreter complains of
GONE = "exited with status 0, or closed its stdin or stdout, before it answered"


class Connection(Protocol):
    """To one player, for as long as it has its seat."""

    @property
    def milliseconds(self) -> float:
        """Wall time from the last question to its whole answer; 0 if it needed none."""

    def open(self) -> None:
        """Start the program, if it lives for the match and has not been started yet. Raises
        `LaunchFault`, `Interrupted`."""

    def expect(self) -> None:
        """A question is sent next, and what is received from then on is its answer. Raises as
        ``open``."""

    def send(self, data: bytes) -> None:
        """Send bytes; raises `BotError`, `LaunchFault`, `Interrupted`."""

    def rest(self) -> None:
        """The answer is whole, and the player is not to compute until the next question."""

    def receive(self, deadline: float) -> bytes:
        """The next bytes, ``b""`` once the stream has ended; raises as ``send``.

        ``deadline`` is a time of `time.monotonic`.
        """

    @property
    def is_deaf(self) -> bool:
        """Whether the program has closed its end of what is sent, so that no question arrives."""

    def failure(self) -> BotError | None:
        """The fault of its program by ending, once the stream has ended; None if it exited with
        status 0, or has only closed the stream."""

    @property
    def gone(self) -> str:
        """The sentence on a program that gives no answer any more and has no ``failure``."""

    def evidence(self, seat: int) -> Evidence | None:
        """The evidence of the last answer, if there was a process."""

    def finish(self) -> None:
        """Send nothing any more, and let the program exit by itself, for a short while."""

    def close(self) -> None:
        """End it, with all that it has started."""


class OneShot:
    """A new process for every question, lent from the launchers of a run.

    The launcher itself keeps the time, from a process's start to its exit: what is left of the
    turn, however long the process had to wait for its start.
    """

    def __init__(
        self,
        start: Start,
        luck: Mapping[str, str],
        isolation: Isolation,
        launchers: LauncherPool,
        lookout: Lookout | None = None,
    ) -> None:
        """``luck`` are the variables that differ from one game to the next; the ``lookout`` is
        heeded while a process runs."""
        self._start = start
        self._isolation = isolation
        self._luck = luck
        self._lookout = lookout
        self._kept = contextlib.ExitStack()
        self._launcher = self._kept.enter_context(launchers.lent(isolation, start, luck))
        self._question: bytes | None = None
        self._last: ProcessRun | None = None
        self._has_run = False  # since the last question
        self._asked_at = 0.0  # a time of `time.monotonic`

    @property
    def milliseconds(self) -> float:
        return self._last.wall_ms if self._last and self._has_run else 0.0

    def open(self) -> None:
        """Each question starts a program of its own."""

    def expect(self) -> None:
        self._has_run = False
        self._asked_at = time.monotonic()

    def send(self, data: bytes) -> None:
        self._question, self._last = data, None

    def receive(self, deadline: float) -> bytes:
        """Run the bot with what was sent as its last argument, if that has not been done."""
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
        return None  # ``receive`` would have raised it

    gone = GONE

    def evidence(self, seat: int) -> Evidence | None:
        return _evidence(self._last, seat) if self._last else None

    def finish(self) -> None:
        """Nothing runs between two questions."""

    def close(self) -> None:
        """Leave the launcher to the next game."""
        self._kept.close()


class Script:
    """A player in this very process: a function from what it is sent to what it answers.

    The function may raise a `BotError` of its own; there is no process, and so no evidence.
    """

    milliseconds = 0.0

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        self._answer = answer
        self._pending: list[bytes] = []

    def open(self) -> None:
        """It is there."""

    def expect(self) -> None:
        self._pending.clear()  # the answer to a question that was withdrawn

    def send(self, data: bytes) -> None:
        if answer := self._answer(data):
            self._pending.append(answer)

    def receive(self, deadline: float) -> bytes:
        return self._pending.pop(0) if self._pending else b""

    def rest(self) -> None:
        """It computes only when it is called."""

    is_deaf = False

    def failure(self) -> BotError | None:
        return None

    gone = GONE

    def evidence(self, seat: int) -> Evidence | None:
        return None

    def finish(self) -> None:
        """There is nothing to end."""

    def close(self) -> None:
        """There is nothing to end."""


def variables(path: str, more: Mapping[str, str], lang: str = LANG) -> dict[str, str]:
    """The environment of a program but for ``HOME`` and ``TMPDIR``, which are its scratch
    folder."""
    return {"PATH": path, "LANG": lang, **more}


def _check(run: ProcessRun, start: Start, isolation: Isolation) -> None:
    """Raise the `BotError` that the run itself was, whatever it said."""
    if run.ended is RunEnd.NOT_STARTED:
        raise Crashed(f"could not be started: {text_of(run.stderr)}")
    limits = start.limits
    if run.out_of_memory:  # and what came of that
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
    """The fault of a program by the way in which it ended, if any; it printed this, and ended
    ``when`` the words say.

    Raises `LaunchFault` where another program may be why it ended so.
    """
    if done.out_of_memory:
        return too_much_memory(start)
    if fault := over_peak(done.peak_kib, start, isolation):
        return fault
    if done.status:
        _require_epoll()
    hint = (
        memory_flags.too_little_memory(start.bot.command, stdout[:MOST_SEARCHED] + stderr)
        if done.status
        else ""
    )
    if done.status < 0:
        return Crashed(f"was ended by {signal_name(-done.status)}{when}{hint}")
    if done.status:
        hint = hint or missed(start.bot, stderr, is_walled=isolation.walls_off)
        after = _as_after_a_signal(done.status)
        return Crashed(f"exited with status {done.status}{when}{after}{hint}")
    return None


def _require_epoll() -> None:
    """Raise `LaunchFault` if this user has no watch of `epoll` left: a bot in another seat may have
    taken all, and Node.js, for one, aborts then."""
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
    hint = memory_flags.too_much_memory(start.bot.command)
    return Crashed(f"used more memory than the {allowed} that are allowed{hint}")


def over_peak(peak_kib: int | None, start: Start, isolation: Isolation) -> Crashed | None:
    """The fault of a program that once had this much memory, if any."""
    most = start.limits.memory_bytes
    if not isolation.peak_decides or peak_kib is None or peak_kib * 1024 <= most:
        return None
    used, allowed = f"{peak_kib / 1024:.0f} MiB", f"{most / 2**20:g} MiB"
    hint = memory_flags.too_much_memory(start.bot.command)
    return Crashed(f"used {used} of memory, where {allowed} are allowed{hint}")


def _as_after_a_signal(status: int) -> str:
    """The exit status that a shell makes of a signal; a bot may exit so by itself."""
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
