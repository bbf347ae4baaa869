"""The plan of a bot's sandbox, and the programs from which the fork server inside it boots."""

from __future__ import annotations

import fcntl
import importlib.util
import marshal
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from functools import cache
from importlib.abc import InspectLoader
from pathlib import Path
from types import CodeType
from typing import Any

from judge.process.run.launch import MeetingPlace
from judge.process.run.limits import COMPILING_BYTES, COMPILING_SECONDS, MOST_FILE_BYTES
from judge.process.run.processors import Processors
from judge.process.sandbox.cgroup import ControlGroup
from judge.process.sandbox.copied_files import Copied

OLD_FORMAT = 2  # marshal's old format, which all Pythons know

# Moves are forked from here, so that a bot finds no frame below its own but this one. The last lines
# run a program that is forked. They flush, as the interpreter does after a file and not after -c. A
# program that watches calls sees nothing of it, for `map` calls unseen. The bare ``raise`` adds no
# frame to the traceback, from which theirs is taken. The program may have changed any name of `sys`
# or builtins. The interpreter clears whatever such a flush raises, and so does the ``except:`` without
# a type.
BOOT = """\
import marshal, posix, sys
posix.chdir("/")
flags, programs, plan = marshal.loads(posix.pread(int(sys.argv[1]), 1 << 24, 0))
posix.close(int(sys.argv[1]))
for name, program in programs:
    module = sys.modules[name] = type(sys)(name)
    exec(program, vars(module))
    if name == "judge.process.sandbox.python_flags":
        module.restore(flags)
game = module.main(plan)
while game.attempt(game.fork):
    pass
program = game.attempt(game.become)
map, set_trace = map, BaseException.with_traceback
raised = iter(sys.exc_info, None)
try:
    try:
        exec(program.code or compile(*program.source), vars(sys.modules["__main__"]))
    except:
        for kind, error, trace in raised:
            for error in map(set_trace, (error,), (trace.tb_next,)):
                break
            break
        del kind, error, trace
        raise
    finally:
        for name in ("stderr", "stdout"):
            try:
                for flushed in map(program.call, (program.sys[name].flush,)):
                    break
            except:
                pass
    for watcher in program.watchers:
        if watcher is not None:
            break
    else:
        program.end_soon()
finally:
    for unfrozen in map(program.call, (program.unfreeze,)):
        break
"""

# In the order in which they are loaded: each imports those before it, and the last is the program.
EXECUTING = ("kernel", "own_folder", "children", "game_copy", "fork_server")
FORKING = ("python_flags", "forked_program", "compiling", *EXECUTING)

# Of an interpreter's flags, those that `judge.process.sandbox.python_flags` restores.
ISOLATING = "EIPsS"

_UNCHANGEABLE = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE

NOTHING = Copied((), b"")


@dataclass(frozen=True, slots=True)
class SandboxPlan:
    """The sandbox of a bot.

    ``prefix`` is bubblewrap with its arguments, and ``scratch`` the bytes of a move's /tmp there;
    or there is no bubblewrap, and ``around_a_move`` there is its scratch folder. ``limits`` are
    each move's, as `resource` has them. ``interpreter`` runs the fork server. It executes
    ``command`` or, if ``is_forked``, forks itself to run the Python file at the end of ``command``.
    To compile that beforehand takes ``compiling_seconds`` and ``compiling_bytes`` of memory at
    most. ``user`` is who it becomes inside bubblewrap, which root has started, outside as well, and
    ``becomes`` the command that makes it another's without bubblewrap. ``copied`` reads the files
    that each game in bubblewrap gets a copy of. ``learner`` is the plan of the
    `judge.process.sandbox.own_folder.OwnFolder` of a player that keeps data. ``sockets`` is where
    the judge's sockets are for a bot that connects to one. Such a bot may send descriptors over
    sockets, so each of its moves has networks and queues of its own. ``processors`` are as in
    `judge.process.run.launch.Start`, and ``most_kib`` as in `judge.process.run.spawned.Spawned`.
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
    compiling_seconds: float = COMPILING_SECONDS
    compiling_bytes: int = COMPILING_BYTES
    group: Callable[[int], ControlGroup] | None = None
    user: int | None = None
    becomes: tuple[str, ...] = ()
    copied: Callable[[], Copied] = lambda: NOTHING
    around_a_move: Callable[[], AbstractContextManager[object]] = nullcontext
    sockets: MeetingPlace | None = None
    processors: Processors = frozenset()
    most_kib: int | None = None
    learner: Mapping[str, Any] | None = None


def command(sandbox: SandboxPlan) -> list[str]:
    """The command of the fork server, but for the prefix and `programs`: isolated, whatever a bot
    wants.

    So nothing is imported that lies in the current folder, or that variables or a home name.
    """
    python, *flags = sandbox.interpreter
    own = [_without(ISOLATING, flag) for flag in flags]
    return [python, "-I", "-S", *(flag for flag in own if flag != "-"), "-c", BOOT]


def _without(letters: str, flag: str) -> str:
    """A word of flags without these."""
    return "-" + "".join(letter for letter in flag[1:] if letter not in letters)


def programs(
    sandbox: SandboxPlan, copied: Copied, requests: Sequence[int], answers: int, content: int
) -> bytes:
    """The files that the interpreter inside boots from."""
    plan = {
        "requests": requests,
        "answers": answers,
        "command": sandbox.command,
        "environment": dict(sandbox.environment),
        "folder": str(sandbox.folder),
        "limits": sandbox.limits,
        "scratch": sandbox.scratch,
        "is_filtered": sandbox.filter_program is not None and not sandbox.sockets,
        "is_forked": sandbox.is_forked,
        "user": sandbox.user,
        "learner": sandbox.learner and {**sandbox.learner},
        "places": copied.places,
        "content": content,
        "copy": copied.memory,
        "compiling": {
            "seconds": sandbox.compiling_seconds,
            "memory": sandbox.compiling_bytes,
            "size": MOST_FILE_BYTES,
        },
    }
    is_ours = Path(sandbox.interpreter[0]).resolve() == Path(sys.executable).resolve()
    names = FORKING if sandbox.is_forked else EXECUTING
    loaded = [(f"judge.process.sandbox.{name}", _program(name, compiled=is_ours)) for name in names]
    # Of Pythons that are not ours: an older format, which all know, and no code.
    version = marshal.version if is_ours else OLD_FORMAT
    return marshal.dumps(("".join(sandbox.interpreter[1:]), loaded, plan), version)


def memory_file(passed: ExitStack, content: bytes) -> int:
    """A file in memory that nobody can change, open at its start until ``passed`` is left."""
    fd = os.memfd_create("judge", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    passed.callback(os.close, fd)
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, _UNCHANGEABLE)
    return fd


@cache
def _program(name: str, *, compiled: bool) -> CodeType | str:
    """A module of this package for another process: compiled, if that has the same Python."""
    spec = importlib.util.find_spec(f"judge.process.sandbox.{name}")
    assert spec is not None, "it is part of the judge"
    assert isinstance(spec.loader, InspectLoader), "a file"
    code, source = spec.loader.get_code(spec.name), spec.loader.get_source(spec.name)
    assert code is not None, "it has code"
    assert source is not None, "it has a source"
    return code if compiled else source
