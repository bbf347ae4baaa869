"""Finds protocols and formats registered from outside the judge, and the owner of a bug."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from traceback import walk_tb

from judge.wire import WIRES


def file_of(wire: str) -> str | None:
    """The file, or else the module, that registers a protocol from outside the judge; None for a
    protocol of the judge's own."""
    return next((file for what, _, file in _registered() if what == f"the wire {wire}"), None)


def whose_bug(error: BaseException) -> str:
    """The owner of the bug behind an unexpected error, in words: the judge, or a protocol or format
    from outside, with the file that registers it."""
    modules = {frame.f_globals.get("__name__") for frame, _ in walk_tb(error.__traceback__)}
    lacks = getattr(error, "obj", None)  # the object that lacks the attribute of an AttributeError
    modules |= {getattr(one, "__module__", None) for one in (lacks, type(lacks))}
    for what, module, file in _registered():
        if module in modules:
            return f"{what}, which {file} registers"
    return "the judge"


def _registered() -> Iterator[tuple[str, str, str]]:
    """Each protocol and format from outside: its kind and name, its module, and its file or
    module."""
    from judge.contest.formats.registry import FORMATS  # imported here: few commands need formats

    wires = ((f"the wire {name}", wire.__module__) for name, wire in WIRES.items())
    formats = ((f"the format {name}", type(one).__module__) for name, one in FORMATS.items())
    for what, module in (*wires, *formats):
        if module.partition(".")[0] != "judge":
            yield what, module, getattr(sys.modules.get(module), "__file__", None) or module
