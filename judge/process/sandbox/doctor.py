"""The report of `judge doctor` on this machine, from its probes.

Every program run here is the judge's own Python with a line of code, or an interpreter or compiler
that is asked for its version. The sentences on a level that is not there come from
`judge.process.sandbox.bwrap` and `judge.process.sandbox.isolation`.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
import tempfile
from pathlib import Path

from judge import __version__, schemas
from judge.documents.machines import Held, Machine, Problem, Program, Scratch
from judge.documents.reports import Level
from judge.errors import BotError, JudgeFault, UsageError
from judge.process.bots.bot import bundled
from judge.process.bots.interpreters import Interpreters
from judge.process.run.listening import Stop
from judge.process.run.processors import usable
from judge.process.sandbox import isolation, probes
from judge.process.sandbox.isolation import Isolation
from judge.process.sandbox.probes import FORK, UNHURRIED, Probe

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
    chosen, note = isolation.choose("auto", bots=[probes.bot([sys.executable])])
    return Machine(
        judge=__version__,
        python=platform.python_version(),
        python_path=sys.executable,
        system=_distribution(),
        kernel=platform.release(),
        architecture=platform.machine(),
        cores=usable(),
        launching=probes.launching(probe, chosen),
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
            *(probes.limits(probe, chosen) if chosen.name != "none" else ()),
            *(probes.walls(probe, chosen) if chosen.walls_off else ()),
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
