"""Compiles a bot's Python program for its moves, in a separate process.

This file runs inside of the sandbox, in a fork of the fork server without its sockets. The fork
server reads only the report of this process: names of modules of the standard library. The compiled
program goes to a file in memory, which each move reads after it has closed everything else.
"""

import marshal
import os
import sys
import warnings
from opcode import opmap

from judge.process.sandbox.forked_program import absolute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType

MOST_NAMES, LONGEST_NAME = 200, 60  # names of modules that are imported for a program beforehand
LONGEST_REPORT = 2**15  # bytes, enough for these names; a pipe takes more at once

_IMPORT, _MORE = opmap["IMPORT_NAME"], opmap["EXTENDED_ARG"]


def compile_bot(path: str, code: int, report: int) -> None:
    """Compile the program at ``path``, without running it.

    The function writes to ``code`` what `judge.process.sandbox.forked_program.Ready.take` reads:
    the program's folder and code. If compiling warns, the source replaces the code, so that each
    move warns too. The function writes two lines of module names to ``report``: the modules of the
    standard library that the program imports, and those that its folder replaces. The function
    writes nothing if the program cannot be read or compiled: a new interpreter then says in each
    move what is wrong.
    """
    try:
        with open(path, "rb") as file:
            source = file.read()
        with warnings.catch_warnings(record=True) as warned:
            compiled = compile(source, absolute(path, os.getcwd()), "exec", dont_inherit=True)
        folder = os.path.dirname(os.path.realpath(path))
        made = marshal.dumps((folder, source, None) if warned else (folder, None, compiled))
        with open(code, "wb") as file:
            file.write(made)
    except (OSError, SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        return
    imported = list(dict.fromkeys(_imports(compiled)))[:MOST_NAMES]
    os.write(report, f"{' '.join(imported)}\n{' '.join(_shadowed(folder))}\n".encode())


def _imports(code: "CodeType") -> "Iterator[str]":
    """Yield the modules of the standard library that some code imports."""
    steps = code.co_code
    more = 0
    for operation, low in zip(steps[::2], steps[1::2], strict=True):
        argument = more << 8 | low
        more = argument if operation == _MORE else 0
        if operation == _IMPORT:
            name = code.co_names[argument]
            if name.partition(".")[0] in sys.stdlib_module_names and len(name) <= LONGEST_NAME:
                yield name
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            yield from _imports(constant)


def _shadowed(folder: str) -> "Iterator[str]":
    """Yield the modules of the standard library that a program in this folder finds there
    instead."""
    if sys.flags.safe_path:
        return
    find = sys.modules["_frozen_importlib_external"].PathFinder.find_spec
    try:
        there = {name.partition(".")[0] for name in os.listdir(folder)}
    except OSError:
        return  # no module is found there
    for name in sorted(there & sys.stdlib_module_names):
        spec = find(name, [folder])
        if spec and spec.loader:
            yield name
