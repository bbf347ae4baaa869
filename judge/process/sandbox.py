"""What a bot is kept in, and what the keeper in there boots from."""

from __future__ import annotations

import importlib.util
import marshal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from importlib.abc import InspectLoader
from pathlib import Path
from types import CodeType

from judge.process.cgroup import Group

OLD_FORMAT = 2  # of marshal's, which all Pythons know

BOOT = """\
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


def programs(sandbox: Sandbox, requests: Sequence[int], answers: int) -> bytes:
    """What the interpreter inside boots from."""
    plan = {
        "requests": requests,
        "answers": answers,
        "command": sandbox.command,
        "environment": dict(sandbox.environment),
        "folder": str(sandbox.folder),
        "limits": sandbox.limits,
        "scratch": sandbox.scratch,
        "is_filtered": sandbox.filter_program is not None,
    }
    is_ours = Path(sandbox.interpreter[0]).resolve() == Path(sys.executable).resolve()
    as_main = _program("as_main", compiled=is_ours) if sandbox.is_forked else None
    # Of Pythons that are not ours: an older format, which all know, and no code.
    version = marshal.version if is_ours else OLD_FORMAT
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
