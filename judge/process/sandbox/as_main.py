"""A Python program run as ``python FILE ARGUMENT…`` runs it, by a process forked for that.

This runs inside, with the bot's own interpreter and flags. It imports nothing of the judge's, and
little else: a program shall find loaded what it would find in an interpreter of its own. Before
the fork nothing of the bot's is read, let alone run: `judge.process.sandbox.compiling` does that
elsewhere.

Whoever forks has pipes as its standard streams and has used none of them, has no thread, and
handles no signal. In the child these streams are the pipes of the move, and nothing else that is
open is needed any more.

Not the same as in a new interpreter: the hash seed, and the addresses of what was loaded before
the fork, for all children of one parent; the frames below the program's first; the number of the
recursion limit, which is as much higher; and of what the program has not made itself, nothing is
torn down at the end.
"""

import sys

# Without what is there only for us: since Python 3.13, linecache is loaded for what -c runs.
_OURS = {"linecache"} if sys.version_info >= (3, 13) else set()
_AT_START = {
    name: module
    for name, module in sys.modules.items()
    if name not in _OURS and not name.startswith("judge.")
}

import _signal  # type: ignore[import-not-found]  # noqa: E402 - signal without its enumerations
import atexit  # noqa: E402 - as all that follows the look at what was loaded before
import builtins  # noqa: E402
import gc  # noqa: E402
import marshal  # noqa: E402
import os  # noqa: E402
import warnings  # noqa: E402
from _weakref import ref  # noqa: E402 - weakref without its collections
from importlib import import_module  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType, TracebackType
    from typing import NoReturn

# What follows has its own: a program may do to the others what it likes.
globals()["__builtins__"] = dict(vars(builtins))

# Modules and packages whose import does something, and the one that is the program itself.
_NOT_BEFORE = {"__main__", "antigravity", "idlelib", "lib2to3", "this", "turtle", "turtledemo"}

_MAIN_AGAIN = "__mp_main__"  # what multiprocessing calls the program, too

_FLUSH_FAILED = 120  # the interpreter's exit status where it could not flush its streams
_SIGINT = 2


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

    The program finds modules of the ``shadowed`` names in its own folder instead. Where one of
    these would be needed, nothing is imported beforehand.
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


def set_up(program: ForkedProgram) -> None:
    """Make what a program can look at what it is in an interpreter of its own; of this process,
    which is a child of `os.fork`, nothing but `run` can be asked afterwards.
    """
    _replace(sys.modules, program.modules)


def run(program: ForkedProgram, wait: "Callable[[], Sequence[str]]") -> "NoReturn":
    """Be the program that was set up, to the end of this process, once there are arguments."""
    end, status = os._exit, 1
    try:
        sys.setrecursionlimit(sys.getrecursionlimit() + _frames_below())
        _rehearse(program.modules)
        arguments = wait()
        made = None if program.code is None else os.pread(program.code, program.size, 0)
        # Before the first byte of the bot's is looked at: whatever that may do, all that it can
        # reach are the pipes of its move.
        os.closerange(3, 2**31 - 1)
        if made is None:
            os.write(2, program.note)
            new = [*program.command, program.path, *arguments]
            os.execv(sys.executable, new)  # noqa: S606 - there is no shell to be had
        sys.argv = [program.path, *arguments]
        sys.orig_argv = [*program.command, *sys.argv]
        status = _end(_status(program.path, made), program.modules)
        if status < 0:
            _signal.signal(-status, _signal.SIG_DFL)
            os.kill(os.getpid(), -status)
            status = 128 - status  # as a shell has it, for a signal that is blocked
    finally:
        end(status)


def _rehearse(modules: "dict[str, ModuleType]") -> None:
    """Do beforehand what is done at the end of every program and writes to many pages of memory.

    The kernel copies each of them at the first time; so it does that before the program is asked.
    """
    gc.collect()
    _new(modules)


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


# In the child. What the interpreter does is in CPython's Python/pythonrun.c (flush_io,
# handle_system_exit, _PyErr_PrintEx) and Python/pylifecycle.c (Py_FinalizeEx, finalize_modules).


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


def _frames_below() -> int:
    """How much deeper in the stack than usual the program's first frame will be."""
    frame, depth = sys._getframe(1), 2  # noqa: SLF001 - there is no other way; and _status
    while frame.f_back:
        frame, depth = frame.f_back, depth + 1
    return depth if sys.version_info >= (3, 12) else depth + 1  # before, exec() counted too


def _status(path: str, made: bytes) -> int:
    """Run what was made of it; the exit status, or minus the number of the signal to end by."""
    error = None
    folder, source, code = marshal.loads(made)  # noqa: S302 - as if the bot had been read here
    path = absolute(path, os.getcwd())  # noqa: PTH109 - to load no pathlib
    if not sys.flags.safe_path:
        sys.path.insert(0, folder)
    sys.modules["__main__"] = main = _main(path)
    if _MAIN_AGAIN in sys.modules:
        sys.modules[_MAIN_AGAIN] = main
    names = vars(main)
    try:
        exec(code or compile(source, path, "exec", dont_inherit=True), names)  # noqa: S102
    except BaseException as caught:  # noqa: BLE001 - there is nobody above
        trace = caught.__traceback__
        error = caught.with_traceback(trace and trace.tb_next)
    _flush("stderr")
    _flush("stdout")
    if error is None:
        return 0
    if isinstance(error, SystemExit):
        return _asked_for(error)
    status = _tell(error)
    return -_SIGINT if type(error) is KeyboardInterrupt else status


def _asked_for(error: SystemExit) -> int:
    """The exit status that is meant."""
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF if -(2**63) <= code < 2**63 else 0xFF
    with _Suppressed():
        sys.stderr.write(str(code))
    with _Suppressed():
        sys.stderr.write("\n")
    return 1


def _tell(error: BaseException) -> int:
    """Print an exception that nobody has caught, or let the program's own hook do it."""
    trace = error.__traceback__
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, trace
    if sys.version_info >= (3, 12):
        sys.last_exc = error
    try:
        sys.excepthook(type(error), error, trace)
    except SystemExit as wish:
        return _asked_for(wish)
    except BaseException as second:  # noqa: BLE001 - the interpreter goes on as well
        inner = second.__traceback__
        second.__context__ = None
        with _Suppressed():
            sys.stderr.write("Error in sys.excepthook:\n")
            _print(second, inner and inner.tb_next)
            sys.stderr.write("\nOriginal exception was:\n")
            _print(error, trace)
    return 1


def _print(error: BaseException, trace: "TracebackType | None") -> None:
    sys.__excepthook__(type(error), error.with_traceback(trace), trace)


def _end(status: int, before: "dict[str, ModuleType]") -> int:
    """Wait for threads, call exit functions, flush, and let go of what the program has made."""
    if "threading" in sys.modules:
        with _Suppressed():
            sys.modules["threading"]._shutdown()  # noqa: SLF001 - as the interpreter calls it
    atexit._run_exitfuncs()  # noqa: SLF001 - the same
    flushed = _flush_both()
    _let_go(before)
    _flush("stdout")  # once more, and nobody is told
    _flush("stderr")
    return status if flushed or status < 0 else _FLUSH_FAILED


def _flush_both() -> bool:
    """Flush stdout and stderr; False, and said of stdout, if that fails."""
    failure = _flush("stdout")
    if failure:
        with _Suppressed():
            sys.stderr.write(f"Exception ignored in: {sys.stdout!r}\n")
            _print(failure, None)
    return not _flush("stderr") and not failure


def _flush(name: str) -> BaseException | None:
    """What goes wrong with flushing a stream, whatever the program has put in its place."""
    try:
        stream = getattr(sys, name, None)
        if stream is not None and not getattr(stream, "closed", False):
            stream.flush()
    except BaseException as error:  # noqa: BLE001 - there is nobody above
        return error
    return None


def _let_go(before: "dict[str, ModuleType]") -> None:
    """Forget the program's modules, so that what they hold is finalized: files that are not
    flushed, above all.
    """
    for name in ("path", "argv", "last_type", "last_value", "last_traceback", "last_exc"):
        setattr(sys, name, None)
    sys.stdin, sys.stdout, sys.stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__
    own = _new(before)
    gc.collect()  # this also puts what is left in the order in which it is finalized below
    left = [ref(sys.modules.pop(name)) for name in own if sys.modules[name] is not None]
    gc.collect()
    for module in filter(None, (reference() for reference in reversed(left))):
        names = vars(module)
        for name in sorted(names, key=lambda name: not name.startswith("_")):
            if name != "__builtins__":
                names[name] = None
    gc.collect()


def _new(before: "dict[str, ModuleType]") -> "list[str]":
    """The names of the program's modules."""
    return [name for name in sys.modules if name == "__main__" or name not in before]


class _Suppressed:
    """Suppress all exceptions: there is no one left to tell."""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> bool:
        return True
