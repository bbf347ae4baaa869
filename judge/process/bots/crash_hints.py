"""Hints for a bot that crashed: on too much or too little memory, and on a missing file, program or
module.

Java, JavaScript engines and Lisp do not know the judge's limit, and may choose too large heaps. A
missing file may lie beside the bot, a missing program on the user's PATH, and a missing module in
another Python.

The bot's output is a stranger's text, and so are the names of files beside the bot: the output is
searched for fixed words or split once, in linear time, and each name is then looked up. A hint never
offers a path from the output, and never says whether there is a file at it.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path, PurePath

from judge.process.bots.bot import Bot
from judge.process.bots.files import is_executable, is_folder, quoted
from judge.process.bots.interpreters import (
    PYTHON,
    SYSTEM,
    active_python,
    folders_of_path,
    language_of,
)
from judge.quoting import word

# Memory

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
    return _memory_hint(program, command) or too_little


def too_much_memory(command: Sequence[str]) -> str:
    """A hint, to be added to a sentence, for a program that is known to have used too much memory;
    empty if no flag of its interpreter would help."""
    return _memory_hint(_interpreter(command), command)


def _interpreter(command: Sequence[str]) -> str:
    return next((name for word in command if (name := PurePath(word).name) in _FLAGS), "")


def _memory_hint(program: str, command: Sequence[str]) -> str:
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


# Missing programs and modules


LONGEST = 255  # characters of a file's name

# Messages of languages about a missing module or file. The name may lack its suffix.
_MISSING = re.compile(
    "no module named|cannot find module|cannot find package|cannot load such file|no such file",
    re.IGNORECASE,
)
_NAMES = re.compile(r"[\w.-]++")
_PATH = re.compile(r"/[^\s'\"`()]++")
_UNREAD = re.compile("no such file|permission denied", re.IGNORECASE)
# The path of a file that a program could not read, at the end of a line or before the reason.
_REFUSED = re.compile(
    r"""(?:^|[\s'"(])(/[^\s'":]++)['"]?(?:$|: no such file| \(|: permission denied)""",
    re.IGNORECASE,
)
# Words of shells, env, Node and Python about a missing program, after and before its name.
_AFTER_PROGRAM = (": not found", ": command not found", ": No such file", " ENOENT")
_BEFORE_PROGRAM = re.compile(r"(?:No such file or directory: |command not found: )([^\s]++)")
_QUOTES = str.maketrans("", "", "'‘’\"`")
_MODULE = re.compile(r"No module named '?([A-Za-z_][\w.]{0,99})", re.ASCII)


def missed(bot: Bot, stderr: bytes, *, is_walled: bool) -> str:
    """A hint, to be added to a sentence; empty if there is nothing to say. A bot that ``is_walled``
    sees only its own files and the system."""
    complaint = Complaint(text := stderr.decode("utf-8", "backslashreplace"))
    hint = ""
    if is_walled:
        hint = _beside(bot, complaint) or _program_elsewhere(complaint) or _hidden(bot, text)
    return hint or _module_elsewhere(bot, text)


def _beside(bot: Bot, complaint: Complaint) -> str:
    if bot.files == (bot.folder,):
        return ""
    with contextlib.suppress(OSError):
        for path in sorted(bot.folder.iterdir()):
            if path not in bot.files and complaint.names(path):
                return f"; it cannot see {quoted(path.name)} beside it, for it was given as a file"
        for path in complaint.folders_beside(bot.folder):
            if is_folder(path):
                return (
                    "; it was given as a file and sees no folder but its own: if what it misses is a "
                    "library for players, and no other player's, --share FOLDER shows it"
                )
    return ""


def _program_elsewhere(complaint: Complaint) -> str:
    """The hint on a program that is on the user's PATH and that bots cannot see."""
    for folder in folders_of_path():
        if any(map(Path(folder).is_relative_to, SYSTEM)):
            continue  # bots see these folders
        with contextlib.suppress(OSError):
            for path in sorted(Path(folder).iterdir()):
                if path.name in complaint.programs and is_executable(path):
                    is_python = language_of(path.name) == PYTHON.language
                    mend = "name it by --python" if is_python else "install it below /usr"
                    return (
                        f"; {quoted(path.name)} is on your PATH in {quoted(folder)}, which bots cannot "
                        f"see: {mend}"
                    )
    return ""


def _hidden(bot: Bot, text: str) -> str:
    """The hint on a file that a walled bot could not read, as stderr says, and that is neither its
    own nor the system's."""
    for line in text.splitlines():
        found = _REFUSED.search(line) if _UNREAD.search(line) else None
        if found and not any(Path(found[1]).is_relative_to(one) for one in (bot.folder, *SYSTEM)):
            return (
                f"; it cannot see {quoted(found[1])}: isolation hides all but its own files and the "
                "system's"
            )
    return ""


def _module_elsewhere(bot: Bot, text: str) -> str:
    """The hint on a module that the active virtual environment may have."""
    module, other = _MODULE.search(text), active_python()
    is_ours = bot.path.split(os.pathsep)[0] == str(Path(sys.executable).parent)
    if not (module and other and is_ours):
        return ""
    return (
        f"; the judge's own Python has no {module[1]}: to start bots with that of the virtual "
        f"environment which is active, add --python {word(other)}"
    )


class Complaint:
    """The names of files and programs in a program's complaint."""

    def __init__(self, text: str) -> None:
        lines = [line for line in text.split("\n") if _MISSING.search(line)]
        bare = text.translate(_QUOTES)
        words = (one for one in _NAMES.finditer(bare) if bare.startswith(_AFTER_PROGRAM, one.end()))
        self.programs = {*_BEFORE_PROGRAM.findall(bare), *(one[0] for one in words)}
        """Names of missing programs, perhaps also of files."""
        self._names = _words(text)
        self._missing = self.programs.union(*(_words(_MISSING.sub(" ", line)) for line in lines))
        self._paths = {path for line in lines for path in _PATH.findall(line)}

    def names(self, path: Path) -> bool:
        """Whether the complaint has this file's name with its suffix, or says that the name without
        a suffix is missing."""
        return (bool(path.suffix) and path.name in self._names) or path.stem in self._missing

    def folders_beside(self, folder: Path) -> list[Path]:
        """The folders beside ``folder`` in which a missing file of the complaint would lie."""
        above, found = folder.parent, set()
        for path in self._paths:
            named = Path(os.path.normpath(path))
            if named.is_relative_to(above) and not named.is_relative_to(folder):
                first, *inside = named.relative_to(above).parts or ("",)
                found.update([above / first] * bool(inside))
        return sorted(found)


def _words(text: str) -> set[str]:
    """The possible names in a text: each run of characters that names have, and each part of a run
    before a full stop, which may end a sentence or begin a suffix."""
    runs = (run[: LONGEST + 1].split(".") for run in _NAMES.findall(text))
    return {name for parts in runs for name in accumulate(parts, "{}.{}".format)}
