"""Runs a Python program in a forked process, as ``python FILE ARGUMENT…`` runs it.

This file runs inside of the sandbox, with the bot's own interpreter and flags. This file imports
nothing of the judge's and little else, so that a program finds the same modules loaded as in an
interpreter of its own. Before the fork nothing of the bot is read or run:
`judge.process.sandbox.compiling` reads it in another process.

The caller has pipes as its standard streams, has not used them, has no threads, and handles no
signals. In the child, these streams are the move's pipes, and no other descriptor is needed.

The interpreter ends the program as it ends any other. The child leaves all frames but the first,
which runs the program (`judge.process.sandbox.plan.BOOT`), and no code of the judge runs after it.
The interpreter then finalizes all loaded modules, which takes longer than a short move. So
`Ready.end_soon` ends a program that has returned, has changed nothing that matters at the end, and
has left no finalizers. The exit status of such a program is certain.

Some things differ from a new interpreter. All children of one parent share the hash seed and the
addresses of objects from before the fork. A forked program has one more frame below its first, and
the recursion limit is higher by that frame. Objects that the program has not made itself may not be
finalized at the end. The program's audit hooks see a call of `gc.get_objects` at the end.
"""

import sys

# Modules that only the judge's start loads: since Python 3.13, -c loads linecache.
_OURS = {"linecache"} if sys.version_info >= (3, 13) else set()
_AT_START = {
    name: module
    for name, module in sys.modules.items()
    if name not in _OURS and not name.startswith("judge.")
}
# An empty module in place of the real __main__, to which no reference may stay: it refers to
# objects that the interpreter has to finalize.
_AT_START["__main__"] = type(sys)("__main__")

import _thread  # noqa: E402 - as all that follows the look at what was loaded before
import atexit  # noqa: E402
import builtins  # noqa: E402
import gc  # noqa: E402
import marshal  # noqa: E402
import os  # noqa: E402
import warnings  # noqa: E402
from _operator import call  # noqa: E402 - operator without its copies in Python
from _weakref import CallableProxyType, ProxyType, ref  # noqa: E402 - weakref's, in C
from importlib import import_module  # noqa: E402
from itertools import chain  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import CodeType, ModuleType
    from typing import Any

# This file has builtins and names of its own, since a program may change the common ones.
globals()["__builtins__"] = dict(vars(builtins))
_SYS, _WARNINGS = vars(sys), vars(warnings)
_MODULES = sys.modules
_MODULE = type(sys)
_IN_C = _MODULES["_frozen_importlib_external"].ExtensionFileLoader
_BUILTIN = type(len)
_PROXIES = {CallableProxyType, ProxyType}  # the callbacks of proxies cannot be seen
_GC_CALLBACKS = gc.callbacks
_debugs = gc.get_debug
_threads = _thread._count  # noqa: SLF001 - no other function counts them
_exit_functions = atexit._ncallbacks  # noqa: SLF001 - the same
_freeze, _made_since = gc.freeze, gc.get_objects
_closerange, _exit, _pread = os.closerange, os._exit, os.pread
_loads, _recursion_limit = marshal.loads, sys.getrecursionlimit
# Types that no program can change, and whose objects end without any effect.
_UNNOTICED = {
    kind
    for kind in set(map(type, gc.get_objects()))
    if not (kind.__flags__ & 1 << 9 or issubclass(kind, (type, _MODULE, ref)))
    and not hasattr(kind, "__del__")
}

# Modules and packages whose import has an effect, and the program itself.
_NOT_BEFORE = {"__main__", "antigravity", "idlelib", "lib2to3", "this", "turtle", "turtledemo"}

_MAIN_AGAIN = "__mp_main__"  # multiprocessing's second name for the program

# The number of frames below the program's first frame.
_BELOW = 1


class ForkedProgram:
    """A program that can be run many times, with all that is known before it runs.

    ``command`` is the interpreter and its flags, and ``path`` the program's file after them.
    ``code`` is the descriptor of the file that `judge.process.sandbox.compiling` has made, with
    ``size`` bytes. Without ``code``, each move starts a new interpreter, and ``note`` is written to
    stderr. ``modules`` are the modules that the program finds loaded.
    """

    __slots__ = ("code", "command", "modules", "note", "path", "size")

    def __init__(self, path: str, command: "Sequence[str]") -> None:
        self.path = path
        self.command = command
        self.code: int | None = None
        self.size = 0
        self.note = b""
        self.modules = _AT_START


def load(program: ForkedProgram, names: "Sequence[str]", shadowed: "Sequence[str]") -> None:
    """Import modules of the standard library for a program before it runs.

    The program's own folder has other modules of the ``shadowed`` names. If one of the shadowed
    modules would be loaded, nothing is imported beforehand.
    """
    gc.disable()  # imports leave no garbage worth collecting
    ours = dict(sys.modules)
    _replace(sys.modules, {**_AT_START, "warnings": warnings})
    for name in filter(_may_load, names):
        _load(name)
    loaded = dict(sys.modules)
    _replace(sys.modules, ours)
    new = {name.partition(".")[0] for name in loaded.keys() - {*_AT_START, _MAIN_AGAIN}}
    if new <= sys.stdlib_module_names - set(shadowed):
        program.modules = loaded
    gc.enable()
    gc.freeze()


def set_up(program: ForkedProgram) -> "Ready":
    """Set up this process, for all its forks, so that a program finds what it would find in an
    interpreter of its own. Call this function in the program's working folder."""
    path = absolute(program.path, os.getcwd())  # noqa: PTH109 - without loading pathlib
    main = _main(path)
    _replace(sys.modules, {**program.modules, "__main__": main})
    if _MAIN_AGAIN in sys.modules:
        sys.modules[_MAIN_AGAIN] = main
    sys.argv = [program.path]
    sys.orig_argv = [*program.command, program.path]
    sys.setrecursionlimit(sys.getrecursionlimit() + _BELOW)
    return Ready(program, path)


def absolute(path: str, folder: str) -> str:
    """An absolute path as the interpreter makes it: not normalized."""
    return path if path.startswith("/") else f"{folder}/{path}"


# Before the fork: the standard library.


def _may_load(name: str) -> bool:
    """Whether a name is a module of the standard library whose import has no other effect."""
    package = name.partition(".")[0]
    is_known = package in sys.stdlib_module_names and package not in _NOT_BEFORE
    is_name = all(part.isidentifier() for part in name.split("."))
    return is_known and is_name and not name.endswith(".__main__")


def _load(name: str) -> None:
    """Import a module. If the import fails or warns, undo it, so that the program imports the
    module itself."""
    before = dict(sys.modules)
    failed = False
    with warnings.catch_warnings(record=True) as warned:
        try:
            import_module(name)
        except BaseException:  # noqa: BLE001 - the program will meet the same error
            failed = True
    if failed or warned:
        _replace(sys.modules, before)


def _replace(modules: "dict[str, ModuleType]", by: "dict[str, ModuleType]") -> None:
    modules.clear()
    modules.update(by)


# In the child.


def _main(path: str) -> "ModuleType":
    """The module ``__main__`` for a program, as the interpreter makes it."""
    module = type(sys)("__main__")
    names = vars(module)
    external = sys.modules["_frozen_importlib_external"]
    names["__loader__"] = external.SourceFileLoader("__main__", path)
    if sys.version_info < (3, 14):
        names["__annotations__"] = {}
    names.update(__builtins__=builtins, __file__=path, __cached__=None)
    return module


class Ready:
    """A program that is ready to run in this fork.

    ``code`` is the code to run; if it is None, ``source`` has the arguments of `compile`.
    ``watchers`` yields the trace function, the profile function and the monitoring tools that are
    set after the run, with None for each that is not set. ``call`` is `operator.call`, ``sys`` has
    the names of the module sys, and ``unfreeze`` lets the interpreter finalize what was loaded
    before.
    """

    __slots__ = (
        *("_filters", "_limit", "_path", "_program", "_streams", "_streams_names"),
        *("call", "code", "source", "sys", "unfreeze", "watchers"),
    )

    def __init__(self, program: ForkedProgram, path: str) -> None:
        """``path`` is the name of the program's file in tracebacks."""
        self.call, self.sys, self.unfreeze = call, _SYS, gc.unfreeze
        self.code: CodeType | None = None
        self.source: tuple[Any, ...] = ()
        self.watchers: Iterator[object] = map(call, (sys.gettrace, sys.getprofile))
        if sys.version_info >= (3, 12):
            self.watchers = chain(self.watchers, map(sys.monitoring.get_tool, range(6)))
        self._program, self._path = program, path
        self._streams = _SYS["stderr"], _SYS["stdout"]
        self._streams_names = vars(self._streams[0]), vars(self._streams[1])
        self._limit = sys.getrecursionlimit()
        self._filters = [*warnings.filters]

    def settle(self) -> None:
        """Remove what only the fork server needed. Objects that are made from now on count as the
        program's."""
        if "resource" not in self._program.modules:
            _MODULES.pop("resource", None)  # `os.wait4` imported it for the fork server
        _freeze()

    def take(self, arguments: "Sequence[str]") -> None:
        """Prepare this fork to run the program with these arguments. Without compiled code, this
        fork becomes a new interpreter instead."""
        program = self._program
        made = None if program.code is None else _pread(program.code, program.size, 0)
        # All other descriptors are closed before the bot's first byte is interpreted, so the bot
        # can reach only the pipes of its move.
        _closerange(3, 2**31 - 1)
        if made is None:
            os.write(2, program.note)
            new = [*program.command, program.path, *arguments]
            os.execv(sys.executable, new)  # noqa: S606 - no shell is involved
        folder, source, self.code = _loads(made)  # loading it equals reading the bot
        self.source = (source, self._path, "exec", 0, True)
        sys.argv += arguments
        sys.orig_argv += arguments
        if not sys.flags.safe_path:
            sys.path.insert(0, folder)

    def end_soon(self) -> None:
        """End this process with status 0, faster than the interpreter would.

        Returns instead if the program has changed anything that matters at the end, if a stream
        cannot be flushed, or if an object needs a finalizer: then the interpreter ends the program.
        """
        try:
            if not self._is_plain() or _leaves_finalizers():
                return
            for stream in self._streams:
                stream.flush()
        except BaseException:  # noqa: BLE001 - the interpreter will meet the same error
            return
        _exit(0)

    def _is_plain(self) -> bool:
        """Whether the end of the program has no effect but to finalize its objects."""
        return (
            self._limit == _recursion_limit()
            and _SYS["stderr"] is self._streams[0]
            and _SYS["stdout"] is self._streams[1]
            and self._streams_names == ({"mode": "w"}, {"mode": "w"})
            and "threading" not in _MODULES  # `threading` does work at the end
            and "_ctypes" not in _MODULES  # C may have buffered output
            and not (_threads() or _exit_functions() or _GC_CALLBACKS or _debugs())
            # Warnings at the end would show their place.
            and not _SYS["warnoptions"]
            and self._filters == _WARNINGS["filters"]
        )


def _leaves_finalizers() -> bool:
    """Whether the end of an object that the program has made may have an effect. The garbage
    collector's list of objects lacks some, but it has all classes."""
    made = _made_since()
    kinds = set(map(type, made)) - _UNNOTICED
    if kinds & _PROXIES or any(hasattr(kind, "__del__") for kind in kinds):
        return True
    looked_at = {kind for kind in kinds if issubclass(kind, (type, _MODULE, ref))}
    return any(_may_be_noticed(one) for one in made if type(one) in looked_at)


def _may_be_noticed(one: object) -> bool:
    """Whether the end of a module, of a weak reference, or of a class's instances may have an
    effect."""
    if isinstance(one, type):
        return hasattr(one, "__del__")
    if isinstance(one, ref):
        callback: object = one.__callback__
        # `abc` uses such a callback to forget a class.
        is_abcs = type(callback) is _BUILTIN and type(getattr(callback, "__self__", None)) is ref
        return callback is not None and not is_abcs
    return type(vars(one).get("__loader__")) is _IN_C  # a module in C may have buffered output
