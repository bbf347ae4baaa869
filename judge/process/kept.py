"""The judge's side of a keeper: a bot whose moves all start from one process, kept for a game.

`judge.process.keeper` is that process, draws one move, and says what passes between the two. It
is started when a move is first wanted, before that move's time begins, and again after any
trouble: a timeout, a flood, a stop, or a keeper that is no more.
"""

from __future__ import annotations

import errno
import importlib.util
import json
import marshal
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from importlib.abc import InspectLoader
from pathlib import Path
from types import CodeType

from judge.errors import Interrupted, LaunchFault
from judge.game.record import Limits
from judge.process.cgroup import Group
from judge.process.launch import PROGRAMS_OWN, Ended, Listener, Run, Stop, not_started
from judge.process.limits import GRACE_SECONDS

PATIENCE_SECONDS = 30.0  # with what no bot has to do with; a busy machine may need some

# What a process was before it became the bot counts as its memory. That is a little more than
# the keeper's own.
_COPIED_KIB = 2048

LONGEST_ARGUMENT = 131_071  # bytes, in Linux

_KILLED = signal.SIGKILL.value  # a status as waitpid has it
_LONGEST_ANSWER = 4096

_BOOT = """\
import marshal, posix, sys
as_main, keeper, plan = marshal.loads(posix.pread(int(sys.argv[1]), 1 << 24, 0))
posix.close(int(sys.argv[1]))
if as_main:
    module = type(sys)("as_main")
    exec(as_main, vars(module))
    as_main = module
names = {"__name__": "keeper"}
exec(keeper, names)
names["main"](plan, as_main)
"""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What a bot is kept in.

    ``prefix`` is bubblewrap with its arguments, and ``scratch`` the bytes of a move's /tmp there;
    or there is no bubblewrap. ``limits`` are each move's, as `resource` has them. ``interpreter``
    runs the keeper, which executes ``command``, or if that ``is_forked`` forks the last word of
    it, a Python program of which all before is the interpreter.
    """

    interpreter: tuple[str, ...]
    command: tuple[str, ...]
    is_forked: bool
    folder: Path
    environment: Mapping[str, str]
    limits: list[tuple[int, int]]
    prefix: tuple[str, ...] = ()
    scratch: int | None = None
    filter_program: bytes | None = None
    group: Callable[[], Group] | None = None
    around_a_move: Callable[[], AbstractContextManager[object]] = nullcontext


class Kept:
    """The moves of one bot in one game; a `judge.process.launch.Launcher`."""

    def __init__(self, sandbox: Sandbox, limits: Limits, stop: Stop) -> None:
        self._sandbox = sandbox
        self._limits = limits
        self._stop = stop
        self._keeper: Keeper | None = None

    def run(self, argument: str) -> Run:
        """See `judge.process.launch.Launcher.run`."""
        sandbox = self._sandbox
        if sandbox.is_forked and len(argument.encode()) > LONGEST_ARGUMENT:  # as exec has it
            raise LaunchFault(f"no process could be started: {os.strerror(errno.E2BIG)}")
        if not sandbox.folder.is_dir():
            return not_started((*sandbox.command, argument), f"{sandbox.folder}: {os.strerror(2)}")
        try:
            with sandbox.around_a_move():
                if self._keeper is None:
                    self._keeper = Keeper(sandbox, self._stop)
                return self._keeper.move(argument, self._limits)
        except OSError as error:
            program = sandbox.command[0]
            raise LaunchFault(f"{program} could not be listened to: {error.strerror}") from error
        finally:
            if self._keeper and not self._keeper.is_ready:
                self.close()

    def close(self) -> None:
        """End the keeper, and all that it has started."""
        if self._keeper:
            self._keeper.close()
            self._keeper = None


class Keeper:
    """One keeper, from its start to its end.

    Raises `LaunchFault` if it does not start, and `Interrupted` on ``stop``.
    """

    def __init__(self, sandbox: Sandbox, stop: Stop) -> None:
        self.is_ready = False  # for a move
        self._sandbox = sandbox
        self._stop = stop
        self._heard: dict[str, list[str]] = {}  # of this move, each message by its first word
        self._resources = ExitStack()
        try:
            self._group = self._resources.enter_context(sandbox.group()) if sandbox.group else None
            self._start()
        except OSError as error:
            self.close()
            raise LaunchFault(f"no bot could be kept: {error}") from error
        except BaseException:
            self.close()
            raise

    def move(self, argument: str, limits: Limits) -> Run:
        """One run of the bot. Raises `LaunchFault`, `OSError`, and `Interrupted` on the stop."""
        argv = (*self._sandbox.command, argument)
        self._heard, self.is_ready = {}, False
        with ExitStack() as pipes:
            (out, out_end), (err, err_end) = (_pipe(pipes) for _ in range(2))
            start = time.monotonic()
            try:
                socket.send_fds(self._requests, [argument.encode()], [out_end, err_end])
            finally:
                os.close(out_end)
                os.close(err_end)
            # In namespaces that end with it, nobody holds a pipe after the bot.
            grace = GRACE_SECONDS if self._sandbox.scratch is None else PATIENCE_SECONDS
            listener = Listener(self, out, err, limits.output_bytes, grace)
            ended = listener.listen(start + limits.timeout_ms / 1000, self._stop)
            wall_ms = (time.monotonic() - start) * 1000
            self._wait_until_gone()
        self.is_ready = ended is Ended.BY_ITSELF and "gone" in self._heard
        if broken := self._heard.get("broken"):
            raise LaunchFault(" ".join(broken))
        if failed := self._heard.get("failed"):
            reason = f"{argv[0]}: {os.strerror(int(failed[0]))}"
            if int(failed[0]) in PROGRAMS_OWN:
                return not_started(argv, reason)
            raise LaunchFault(f"no process could be started: {reason}")
        status, cpu, peak = map(int, self._heard.get("ended", (_KILLED, 0, 0)))
        return Run(
            argv=argv,
            stdout=bytes(listener.stdout),
            stderr=listener.stderr.whole(),
            ended=ended,
            status=os.waitstatus_to_exitcode(status),
            wall_ms=wall_ms,
            cpu_ms=cpu / 1000,
            peak_kib=peak if peak > self._own_peak + _COPIED_KIB else None,
            out_of_memory=self._group is not None and self._group.out_of_memory(),
        )

    def fileno(self) -> int:
        return self._answers.fileno()

    def has_come(self) -> bool:
        """Whether the bot has exited; see `judge.process.launch.End`."""
        return self._hear() in ("exited", "ended", "")

    def close(self) -> None:
        """End it, and all that it has started."""
        self._resources.close()

    def _hear(self) -> str:
        """The first word of its next message, or nothing if it is no more."""
        try:
            message = self._answers.recv(_LONGEST_ANSWER).decode("ascii", "replace")
        except ConnectionError:
            message = ""
        word, *more = message.split(" ")
        self._heard[word] = more
        return word

    def _wait_until_gone(self) -> None:
        """Return once nothing of the move is left, if the keeper can see to that."""
        if not {"ended", ""} & self._heard.keys():
            with suppress(OSError):  # it will be told
                self._answers.send(b"!")
        poll = select.poll()
        poll.register(self._answers, select.POLLIN)
        while not {"gone", "broken", ""} & self._heard.keys():
            if not poll.poll(PATIENCE_SECONDS * 1000):
                return
            self._hear()

    def _start(self) -> None:
        sandbox = self._sandbox
        prefix = list(sandbox.prefix)
        told = None
        with ExitStack() as passed:
            self._requests, requests = self._socket_pair(passed)
            self._answers, answers = self._socket_pair(passed)
            programs = _memory_file(passed, _programs(sandbox, requests.fileno(), answers.fileno()))
            fds = [programs, requests.fileno(), answers.fileno()]
            if prefix:
                told, teller = os.pipe()
                self._resources.callback(os.close, told)
                passed.callback(os.close, teller)
                fds.append(teller)
                prefix += ["--info-fd", str(teller)]
                if sandbox.filter_program is not None:
                    fds.append(_memory_file(passed, sandbox.filter_program))
                    prefix += ["--seccomp", str(fds[-1])]
                prefix.append("--")
            nowhere = os.pipe()
            for end in nowhere:
                passed.callback(os.close, end)
            process = subprocess.Popen(
                [*prefix, *sandbox.interpreter, "-c", _BOOT, str(programs)],
                cwd=sandbox.folder,
                env=sandbox.environment,
                stdin=nowhere[0],  # what is forked is to have its streams on pipes
                stdout=nowhere[1],
                stderr=subprocess.PIPE,
                pass_fds=fds,
                start_new_session=True,
            )
        first = process.pid if told is None else _first_inside(told)
        self._resources.callback(_end, process, first and _pidfd(first))
        if first and self._group:
            with suppress(ProcessLookupError):  # it has come to nothing, and that will be said
                self._group.add(first)
        self._begin(process)

    def _socket_pair(self, passed: ExitStack) -> tuple[socket.socket, socket.socket]:
        """Our end, and the one that is passed on."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        return self._resources.enter_context(ours), passed.enter_context(theirs)

    def _begin(self, process: subprocess.Popen[bytes]) -> None:
        """Let it prepare, and wait until it has."""
        with suppress(OSError):  # it will say why, or bubblewrap will
            self._answers.send(b"!")
        poll = select.poll()
        poll.register(self._answers, select.POLLIN)
        poll.register(self._stop, select.POLLIN)
        ready = [fd for fd, _ in poll.poll(PATIENCE_SECONDS * 1000)]
        if self._stop.fileno() in ready:
            raise Interrupted
        heard = self._hear() if ready else "nothing"
        if heard != "ready":
            reason = " ".join(self._heard.get("broken", [])) or _last_words(process)
            holder = (*self._sandbox.prefix, *self._sandbox.interpreter)[0]
            raise LaunchFault(f"{holder} could not hold {self._sandbox.command[0]}: {reason}")
        self._own_peak = int(self._heard["ready"][0])
        self.is_ready = True


def _first_inside(told: int) -> int | None:
    """The first process in bubblewrap, by what it tells; None if it has come to nothing."""
    said = b""
    while not said.endswith(b"}\n") and (more := os.read(told, 4096)):
        said += more
    return int(json.loads(said)["child-pid"]) if said else None


def _pidfd(process: int) -> int | None:
    with suppress(ProcessLookupError):
        return os.pidfd_open(process)
    return None


def _end(process: subprocess.Popen[bytes], first: int | None) -> None:
    """End what was started, and the first process of its namespace, which takes along all others;
    return when they are no more.
    """
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    if first is not None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(first, signal.SIGKILL)
        poll = select.poll()
        poll.register(first, select.POLLIN)
        poll.poll(PATIENCE_SECONDS * 1000)
        os.close(first)
    process.wait()
    if process.stderr:
        process.stderr.close()


def _last_words(process: subprocess.Popen[bytes]) -> str:
    """Why it could not be started, as it or bubblewrap has said."""
    process.kill()
    _, said = process.communicate()
    return said.decode("utf-8", "backslashreplace").strip().rpartition("\n")[2] or "no reason given"


def _programs(sandbox: Sandbox, requests: int, answers: int) -> bytes:
    """What the interpreter inside boots from."""
    plan = {
        "requests": requests,
        "answers": answers,
        "command": sandbox.command,
        "environment": dict(sandbox.environment),
        "folder": str(sandbox.folder),
        "limits": sandbox.limits,
        "scratch": sandbox.scratch,
    }
    is_ours = Path(sandbox.interpreter[0]).resolve() == Path(sys.executable).resolve()
    as_main = _program("as_main", compiled=is_ours) if sandbox.is_forked else None
    # Of Pythons that are not ours: an older format, which all know, and no code.
    version = marshal.version if is_ours else 2
    return marshal.dumps((as_main, _program("keeper", compiled=is_ours), plan), version)


@cache
def _program(name: str, *, compiled: bool) -> CodeType | str:
    """A module of this package for another process: compiled, if that has the same Python."""
    spec = importlib.util.find_spec(f"judge.process.{name}")
    assert spec is not None, "it is part of the judge"
    assert isinstance(spec.loader, InspectLoader), "a file"
    code, source = spec.loader.get_code(spec.name), spec.loader.get_source(spec.name)
    assert code is not None, "it has code"
    assert source is not None, "it has a source"
    return code if compiled else source


def _memory_file(passed: ExitStack, content: bytes) -> int:
    """A file that is nowhere, open at its start."""
    fd = os.memfd_create("judge")
    passed.callback(os.close, fd)
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _pipe(pipes: ExitStack) -> tuple[int, int]:
    """A pipe: its reading end, for as long as that lasts, and its writing end."""
    reading, writing = os.pipe()
    pipes.callback(os.close, reading)
    return reading, writing
