"""Hints for programs whose interpreters exceed the memory limit, or need flags to keep to it.

Java, JavaScript engines and Lisp do not know the judge's limit, and may choose too large heaps. A
program's output is a stranger's text, so it is only searched for fixed words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

# The flags by which each interpreter takes less memory.
_FLAGS = {
    "java": ("-Xmx64m", "-Xss1m", "-XX:+UseSerialGC"),
    "deno": ("--v8-flags=--max-old-space-size=64,--max-semi-space-size=4",),
    "node": ("--max-old-space-size=64", "--max-semi-space-size=4"),
    "bun": ("--smol",),
    "sbcl": ("--dynamic-space-size 128MB",),
}
# The complaints that each interpreter prints when it has too little memory. Deno prints what Node
# does, with a trace.
_DENO = b" deno(+0x"
_COMPLAINTS = {
    "java": re.compile(
        b"insufficient memory for the Java Runtime|Error occurred during initialization of VM"
        b"|Could not reserve enough space|Could not create the Java Virtual Machine"
        b"|unable to create native thread"
    ),
    "node": re.compile(
        b"JavaScript heap out of memory|JavaScript out of memory|process out of memory"
        b"|Fatal process OOM|Committing semi space failed|v8::internal::V8::FatalProcessOutOfMemory"
    ),
    "bun": re.compile(b"RangeError: Out of memory"),
    "sbcl": re.compile(b"os_alloc_gc_space\\("),
}


def too_little_memory(command: Sequence[str], printed: bytes) -> str:
    """A hint, to be added to a sentence, if the ``printed`` text complains of too little memory;
    empty otherwise."""
    said = [name for name, words in _COMPLAINTS.items() if words.search(printed)]
    if not said:
        return ""
    program = _interpreter(command) or ("deno" if _DENO in printed else said[0])
    too_little = f"; {program} has too little memory: allow more by --memory"
    return _hint(program, command) or too_little


def too_much_memory(command: Sequence[str]) -> str:
    """A hint, to be added to a sentence, for a program that is known to have used too much memory;
    empty if no flag of its interpreter would help."""
    return _hint(_interpreter(command), command)


def _interpreter(command: Sequence[str]) -> str:
    return next((name for word in command if (name := PurePath(word).name) in _FLAGS), "")


def _hint(program: str, command: Sequence[str]) -> str:
    """The hint on the flags that an interpreter lacks; empty if it lacks none."""
    missing = " ".join(flag for flag in _FLAGS.get(program, ()) if not _is_set(flag, command))
    return (
        f"; {program} took too much memory: start it with {missing}, or allow more by --memory"
        if missing
        else ""
    )


def _is_set(flag: str, command: Sequence[str]) -> bool:
    """Whether a command has this flag with any value."""
    name = flag.partition(" ")[0].partition("=")[0].rstrip("0123456789mk")
    return any(word.startswith(name) for word in command)
