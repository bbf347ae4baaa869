"""A hint for a program whose interpreter could not live with the memory that it is allowed.

Java and engines of JavaScript and Lisp choose the size of their heaps by the size of the machine, or
not at all, and know nothing of the judge's limit. What they printed is a stranger's text: it is
searched for plain words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

# What V8 says, in Node and in Deno.
_V8 = re.compile(
    b"JavaScript heap out of memory|JavaScript out of memory|process out of memory"
    b"|Fatal process OOM|Committing semi space failed|v8::internal::V8::FatalProcessOutOfMemory"
)


@dataclass(frozen=True, slots=True)
class _Interpreter:
    """Its ``program``, what it says when it has too little memory, and the flags that have it take
    less. Where others say the same, ``mark`` is what it alone prints beside that."""

    name: str
    program: str
    complaint: re.Pattern[bytes]
    flags: tuple[str, ...]
    mark: bytes = b""

    def runs(self, command: Sequence[str]) -> bool:
        return any(PurePath(word).name == self.program for word in command)

    def complains(self, command: Sequence[str], printed: bytes) -> bool:
        is_it = self.mark in printed or self.runs(command)
        return is_it and self.complaint.search(printed) is not None

    def hint(self, command: Sequence[str]) -> str:
        """How it is started to take less; empty where it is started so."""
        missing = " ".join(flag for flag in self.flags if not _is_set(flag, command))
        return (
            f"; {self.name} took too much memory: start it with {missing}, or allow more by --memory"
            if missing
            else ""
        )


_INTERPRETERS = (
    _Interpreter(
        "Java",
        "java",
        re.compile(
            b"insufficient memory for the Java Runtime|Error occurred during initialization of VM"
            b"|Could not reserve enough space|Could not create the Java Virtual Machine"
            b"|unable to create native thread"
        ),
        ("-Xmx64m", "-Xss1m", "-XX:+UseSerialGC"),
    ),
    _Interpreter(
        "Deno",
        "deno",
        _V8,
        ("--v8-flags=--max-old-space-size=64,--max-semi-space-size=4",),
        mark=b" deno(+0x",
    ),
    _Interpreter("Node", "node", _V8, ("--max-old-space-size=64", "--max-semi-space-size=4")),
    _Interpreter(
        "Bun", "bun", re.compile(b"RangeError: Out of memory"), ("--smol",), mark=b"Bun v"
    ),
    _Interpreter(
        "SBCL",
        "sbcl",
        re.compile(rb"os_alloc_gc_space\("),
        ("--dynamic-space-size 128MB",),
    ),
)


def too_little_memory(command: Sequence[str], printed: bytes) -> str:
    """The hint by what was ``printed``, to be added to a sentence; empty where there is nothing to
    say."""
    for one in _INTERPRETERS:
        if one.complains(command, printed):
            too_little = f"; {one.name} has too little memory: allow more by --memory"
            return one.hint(command) or too_little
    return ""


def too_much_memory(command: Sequence[str]) -> str:
    """The same where it is known that memory is the cause: of the interpreter that is started."""
    return next((one.hint(command) for one in _INTERPRETERS if one.runs(command)), "")


def _is_set(flag: str, command: Sequence[str]) -> bool:
    """Whether a command has the flag, with whatever value."""
    name = flag.partition(" ")[0].partition("=")[0].rstrip("0123456789mk")
    return any(word.startswith(name) for word in command)
