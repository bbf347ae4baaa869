"""A hint for a bot that complains of a missing file, program or module.

The file may lie beside the bot, the program on the user's PATH, and the module in another Python.

The bot's output is a stranger's text, and so are the names of files beside the bot: the output is
split once, in linear time, and each name is then looked up. The hint never offers a path from the
output.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
from itertools import accumulate
from pathlib import Path

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

LONGEST = 255  # characters of a file's name

# Messages of languages about a missing module or file. The name may lack its suffix.
_MISSING = re.compile(
    "no module named|cannot find module|cannot find package|cannot load such file|no such file",
    re.IGNORECASE,
)
_NAMES = re.compile(r"[\w.-]++")
_PATH = re.compile(r"/[^\s'\"`()]++")
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
        hint = _beside(bot, complaint) or _program_elsewhere(complaint)
    return hint or _module_elsewhere(bot, text)


def _beside(bot: Bot, complaint: Complaint) -> str:
    if bot.files == (bot.folder,):
        return ""
    with contextlib.suppress(OSError):
        for path in sorted(bot.folder.iterdir()):
            if path not in bot.files and complaint.names(path):
                return (
                    f"; it cannot see {quoted(path.name)} beside it, for it was given as a file: "
                    "make that a folder with a run.sh or a bot.json, and name the folder"
                )
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
