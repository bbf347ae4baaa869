"""A Python program run as ``python FILE ARGUMENT…`` runs it, by a process forked for that.

This runs inside, with the bot's own interpreter and flags. It imports nothing of the judge's, and
little else: a program shall find loaded what it would find in an interpreter of its own. Before
the fork nothing of the bot's is read, let alone run: `judge.process.sandbox.compiling` does that
elsewhere.

The caller forks with pipes as its standard streams, has used none of them, has no thread, and
handles no signal. In the child these streams are the pipes of the move, and nothing else that is
open is needed any more.

The interpreter itself ends the program, so it ends as any other, whatever it has done. The child
leaves all frames but the first one. That frame runs the program and ends as the program does
(`judge.process.sandbox.plan.BOOT`), and nothing of the judge's runs after it. The interpreter then
finalizes all that it has loaded, which takes longer than a short move. So a program that has
returned, has changed nothing that matters at the end, and has left nothing that has a finalizer, is
ended by `Ready.end_soon` instead. By then its exit status is certain.

Not the same as in a new interpreter: the hash seed, and the addresses of what was loaded before
the fork, for all children of one parent; the frame below the program's first; the number of the
recursion limit, which is as much higher; of what the program has not made itself, not everything
is finalized at the end; and its audit hooks hear of `gc.get_objects` there.
"""

import sys

# Without modules that only our start loads: since Python 3.13, -c loads linecache.
_OURS = {"linecache"} if sys.version_info >= (3, 13) else set()
_AT_START = {
    name: module
    for name, module in sys.modules.items()
    if name not in _OURS and not name.startswith("judge.")
}
# In the place of ours, which nothing may keep: it refers to what the interpreter has to finalize.
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

# What follows has its own: a program may do to the others what it likes.
globals()["__builtins__"] = dict(vars(builtins))
_SYS, _WARNINGS = vars(sys), vars(warnings)
_MODULES = sys.modules
_MODULE = type(sys)
_IN_C = _MODULES["_frozen_importlib_external"].ExtensionFileLoader
_BUILTIN = type(len)
_PROXIES = {CallableProxyType, ProxyType}  # the program cannot see its callbacks
_GC_CALLBACKS = gc.callbacks
_debugs = gc.get_debug
_threads = _thread._count  # noqa: SLF001 - nothing else counts them
_exit_functions = atexit._ncallbacks  # noqa: SLF001 - the same
_freeze, _made_since = gc.freeze, gc.get_objects
_closerange, _exit, _pread = os.closerange, os._exit, os.pread
_loads, _recursion_limit = marshal.loads, sys.getrecursionlimit
# Types that no program can change, and whose objects end unnoticed.
_UNNOTICED = {
    kind
    for kind in set(map(type, gc.get_objects()))
    if not (kind.__flags__ & 1 << 9 or issubclass(kind, (type, _MODULE, ref)))
    and not hasattr(kind, "__del__")
}

# Modules and packages whose import does something, and the one that is the program itself.
_NOT_BEFORE = {"__main__", "antigravity", "idlelib", "lib2to3", "this", "turtle", "turtledemo"}

_MAIN_AGAIN = "__mp_main__"  # what multiprocessing calls the program, too

# How much deeper in the stack than usual the program's first frame is.
_BELOW = 1


class ForkedProgram:
    """A program that can be run many times: what may be known of it before it runs.

    ``path`` is as it would be typed after ``command``, the interpreter and its flags. ``code`` is
    the descriptor of what `judge.process.sandbox.compiling` has made of it, of ``size`` bytes.
    Without that it is for a new interpreter in each move, and ``note`` is what stderr is told then.
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
    """Import modules of the standard library for a program, before it runs.

    The program finds modules of the ``shadowed`` names in its own folder instead. If one of these
    would be needed, nothing is imported beforehand.
    """
    gc.disable()  # there is nothing to be found in what is imported
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
    """Make what a program can look at what it is in an interpreter of its own, for all forks of this
    process. This is called in the program's working folder.
    """
    path = absolute(program.path, os.getcwd())  # noqa: PTH109 - to load no pathlib
    main = _main(path)
    _replace(sys.modules, {**program.modules, "__main__": main})
    if _MAIN_AGAIN in sys.modules:
        sys.modules[_MAIN_AGAIN] = main
    sys.argv = [program.path]
    sys.orig_argv = [*program.command, program.path]
    sys.setrecursionlimit(sys.getrecursionlimit() + _BELOW)
    return Ready(program, path)


def absolute(path: str, folder: str) -> str:
    """As the interpreter has it: not normalized."""
    return path if path.startswith("/") else f"{folder}/{path}"


# Before the fork: the standard library.


def _may_load(name: str) -> bool:
    """Whether this is a module of the standard library whose import does nothing else."""
    package = name.partition(".")[0]
    is_known = package in sys.stdlib_module_names and package not in _NOT_BEFORE
    is_name = all(part.isidentifier() for part in name.split("."))
    return is_known and is_name and not name.endswith(".__main__")


def _load(name: str) -> None:
    """Import a module, unless that fails or warns: then it is left to the program."""
    before = dict(sys.modules)
    failed = False
    with warnings.catch_warnings(record=True) as warned:
        try:
            import_module(name)
        except BaseException:  # noqa: BLE001 - whatever it is, the program will see it
            failed = True
    if failed or warned:
        _replace(sys.modules, before)


def _replace(modules: "dict[str, ModuleType]", by: "dict[str, ModuleType]") -> None:
    modules.clear()
    modules.update(by)


# In the child.


def _main(path: str) -> "ModuleType":
    """The module that a program is run in, as the interpreter makes it."""
    module = type(sys)("__main__")
    names = vars(module)
    external = sys.modules["_frozen_importlib_external"]
    names["__loader__"] = external.SourceFileLoader("__main__", path)
    if sys.version_info < (3, 14):
        names["__annotations__"] = {}
    names.update(__builtins__=builtins, __file__=path, __cached__=None)
    return module


class Ready:
    """A program that is about to run.

    ``code`` is what to run, or None: then it is what `compile` makes of ``source``. Afterwards,
    ``watchers`` has what would see each call from there on; all None means nothing. ``call`` calls
    what `map` gives to it, ``sys`` has that module's names, and ``unfreeze`` lets the interpreter
    finalize what was loaded before.
    """

    __slots__ = (
        *("_filters", "_limit", "_path", "_program", "_streams", "_streams_names"),
        *("call", "code", "source", "sys", "unfreeze", "watchers"),
    )

    def __init__(self, program: ForkedProgram, path: str) -> None:
        """``path`` is what the program's file is called in tracebacks."""
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
        """Forget in this fork what was only the fork server's; what is made from here on is the
        program's."""
        if "resource" not in self._program.modules:
            _MODULES.pop("resource", None)  # `os.wait4` imported it for the fork server
        _freeze()

    def take(self, arguments: "Sequence[str]") -> None:
        """Make this fork one that has only to run the program, with these arguments."""
        program = self._program
        made = None if program.code is None else _pread(program.code, program.size, 0)
        # Before the first byte of the bot's is looked at: whatever that may do, all that it can
        # reach are the pipes of its move.
        _closerange(3, 2**31 - 1)
        if made is None:
            os.write(2, program.note)
            new = [*program.command, program.path, *arguments]
            os.execv(sys.executable, new)  # noqa: S606 - there is no shell to be had
        folder, source, self.code = _loads(made)  # as if the bot had been read here
        self.source = (source, self._path, "exec", 0, True)
        sys.argv += arguments
        sys.orig_argv += arguments
        if not sys.flags.safe_path:
            sys.path.insert(0, folder)

    def end_soon(self) -> None:
        """End this process with status 0, as the interpreter would and in less time.

        Returns if the program has changed anything that matters at the end, cannot be flushed, or
        has made anything that the interpreter would finalize: then the interpreter does what is
        left to do, and says what is wrong.
        """
        try:
            if not self._is_plain() or _leaves_finalizers():
                return
            for stream in self._streams:
                stream.flush()
        except BaseException:  # noqa: BLE001 - the interpreter will meet the same
            return
        _exit(0)

    def _is_plain(self) -> bool:
        """Whether the end of the program has no other effect than to finalize what it has made."""
        return (
            self._limit == _recursion_limit()
            and _SYS["stderr"] is self._streams[0]
            and _SYS["stdout"] is self._streams[1]
            and self._streams_names == ({"mode": "w"}, {"mode": "w"})
            and "threading" not in _MODULES  # `threading` has an end of its own
            and "_ctypes" not in _MODULES  # what C has buffered is written when the process exits
            and not (_threads() or _exit_functions() or _GC_CALLBACKS or _debugs())
            # A warning at the end says where it is.
            and not _SYS["warnoptions"]
            and self._filters == _WARNINGS["filters"]
        )


def _leaves_finalizers() -> bool:
    """Whether the end of anything may be noticed that the program has made.

    The list has not all of that, but the classes of all.
    """
    made = _made_since()
    kinds = set(map(type, made)) - _UNNOTICED
    if kinds & _PROXIES or any(hasattr(kind, "__del__") for kind in kinds):
        return True
    looked_at = {kind for kind in kinds if issubclass(kind, (type, _MODULE, ref))}
    return any(_may_be_noticed(one) for one in made if type(one) in looked_at)


def _may_be_noticed(one: object) -> bool:
    """Whether anything may come of the end of a module, of a weak reference or of what it refers
    to, or of an instance of a class."""
    if isinstance(one, type):
        return hasattr(one, "__del__")
    if isinstance(one, ref):
        callback: object = one.__callback__
        # `abc` forgets a class when that ends.
        is_abcs = type(callback) is _BUILTIN and type(getattr(callback, "__self__", None)) is ref
        return callback is not None and not is_abcs
    return type(vars(one).get("__loader__")) is _IN_C  # a module in C may have buffered output
