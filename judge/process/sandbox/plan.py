"""The plan of a bot's sandbox, and the data from which its fork server boots.

The data have the bot's files, for the copies that its games get (`judge.process.sandbox.game_copy`). The
files are read once for each of the bot's fork servers, in the same way as for the digest
(`judge.process.bots.contents.parts`).
"""

from __future__ import annotations

import fcntl
import importlib.util
import marshal
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from functools import cache
from importlib.abc import InspectLoader
from pathlib import Path, PurePosixPath
from types import CodeType
from typing import Any

from judge.errors import LaunchFault, UsageError
from judge.process.bots.bot import MOST_BYTES, Bot
from judge.process.bots.contents import ContentPart, parts
from judge.process.run.launch import MeetingPlace, Start
from judge.process.run.limits import COMPILING_SECONDS, MOST_FILE_BYTES, compiling_bytes
from judge.process.sandbox.cgroup import ControlGroup

OLD_FORMAT = 2  # marshal's old format, which all Pythons know

# The program of the fork server. Moves are forked from its frame, so a bot finds only this frame
# below its own. The last lines run a forked program. They flush the streams, as the interpreter
# does after a file but not after -c. `map` makes calls that a program's trace functions do not see.
# The frame of these lines is taken out of a traceback, and the bare ``raise`` does not add it
# again. The program may have changed any name of `sys` or builtins. As in the interpreter, errors
# of a flush are dropped, by the ``except:`` without a type.
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

# The modules for the fork server, in the order in which they are loaded: each may import those
# before it, and the last is run.
EXECUTING = ("kernel", "own_folder", "children", "game_copy", "fork_server")
FORKING = ("python_flags", "forked_program", "compiling", *EXECUTING)

# The interpreter's flags that `judge.process.sandbox.python_flags` restores.
ISOLATING = "EIPsS"

_UNCHANGEABLE = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE

_PAGE = 4096

Entry = tuple[bytes, str, int | bytes]


@dataclass(frozen=True, slots=True)
class Copied:
    """The files of a bot. ``places`` are as in `judge.process.sandbox.game_copy`, and ``content``
    are the bytes of all files."""

    places: tuple[tuple[bytes, tuple[Entry, ...]], ...]
    content: bytes

    @property
    def memory(self) -> int:
        """The bytes of memory that a copy takes: whole pages, and a page more for each entry."""
        entries = [entry for _, entries in self.places for entry in entries]
        sizes = (value for _, _, value in entries if isinstance(value, int))
        return sum(-(-size // _PAGE) * _PAGE for size in sizes) + _PAGE * (len(entries) + 1)


NOTHING = Copied((), b"")


@dataclass(frozen=True, slots=True)
class SandboxPlan:
    """The sandbox of a bot.

    ``prefix`` is the command of bubblewrap, and ``scratch`` the bytes of a move's /tmp in it.
    Without bubblewrap, ``around_a_move`` makes the scratch folder of a move. ``limits`` are the
    limits of each move, as pairs for `resource`. The fork server executes the bot's command or,
    with `Start.fork`, forks itself to run the Python file at the end of the command. Compiling that
    file may take ``compiling_seconds``. ``environment`` is that of ``start`` with the scratch
    folder. If root runs the judge, ``user`` is the user that the fork server becomes in bubblewrap,
    and ``becomes`` the command that changes the user without bubblewrap. ``copied`` reads the files
    that each game in bubblewrap gets a copy of. ``learner`` is the plan of the
    `judge.process.sandbox.own_folder.OwnFolder` of a player that keeps data. ``sockets`` is the
    folder of the judge's socket for a bot that connects. A bot that connects may send descriptors,
    so each of its moves has networks and queues of its own. ``most_kib`` is as in
    `judge.process.run.spawned.Spawned`.
    """

    start: Start
    environment: Mapping[str, str]
    limits: list[tuple[int, int]]
    prefix: tuple[str, ...] = ()
    scratch: int | None = None
    filter_program: bytes | None = None
    compiling_seconds: float = COMPILING_SECONDS
    group: Callable[[int], ControlGroup] | None = None
    user: int | None = None
    becomes: tuple[str, ...] = ()
    copied: Callable[[], Copied] = lambda: NOTHING
    around_a_move: Callable[[], AbstractContextManager[object]] = nullcontext
    sockets: MeetingPlace | None = None
    most_kib: int | None = None
    learner: Mapping[str, Any] | None = None

    @property
    def lives(self) -> bool:
        """Whether the program lives for a match."""
        return self.start.life_seconds > 0

    @property
    def interpreter(self) -> tuple[str, ...]:
        """The interpreter that runs the fork server, with its flags: that of a bot that is forked,
        or else the judge's own by its real path, with the flags for a bare start."""
        if self.start.fork:
            return self.start.bot.command[:-1]
        return os.path.realpath(sys.executable), "-I", "-S"


def command(sandbox: SandboxPlan) -> list[str]:
    """The command of the fork server, without the prefix and the descriptor of `programs`. The
    command has the flags -I and -S, whatever flags the bot has.

    With these flags, nothing is imported from the current folder or a home folder, or because of an
    environment variable.
    """
    python, *flags = sandbox.interpreter
    own = [_without(ISOLATING, flag) for flag in flags]
    return [python, "-I", "-S", *(flag for flag in own if flag != "-"), "-c", BOOT]


def _without(letters: str, flag: str) -> str:
    """A word of flags without these letters."""
    return "-" + "".join(letter for letter in flag[1:] if letter not in letters)


def programs(
    sandbox: SandboxPlan, copied: Copied, requests: Sequence[int], answers: int, content: int
) -> bytes:
    """The data from which the interpreter inside boots: flags, modules, and the plan of the fork
    server."""
    start = sandbox.start
    plan = {
        "requests": requests,
        "answers": answers,
        "command": start.bot.command,
        "environment": dict(sandbox.environment),
        "folder": str(start.bot.folder),
        "limits": sandbox.limits,
        "scratch": sandbox.scratch,
        "is_filtered": sandbox.filter_program is not None and not sandbox.sockets,
        "is_forked": start.fork,
        "lives": sandbox.lives,
        "user": sandbox.user,
        "learner": sandbox.learner and {**sandbox.learner},
        "places": copied.places,
        "content": content,
        "copy": copied.memory,
        "compiling": {
            "seconds": sandbox.compiling_seconds,
            "memory": compiling_bytes(start.limits),
            "size": MOST_FILE_BYTES,
        },
    }
    is_ours = Path(sandbox.interpreter[0]).resolve() == Path(sys.executable).resolve()
    names = FORKING if start.fork else EXECUTING
    loaded = [(f"judge.process.sandbox.{name}", _program(name, compiled=is_ours)) for name in names]
    # Another Python gets an older format, which all know, and source instead of code.
    version = marshal.version if is_ours else OLD_FORMAT
    return marshal.dumps(("".join(sandbox.interpreter[1:]), loaded, plan), version)


def memory_file(passed: ExitStack, content: bytes) -> int:
    """A sealed file in memory with this content, open until ``passed`` is closed. Returns the
    file's descriptor."""
    fd = os.memfd_create("judge", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    passed.callback(os.close, fd)
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    fcntl.fcntl(fd, fcntl.F_ADD_SEALS, _UNCHANGEABLE)
    return fd


@cache
def _program(name: str, *, compiled: bool) -> CodeType | str:
    """A module of this package for another process: its code if ``compiled``, or else its
    source."""
    spec = importlib.util.find_spec(f"judge.process.sandbox.{name}")
    assert spec is not None, "it is part of the judge"
    assert isinstance(spec.loader, InspectLoader), "a file"
    code, source = spec.loader.get_code(spec.name), spec.loader.get_source(spec.name)
    assert code is not None, "it has code"
    assert source is not None, "it has a source"
    return code if compiled else source


# The files for the copies that the games of a bot get


def copied(bot: Bot) -> Copied:
    """Read a bot's files as they are now. Raises `LaunchFault` if the files cannot be read."""
    places = []
    content = []
    most = max(bot.size, MOST_BYTES)
    try:
        for path in bot.files:
            whole = path.is_dir()
            read = list(parts((path,), bot.folder, shown=bot.name, most_bytes=most))
            entries = _in_folders(read) if whole else (_entry(part, "") for part in read)
            places.append((os.fsencode(path), tuple(entries)))
            content += [part.data for part in read if not part.is_link]
    except UsageError as error:
        raise LaunchFault(str(error)) from error
    return Copied(tuple(places), b"".join(content))


def _in_folders(read: Iterable[ContentPart]) -> Iterator[Entry]:
    """Yield the entries of files, each after the folders in which it lies."""
    yield b"", "folder", 0
    made = {PurePosixPath()}
    for part in read:
        for folder in reversed(PurePosixPath(part.name).parents):
            if folder not in made:
                made.add(folder)
                yield os.fsencode(folder), "folder", 0
        yield _entry(part, part.name)


def _entry(part: ContentPart, name: str) -> Entry:
    if part.is_link:
        return os.fsencode(name), "link", part.data
    return os.fsencode(name), "executable" if part.is_executable else "file", len(part.data)
