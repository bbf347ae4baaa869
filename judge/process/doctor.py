"""What this machine offers for judging, found out by trying it.

Nothing here is believed: a limit counts as kept only after a program that breaks it was seen to
be held. Every program that is run is the judge's own Python with a line of code, or an
interpreter asked for its version.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from judge import __version__, schemas
from judge.errors import BotError, JudgeFault, UsageError
from judge.game.record import Limits
from judge.process import isolation
from judge.process.bot import Bot, Bundled, bundled
from judge.process.interpreters import Interpreters
from judge.process.isolation import Isolation, Unlimited
from judge.process.launch import Ended, Run, Stop
from judge.process.limits import MOST_FILE_BYTES

# The interpreters that bots are usually written for, and the Debian packages that bring them.
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

FORK = "fork"

LITTLE_SPACE = 100 * 2**20

_UNHURRIED = Limits(timeout_ms=10_000)
_HURRIED = Limits(timeout_ms=200)
_FRUGAL = Limits(timeout_ms=10_000, memory_bytes=64 * 2**20)
_TERSE = Limits(timeout_ms=10_000, output_bytes=1000)

_UNHELD = Unlimited()

# Of two interpreters these addresses are not the same, unless they are forks of one.
_PARENT = "print(id(object), id(type))"
_SLEEP = "import time; time.sleep(60)"
_FLOOD = "while True: print('flood' * 1000)"
_SPIN = "for _ in range(10**6): pass"
_TOUCH = f"print('started', flush=True); bytearray({2 * _FRUGAL.memory_bytes}); print('had it')"
_WRITE = f"""\
import signal, tempfile
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with tempfile.TemporaryFile(buffering=0) as file:
    print('started', flush=True)
    file.seek({MOST_FILE_BYTES})
    file.write(b'x')
    print('had it')
"""
_CPU = "import resource; print(resource.getrlimit(resource.RLIMIT_CPU)[0])"


@dataclass(frozen=True, slots=True)
class Check:
    """Something that was tried, whether it works, and what was seen."""

    name: str
    works: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Program:
    """An interpreter or compiler; ``mend`` is how to get it where it is not there."""

    name: str
    path: str | None
    version: str | None
    mend: str | None


@dataclass(frozen=True, slots=True)
class Held:
    """How far bots are held here by default, by what means, and what that leaves open, if
    anything; ``more`` is how to have them held better.
    """

    level: str
    limits: tuple[Check, ...]
    note: str | None
    enforcement: tuple[str, ...] = ()
    more: str | None = None


@dataclass(frozen=True, slots=True)
class Scratch:
    """Where bots' temporary files go; None where nothing can be written."""

    path: str | None
    free_bytes: int | None


@dataclass(frozen=True, slots=True)
class Problem:
    """What is amiss, how to mend it, and whether the judge can play in spite of it."""

    what: str
    mend: str | None
    fatal: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """All that was found out."""

    judge: str
    python: str
    python_path: str
    system: str
    kernel: str
    architecture: str
    cores: int
    launching: tuple[Check, ...]
    isolation: Held
    programs: tuple[Program, ...]
    scratch: Scratch
    schemas: tuple[str, ...]
    bots: tuple[Bundled, ...]


def examine(stop: Stop) -> Machine:
    """Try everything; takes about a second. Raises `Interrupted` once ``stop`` is set."""
    trial = Trial(stop)
    chosen, note = isolation.choose("auto")
    return Machine(
        judge=__version__,
        python=platform.python_version(),
        python_path=sys.executable,
        system=_distribution(),
        kernel=platform.release(),
        architecture=platform.machine(),
        cores=len(os.sched_getaffinity(0)),
        launching=launching(trial),
        isolation=held(trial, chosen, note),
        programs=tuple(_program(trial, name) for name in PACKAGES),
        scratch=_scratch(),
        schemas=tuple(schemas.names()),
        bots=tuple(bundled()),
    )


def held(trial: Trial, chosen: Isolation, note: str | None) -> Held:
    """What the level that was chosen really keeps bots from."""
    return Held(
        chosen.name,
        (
            *(limits(trial, chosen) if chosen.limits_memory else ()),
            *(walls(trial, chosen) if chosen.hides_neighbours else ()),
        ),
        note,
        chosen.enforcement,
        isolation.more(chosen),
    )


@dataclass(frozen=True, slots=True)
class Trial:
    """Runs a program as a move is run."""

    stop: Stop

    def python(self, code: str, allowed: Limits, held: Isolation = _UNHELD) -> Run:
        return self.command([sys.executable, "-I", "-S", "-c", code], allowed, held)

    def command(self, argv: Sequence[str], allowed: Limits, held: Isolation = _UNHELD) -> Run:
        """Raises `JudgeFault` or `BotError` if it cannot be started."""
        folder = Path("/")
        path = os.environ.get("PATH", os.defpath)
        bot = Bot("doctor", tuple(argv[:-1]), folder, (), digest="", size=0, path=path)
        with closing(held.launcher(bot, os.environ, allowed, self.stop)) as launcher:
            return launcher.run(argv[-1])

    def forked(self, code: str, allowed: Limits) -> tuple[Run, Run]:
        """Two moves of a Python program; raises what `command` raises."""
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch).resolve()
            script = folder / "bot.py"
            script.write_text(code)
            command = (sys.executable, str(script))
            bot = Bot("doctor", command, folder, (folder,), digest="", size=0, path="/usr/bin:/bin")
            launcher = _UNHELD.launcher(bot, os.environ, allowed, self.stop, fork=True)
            with closing(launcher):
                return launcher.run("first"), launcher.run("second")

    def check(self, name: str, tried: Callable[[], tuple[bool, str]]) -> Check:
        """What was tried, or why it could not be."""
        try:
            works, detail = tried()
        except (OSError, JudgeFault, BotError) as error:
            works, detail = False, str(error)
        return Check(name, works, detail)


def launching(trial: Trial) -> tuple[Check, ...]:
    """What starting, watching and ending a program needs."""

    def pidfd() -> tuple[bool, str]:
        os.close(os.pidfd_open(os.getpid()))
        return True, "the end of a process can be waited for without looking again and again"

    def start() -> tuple[bool, str]:
        done = trial.python("print('ok')", _UNHURRIED)
        good = done.stdout == b"ok\n" and done.status == 0
        return good, "a program ran to its end" if good else _what_ended(done)

    def wait4() -> tuple[bool, str]:
        done = trial.python(_SPIN, _UNHURRIED)
        return done.cpu_ms > 0, f"{done.cpu_ms:.0f} ms of processor time were measured"

    def deadline() -> tuple[bool, str]:
        done = trial.python(_SLEEP, _HURRIED)
        good = done.ended is Ended.TIMED_OUT
        return good, "a program that slept on was ended" if good else _what_ended(done)

    def output() -> tuple[bool, str]:
        done = trial.python(_FLOOD, _TERSE)
        good = done.ended is Ended.FLOODED
        return good, "a program that printed on and on was ended" if good else _what_ended(done)

    def fork() -> tuple[bool, str]:
        first, second = trial.forked(_PARENT, _UNHURRIED)
        good = first.stdout == second.stdout != b"" and not first.status and not second.status
        ended = _what_ended(second if first.stdout else first)
        return good, "two moves were forks of one interpreter" if good else ended

    tried = {
        "pidfd_open": pidfd,
        "start": start,
        "wait4": wait4,
        "deadline": deadline,
        "output limit": output,
        FORK: fork,
    }
    return tuple(trial.check(name, test) for name, test in tried.items())


def limits(trial: Trial, held: Isolation) -> tuple[Check, ...]:
    """What the kernel is asked to keep bots to, each tried with a program that breaks it."""

    def stopped(code: str, what: str) -> tuple[bool, str]:
        done = trial.python(code, _FRUGAL, held)
        if not done.stdout.startswith(b"started"):
            return False, f"the trial did not begin: {_what_ended(done)}"
        good = b"had it" not in done.stdout and done.status != 0
        return good, f"a program that {what} {'was stopped' if good else 'was not stopped'}"

    def cpu() -> tuple[bool, str]:
        done = trial.python(_CPU, _HURRIED_CPU, held)
        seconds = done.stdout.decode(errors="replace").strip()
        return seconds.isdigit(), (
            f"a program saw a limit of {seconds} s, a net for what leaves its process group"
            if seconds.isdigit()
            else f"no limit was set: {_what_ended(done)}"
        )

    allowed = _FRUGAL.memory_bytes // 2**20
    return (
        trial.check(
            "memory",
            lambda: stopped(_TOUCH, f"touched {2 * allowed} MiB where {allowed} are allowed"),
        ),
        trial.check(
            "file size",
            lambda: stopped(_WRITE, f"wrote a file past {MOST_FILE_BYTES // 2**20} MiB"),
        ),
        trial.check("processor time", cpu),
    )


def walls(trial: Trial, held: Isolation) -> tuple[Check, ...]:
    """What a bot must not get at, each tried with a program that reaches for it."""

    def kept(code: str, what: str) -> tuple[bool, str]:
        done = trial.python(code, _UNHURRIED, held)
        good = done.stdout == b"kept\n"
        return good, f"a program {'could not' if good else 'could'} {what}"

    def network() -> tuple[bool, str]:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            code = _CONNECT.format(address=listener.getsockname())
            return kept(code, "reach a port of this machine")

    def files() -> tuple[bool, str]:
        with tempfile.NamedTemporaryFile() as file:
            return kept(_READ.format(path=file.name), "read a file that is not its own")

    return (
        trial.check("network", network),
        trial.check("files", files),
        trial.check("processes", lambda: kept(_LOOK, "see any process but its own")),
    )


_CONNECT = """\
import socket
try:
    socket.create_connection({address!r}, timeout=5)
except OSError:
    print('kept')
"""
_READ = """\
try:
    open({path!r})
except OSError:
    print('kept')
"""
_LOOK = """\
import os
if len([name for name in os.listdir('/proc') if name.isdigit()]) == 2:
    print('kept')
"""

_HURRIED_CPU = replace(_UNHURRIED, timeout_ms=2000)


def problems(machine: Machine) -> tuple[Problem, ...]:
    """What is amiss on a machine, and how to mend it."""
    found = [
        Problem(
            f"launching: {check.name} does not work: {check.detail}",
            _KERNEL,
            fatal=check.name != FORK,  # which nobody need ask for
        )
        for check in machine.launching
        if not check.works
    ]
    if machine.isolation.level == "none":
        found.append(
            Problem(
                "prlimit is not installed, so nothing but time and output is limited",
                install("util-linux"),
                fatal=False,
            )
        )
    found += [
        Problem(f"isolation: the limit on {check.name} does not hold: {check.detail}", None, False)
        for check in machine.isolation.limits
        if not check.works
    ]
    found += _of_scratch(machine.scratch)
    if not machine.schemas:
        found.append(Problem("the judge's schemas are not there", _REINSTALL, fatal=True))
    if not machine.bots:
        found.append(Problem("the bundled bots are not there", _REINSTALL, fatal=False))
    return tuple(found)


_KERNEL = "this needs Linux 5.3 or newer, and a sandbox around it that lets programs be started"
_REINSTALL = "pip install --force-reinstall battleships-judge"


def _of_scratch(scratch: Scratch) -> list[Problem]:
    if scratch.path is None or scratch.free_bytes is None:
        what = "no folder for temporary files can be written to, and every move needs one"
        return [Problem(what, "export TMPDIR=/a/folder/to/write/in", fatal=True)]
    found = []
    wanted = os.environ.get("TMPDIR")
    if wanted and Path(wanted).absolute() != Path(scratch.path).absolute():
        what = f"TMPDIR={wanted} is no folder to write in; {scratch.path} is taken instead"
        found.append(Problem(what, f"mkdir -p {wanted}, or unset TMPDIR", fatal=False))
    if scratch.free_bytes < LITTLE_SPACE:
        what = f"{scratch.path} has only {scratch.free_bytes // 2**20} MiB free"
        found.append(Problem(what, "free some space, or set TMPDIR to another folder", fatal=False))
    return found


def install(package: str) -> str:
    """How a package is installed here, as far as that is known."""
    if shutil.which("apt-get"):
        return f"apt-get install {package}"
    return f"install what Debian calls {package}"


def _program(trial: Trial, name: str) -> Program:
    try:
        command = Interpreters.of(None).named(name)
    except UsageError as error:  # a version manager that names no version
        return Program(name, None, None, str(error))
    if command is None:
        return Program(name, None, None, install(PACKAGES[name]))
    return Program(name, str(Path(command[0])), _version(trial, command[0]), None)


def _version(trial: Trial, program: str) -> str | None:
    try:
        done = trial.command([program, "--version"], _UNHURRIED)
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


def _what_ended(done: Run) -> str:
    said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
    return f"{done.ended.value}, status {done.status}" + (f", {said}" if said else "")
