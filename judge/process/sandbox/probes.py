"""The probes of `judge doctor`: programs that break each limit and try each wall of the machine.

Every program is the judge's own Python with a line of code. What comes of it all is for
`judge.process.sandbox.doctor` to say.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from msgspec import structs

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
class Probe:
    """Runs a program as a move is run."""

    stop: Stop

    def python(self, code: str, allowed: Limits, held: Isolation = _UNHELD) -> ProcessRun:
        return self.command([sys.executable, "-I", "-S", "-c", code], allowed, held)

    def command(
        self, argv: Sequence[str], allowed: Limits, held: Isolation = _UNHELD
    ) -> ProcessRun:
        """Raises `JudgeFault` or `BotError` if it cannot be started."""
        bot = self.bot(argv[:-1])
        with closing(held.launcher(Start(bot, os.environ, allowed), self.stop)) as launcher:
            return launcher.run(argv[-1])

    def bot(self, command: Sequence[str]) -> Bot:
        """A bot without files that is run by a command."""
        path = os.environ.get("PATH", os.defpath)
        shown = (command[0],)
        return Bot("doctor", tuple(command), Path("/"), (), "", 0, path, interpreters=shown)

    def forked(self, code: str, allowed: Limits, held: Isolation) -> tuple[ProcessRun, ProcessRun]:
        """Two moves of a Python program; raises what `command` raises."""
        with tempfile.TemporaryDirectory(dir=of_this_run()) as scratch:
            folder = Path(scratch).resolve()
            folder.chmod(0o755)
            script = folder / "bot.py"
            script.write_text(code)
            command = (sys.executable, str(script))
            path, shown = "/usr/bin:/bin", command[:1]
            size = script.stat().st_size
            bot = Bot("doctor", command, folder, (folder,), "", size, path, interpreters=shown)
            launcher = held.launcher(Start(bot, os.environ, allowed, fork=True), self.stop)
            with closing(launcher):
                return launcher.run("first"), launcher.run("second")

    def check(self, name: str, tried: Callable[[], tuple[bool, str]]) -> Probed:
        """What was tried, or why it could not be."""
        try:
            works, detail = tried()
        except (OSError, JudgeFault, BotError) as error:
            works, detail = False, str(error)
        return Probed(name, works, detail)


def launching(probe: Probe, held: Isolation) -> tuple[Probed, ...]:
    """What starting, watching and ending a program needs; and forking one, as it will be held."""

    def pidfd() -> tuple[bool, str]:
        os.close(os.pidfd_open(os.getpid()))
        return True, "the end of a process can be waited for without looking again and again"

    def start() -> tuple[bool, str]:
        done = probe.python("print('ok')", UNHURRIED)
        good = done.stdout == b"ok\n" and done.status == 0
        return good, "a program ran to its end" if good else _what_ended(done)

    def wait4() -> tuple[bool, str]:
        done = probe.python(_SPIN, UNHURRIED)
        return done.cpu_ms > 0, f"{done.cpu_ms:.0f} ms of processor time were measured"

    def deadline() -> tuple[bool, str]:
        done = probe.python(_SLEEP, _HURRIED)
        good = done.ended is RunEnd.TIMED_OUT
        return good, "a program that slept on was ended" if good else _what_ended(done)

    def output() -> tuple[bool, str]:
        done = probe.python(_FLOOD, _TERSE)
        good = done.ended is RunEnd.FLOODED
        return good, "a program that printed on and on was ended" if good else _what_ended(done)

    def fork() -> tuple[bool, str]:
        first, second = probe.forked(_PARENT, UNHURRIED, held)
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
    return tuple(probe.check(name, test) for name, test in tried.items())


def limits(probe: Probe, held: Isolation) -> tuple[Probed, ...]:
    """What the kernel is asked to keep bots to, each tried with a program that breaks it."""

    def stopped(code: str, what: str) -> tuple[bool, str]:
        done = probe.python(code, _FRUGAL, held)
        if not done.stdout.startswith(b"started"):
            return False, f"the probe did not begin: {_what_ended(done)}"
        good = b"had it" not in done.stdout and done.status != 0
        return good, f"a program that {what} {'was stopped' if good else 'was not stopped'}"

    def cpu() -> tuple[bool, str]:
        done = probe.python(_CPU, _HURRIED_CPU, held)
        seconds = done.stdout.decode(errors="replace").strip()
        return seconds.isdigit(), (
            f"a program saw a limit of {seconds} s, a net for what leaves its process group"
            if seconds.isdigit()
            else f"no limit was set: {_what_ended(done)}"
        )

    def memory() -> tuple[bool, str]:
        most = _FRUGAL.memory_bytes // 2**20
        done = probe.python(_TOUCH, _FRUGAL, held)
        if done.out_of_memory:
            what = "was stopped"
        elif held.peak_decides and (done.peak_kib or 0) * 1024 > _FRUGAL.memory_bytes:
            what = "was seen to"
        else:
            return False, f"a program could touch {2 * most} MiB where {most} are allowed unseen"
        return True, f"a program that touched {2 * most} MiB where {most} are allowed {what}"

    return (
        probe.check("memory", memory),
        probe.check(
            "file size",
            lambda: stopped(_WRITE, f"wrote a file past {MOST_FILE_BYTES // 2**20} MiB"),
        ),
        probe.check("processor time", cpu),
    )


def walls(probe: Probe, held: Isolation) -> tuple[Probed, ...]:
    """What a bot must not get at, each tried with a program that reaches for it."""

    def kept(code: str, what: str) -> tuple[bool, str]:
        done = probe.python(code, UNHURRIED, held)
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
        probe.check("network", network),
        probe.check("files", files),
        probe.check("processes", lambda: kept(_LOOK, "see any process but its own")),
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

_HURRIED_CPU = structs.replace(UNHURRIED, timeout_ms=2000)


def _what_ended(done: ProcessRun) -> str:
    said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
    return f"{done.ended.value}, status {done.status}" + (f", {said}" if said else "")
