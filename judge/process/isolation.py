"""How far a bot is held: the command that is put before its own.

Every level has the deadline and the output limit, which the launcher keeps itself.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from judge.errors import UsageError
from judge.game.record import Limits
from judge.process.limits import prlimit


class Isolation(Protocol):
    @property
    def name(self) -> str:
        """As records have it."""

    @property
    def limits_memory(self) -> bool:
        """Whether a bot over its memory limit has crashed."""

    def prefix(self, limits: Limits) -> Sequence[str]:
        """What goes before the bot's command."""


@dataclass(frozen=True, slots=True)
class Unlimited:
    """Nothing but the deadline and the output limit."""

    name: str = "none"
    limits_memory: bool = False

    def prefix(self, limits: Limits) -> Sequence[str]:
        return ()


@dataclass(frozen=True, slots=True)
class Limited:
    """Time, memory and file size limited by the kernel, a process at a time."""

    program: str
    name: str = "limits"
    limits_memory: bool = True

    def prefix(self, limits: Limits) -> Sequence[str]:
        return prlimit(self.program, limits)


LEVELS = ("auto", "limits", "none")

# What a run of strangers' bots should be told once, when nobody asked for this level.
LIMITS_LEAVE_OPEN = (
    "isolation: limits (time, memory, file size and output); bots can still read your files, "
    "write where you may, and reach the network"
)
NONE_IN_FORCE = "isolation: none (only the deadline and the output limit are kept)"


def choose(level: str, limits: Limits | None = None) -> tuple[Isolation, str | None]:
    """The isolation of that level, and what the user should be told about it, if anything.

    Tried with these very limits (the defaults): what cannot be set here must not look like a bot's
    crash. Raises `UsageError` if this machine does not offer it.
    """
    if level == "none":
        return Unlimited(), None
    program = shutil.which("prlimit")
    problem = (
        _problem(Limited(program), limits or Limits()) if program else "apt-get install util-linux"
    )
    if program and not problem:
        return Limited(program), LIMITS_LEAVE_OPEN if level == "auto" else None
    if level == "auto":
        return Unlimited(), f"{NONE_IN_FORCE}, for prlimit does not work here: {problem}"
    raise UsageError(f"--isolation limits: prlimit does not work here: {problem}")


def _problem(isolation: Isolation, limits: Limits) -> str | None:
    """Why a program that does nothing does not run under these limits, if so."""
    tried = subprocess.run(
        [*isolation.prefix(limits), "true"], capture_output=True, text=True, check=False
    )
    return " ".join(tried.stderr.split()) or "it fails" if tried.returncode else None
