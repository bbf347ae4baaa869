"""The report of `judge doctor` on this machine, from its probes: programs that try each limit and each
wall.

Every program run here is the judge's own Python with a line of code, run as a move is run, or an
interpreter or compiler that is asked for its version. The sentences on a level that is not there come
from `judge.process.sandbox.bwrap` and `judge.process.sandbox.isolation`.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from judge import __version__, schemas
from judge.documents.game import Limits
from judge.documents.machines import Held, Machine, Probed, Problem, Program, Scratch
from judge.documents.reports import Level
from judge.errors import BotError, JudgeFault, UsageError
from judge.process.bots.bot import Bot, bundled
from judge.process.bots.interpreters import Interpreters
from judge.process.run.launch import ProcessRun, Start
from judge.process.run.limits import MOST_FILE_BYTES
from judge.process.run.listening import RunEnd, Stop
from judge.process.run.processors import usable
from judge.process.run.scratch import of_this_run
from judge.process.sandbox import isolation
from judge.process.sandbox.isolation import Isolation, Unlimited

# The interpreters and compilers that bots are usually written for, with their Debian packages.
PACKAGES = {
    "python3": "python3",
    "node": "nodejs",
    "bash": "bash",
    "perl": "perl",
    "ruby": "ruby",
    "php": "php-cli",
    "java": "default-jdk-headless",
    "cc": "gcc",
}

LITTLE_SPACE = 100 * 2**20


def examine(stop: Stop) -> Machine:
    """Run all probes, in about a second, and return the report. Raises `Interrupted` once ``stop``
    is set."""
    probe = Probe(stop)
    chosen, note = isolation.choose("auto", bots=[_bot([sys.executable])])
    return Machine(
        judge=__version__,
        python=platform.python_version(),
        python_path=sys.executable,
        system=_distribution(),
        kernel=platform.release(),
        architecture=platform.machine(),
        cores=usable(),
        launching=launching(probe, chosen),
        isolation=held(probe, chosen, note),
        programs=tuple(_program(probe, name) for name in PACKAGES),
        scratch=_scratch(),
        schemas=tuple(schemas.names()),
        bots=tuple(bundled()),
    )


def held(probe: Probe, chosen: Isolation, note: str | None) -> Held:
    """The report on a level of isolation: its limits and walls, each tried."""
    return Held(
        Level(chosen.name),
        (
            *(limits(probe, chosen) if chosen.name != "none" else ()),
            *(walls(probe, chosen) if chosen.walls_off else ()),
        ),
        note,
        chosen.enforcement,
        isolation.more(chosen),
    )


def problems(machine: Machine) -> tuple[Problem, ...]:
    """The defects of a machine, each with its mend if that is known."""
    found = [
        Problem(
            f"launching: {check.name} does not work: {check.detail}",
            _KERNEL,
            fatal=check.name != FORK,  # without forks, the default launch still works
        )
        for check in machine.launching
        if not check.works
    ]
    found += [
        Problem(f"isolation: the limit on {check.name} does not hold: {check.detail}", None, False)
        for check in machine.isolation.limits
        if not check.works
    ]
    found += _of_scratch(machine.scratch)
    return tuple(found)


_KERNEL = "this needs Linux 5.3 or newer, and a sandbox around it that lets programs be started"


def _of_scratch(scratch: Scratch) -> list[Problem]:
    if scratch.path is None or scratch.free_bytes is None:
        what = "no folder for temporary files can be written to, and every move needs one"
        return [Problem(what, "export TMPDIR=/a/folder/to/write/in", fatal=True)]
    found = []
    wanted = os.environ.get("TMPDIR")
    if wanted and Path(wanted).absolute() != Path(scratch.path).absolute():
        what = f"TMPDIR={wanted} is not a folder to write in; {scratch.path} is taken instead"
        found.append(Problem(what, f"mkdir -p {wanted}, or unset TMPDIR", fatal=False))
    if scratch.free_bytes < LITTLE_SPACE:
        what = f"{scratch.path} has only {scratch.free_bytes // 2**20} MiB free"
        found.append(Problem(what, "free some space, or set TMPDIR to another folder", fatal=False))
    return found


def install(package: str) -> str:
    """The command that installs a Debian package here, or words for another system."""
    if shutil.which("apt-get"):
        return f"apt-get install {package}"
    return f"install what Debian calls {package}"


def _program(probe: Probe, name: str) -> Program:
    try:
        command = Interpreters.of(None).named(name)
    except UsageError as error:  # it is the script of a version manager
        return Program(name, None, None, str(error))
    if command is None:
        return Program(name, None, None, install(PACKAGES[name]))
    return Program(name, str(Path(command[0])), _version(probe, command[0]), None)


def _version(probe: Probe, program: str) -> str | None:
    try:
        done = probe.command([program, "--version"], UNHURRIED)
    except (JudgeFault, BotError):
        return None
    found = re.search(rb"\d+(?:\.\d+)+", done.stdout + done.stderr)
    return found[0].decode() if found else None


def _scratch() -> Scratch:
    try:
        path = tempfile.gettempdir()
        return Scratch(path, shutil.disk_usage(path).free)
    except OSError:
        return Scratch(None, None)


def _distribution() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.system()


# Probes


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
        with closing(held.launcher(Start(_bot(argv[:-1]), os.environ, allowed), self.stop)) as one:
            return one.run(argv[-1])

    def forks(self, held: Isolation) -> list[ProcessRun]:
        """Run two forked moves of a Python program. Raises as `command`."""
        with tempfile.TemporaryDirectory(dir=of_this_run()) as scratch:
            folder = Path(scratch).resolve()
            folder.chmod(0o755)
            (folder / "bot.py").write_text(_PARENT)
            program = _bot([sys.executable, str(folder / "bot.py")], folder)
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


def _bot(command: Sequence[str], folder: Path = Path("/")) -> Bot:
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
