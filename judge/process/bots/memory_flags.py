"""A hint for a program whose interpreter could not live with the memory that it is allowed.

Java, Node and Deno choose the size of their heaps by the size of the machine, and know nothing of the
judge's limit. What they printed is a stranger's text: it is searched for plain words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Interpreter:
    """What it says when it has too little memory, and the flags that have it take less."""

    name: str
    complaint: re.Pattern[bytes]
    flags: tuple[str, ...]


_INTERPRETERS = (
    _Interpreter(
        "Java",
        re.compile(
            b"insufficient memory for the Java Runtime|Error occurred during initialization of VM"
            b"|Could not reserve enough space|Could not create the Java Virtual Machine"
            b"|unable to create native thread"
        ),
        ("-Xmx64m", "-Xss1m", "-XX:+UseSerialGC"),
    ),
    _Interpreter(  # before Node, whose engine it shares
        "Deno",
        re.compile(rb"Fatal (?:JavaScript|process) out of memory[^/]{0,400}/[^(]{0,400}deno\("),
        ("--v8-flags=--max-old-space-size=64",),
    ),
    _Interpreter(
        "Node",
        re.compile(
            b"JavaScript heap out of memory|process out of memory|Fatal process OOM"
            b"|Committing semi space failed|v8::internal::V8::FatalProcessOutOfMemory"
        ),
        ("--max-old-space-size=64", "--max-semi-space-size=4"),
    ),
)


def too_little_memory(command: Sequence[str], printed: bytes) -> str:
    """The hint, to be added to a sentence; empty where there is nothing to say."""
    for one in _INTERPRETERS:
        if one.complaint.search(printed):
            missing = [flag for flag in one.flags if not _is_set(flag, command)]
            if missing:
                flags = " ".join(missing)
                return f"; {one.name} took too much memory: start it with {flags}, or allow more by --memory"
            return f"; {one.name} has too little memory: allow more by --memory"
    return ""


def _is_set(flag: str, command: Sequence[str]) -> bool:
    """Whether a command has the flag, with whatever value."""
    name = flag.partition("=")[0].rstrip("0123456789mk")
    return any(word.startswith(name) for word in command)
