"""The probes of `judge doctor`: programs that try each limit and each wall.

Every program is the judge's own Python with a line of code, run as a move is run.
`judge.process.sandbox.doctor` reports the results.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from judge.documents.game import Limits
from judge.documents.machines import Probed
from judge.errors import BotError, JudgeFault
from judge.process.bots.bot import Bot
from judge.process.run.launch import ProcessRun, Start
from judge.process.run.limits import MOST_FILE_BYTES
from judge.process.run.listening import RunEnd, Stop
from judge.process.run.scratch import of_this_run
from judge.process.sandbox.isolation import Isolation, Unlimited

FORK = "fork"

UNHURRIED = Limits(timeout_ms=10_000)
_HURRIED = Limits(timeout_ms=200)
_FRUGAL = Limits(timeout_ms=10_000, memory_bytes=64 * 2**20)
_TERSE = Limits(timeout_ms=10_000, output_bytes=1000)

_UNHELD = Unlimited()

# Two interpreters print different addresses, unless they are forks of one.
_PARENT = "print(id(object), id(type))"
_WRITE = (
    "import tempfile; file = tempfile.TemporaryFile(buffering=0); print('started', flush=True); "
    f"file.seek({MOST_FILE_BYTES}); file.write(b'x')"
)
_CPU = "import resource; print('kept' if resource.getrlimit(resource.RLIMIT_CPU)[0] > 0 else '')"
_REACH = """\
import socket
try:
    {action}
except OSError:
    print('kept')
"""
_LOOK = """\
import os
if len([name for name in os.listdir('/proc') if name.isdigit()]) == 2:
    print('kept')
"""


class Trial(NamedTuple):
    """A probe: Python code, a clause on what should be ``seen``, and a function that says whether
    it was."""

    name: str
    code: str
    seen: str
    works: Callable[[ProcessRun], bool]
    allowed: Limits = UNHURRIED


@dataclass(frozen=True, slots=True)
class Probe:
    """Runs programs as moves are run."""

    stop: Stop

    def command(
        self, argv: Sequence[str], allowed: Limits, held: Isolation = _UNHELD
    ) -> ProcessRun:
        """Run a command and return its run. Raises `JudgeFault` if the machine cannot start the
        command or is too busy. The run of a command that cannot be executed says why in
        ``stderr``."""
        with closing(held.launcher(Start(bot(argv[:-1]), os.environ, allowed), self.stop)) as one:
            return one.run(argv[-1])

    def forks(self, held: Isolation) -> list[ProcessRun]:
        """Run two forked moves of a Python program. Raises as `command`."""
        with tempfile.TemporaryDirectory(dir=of_this_run()) as scratch:
            folder = Path(scratch).resolve()
            folder.chmod(0o755)
            (folder / "bot.py").write_text(_PARENT)
            program = bot([sys.executable, str(folder / "bot.py")], folder)
            start = Start(program, os.environ, UNHURRIED, fork=True)
            with closing(held.launcher(start, self.stop)) as launcher:
                return [launcher.run(argument) for argument in ("first", "second")]

    def tried(self, trials: Iterable[Trial], held: Isolation = _UNHELD) -> tuple[Probed, ...]:
        """The results of these trials at one level of isolation."""

        def runs(trial: Trial) -> list[ProcessRun]:
            argv = [sys.executable, "-I", "-S", "-c", trial.code]
            return [self.command(argv, trial.allowed, held)]

        return tuple(_probed(trial, partial(runs, trial)) for trial in trials)


def _probed(trial: Trial, runs: Callable[[], list[ProcessRun]]) -> Probed:
    """The result of a trial whose runs have to print the same."""
    try:
        *others, done = runs()
    except (OSError, JudgeFault, BotError) as error:
        return Probed(trial.name, False, str(error))
    if trial.works(done) and all(run.stdout == done.stdout for run in others):
        return Probed(trial.name, True, trial.seen)
    said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
    ended = f"{done.ended.value}, status {done.status}" + (f", {said}" if said else "")
    return Probed(trial.name, False, f"it was not seen that {trial.seen}: {ended}")


def bot(command: Sequence[str], folder: Path = Path("/")) -> Bot:
    """A bot for a command. The bot's files are ``folder``, or none for /."""
    path, shown = os.environ.get("PATH", os.defpath), (command[0],)
    files = () if folder == Path("/") else (folder,)
    return Bot("doctor", tuple(command), folder, files, "", 0, path, interpreters=shown)


def launching(probe: Probe, held: Isolation) -> tuple[Probed, ...]:
    """The results of starting, ending and forking programs."""
    forks = Trial(FORK, _PARENT, "two moves were forks of one interpreter", _ends_well)
    return (*probe.tried(_LAUNCHING), _probed(forks, lambda: probe.forks(held)))


def limits(probe: Probe, held: Isolation) -> tuple[Probed, ...]:
    """The results on the limits that the kernel enforces, most of them tried with a program that
    breaks them."""
    most = _FRUGAL.memory_bytes
    sizes = f"{2 * most // 2**20} MiB where {most // 2**20} are allowed"

    def is_over(done: ProcessRun) -> bool:
        return done.out_of_memory or (
            held.peak_decides and done.peak_kib is not None and done.peak_kib * 1024 > most
        )

    touched = f"a program that touched {sizes} was found out"
    memory = Trial("memory", f"bytearray({2 * most})", touched, is_over, _FRUGAL)
    return probe.tried((memory, *_LIMITS), held)


def walls(probe: Probe, held: Isolation) -> tuple[Probed, ...]:
    """The results on what a bot must not reach, each tried with a program that reaches for it."""
    with socket.create_server(("127.0.0.1", 0)) as port, tempfile.NamedTemporaryFile() as file:
        connect = _REACH.format(action=f"socket.create_connection({port.getsockname()!r}, 5)")
        read = _REACH.format(action=f"open({file.name!r})")
        trials = (
            Trial("network", connect, "a program could not reach a port of this machine", _is_kept),
            Trial("files", read, "a program could not read a file that is not its own", _is_kept),
            Trial("processes", _LOOK, "a program could see no process but its own", _is_kept),
        )
        return probe.tried(trials, held)


def _ends_well(done: ProcessRun) -> bool:
    return done.stdout != b"" and done.status == 0


def _is_kept(done: ProcessRun) -> bool:
    return done.stdout == b"kept\n"


_LAUNCHING = (
    Trial("start", "print('ok')", "a program ran to its end", _ends_well),
    Trial(
        "deadline",
        "import time; time.sleep(60)",
        "a program that slept on was ended",
        lambda done: done.ended is RunEnd.TIMED_OUT,
        _HURRIED,
    ),
    Trial(
        "output limit",
        "while True: print('flood' * 1000)",
        "a program that printed on and on was ended",
        lambda done: done.ended is RunEnd.FLOODED,
        _TERSE,
    ),
)
_LIMITS = (
    Trial(
        "file size",
        _WRITE,
        f"a program that wrote a file past {MOST_FILE_BYTES // 2**20} MiB was stopped",
        lambda done: done.stdout == b"started\n" and done.status != 0,
    ),
    Trial(
        "processor time",
        _CPU,
        "a program has a limit, a net for what leaves its process group",
        _is_kept,
    ),
)
