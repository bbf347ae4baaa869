"""``bot.json``: read as a stranger's.

A faulty manifest is refused in one sentence, with its path. A word of the command may be anything
that a program can be given: it is used inside of the sandbox alone.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from judge.documents.bots import Manifest
from judge.documents.codec import DocumentError, decode
from judge.errors import UsageError
from judge.process.bots.files import opened, quoted, reading
from judge.wire import WIRES

MANIFEST = "bot.json"

# What programs that read a table, a command line or a path may take a name for.
_NO_NAME = re.compile(r"[-=+@.]|.*/", re.DOTALL)


def read(file: Path, root: Path, shown: str) -> Manifest:
    """The manifest at a path without links below that folder; raises `UsageError`."""
    with reading(shown), os.fdopen(opened(root, str(file.relative_to(root))), "rb") as opening:
        data = opening.read(Manifest.MOST_BYTES + 1)
    try:
        manifest = decode(Manifest, data, shown)
    except DocumentError as error:
        raise UsageError(str(error)) from None
    _check_name(manifest.name, shown)
    if len({*manifest.wires}) < len(manifest.wires):
        raise UsageError(f"{shown} is no bot's manifest: $.wire: it names a protocol twice")
    for name in manifest.wires:
        if name not in WIRES:
            raise UsageError(
                f"{shown}, wire: there is no protocol {quoted(name)}; there are {', '.join(WIRES)}"
            )
    for word in manifest.command:
        check_text(word, f"a word of the command in {shown}")
    if not manifest.build.isprintable():
        raise UsageError(f"the build command in {shown} holds a character that cannot be printed")
    return manifest


def check_text(text: str, what: str) -> None:
    """Raise `UsageError` unless it can be handed to a program and written into a record."""
    if "\0" in text:
        raise UsageError(f"{what} holds a zero byte, which nothing can be called: {quoted(text)}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what} is not UTF-8: {quoted(text)}; rename it") from None


def _check_name(name: str, shown: str) -> None:
    """Characters that cannot be printed are taken out of a name later, so they hide no sign here."""
    seen = "".join(c for c in name if c.isprintable() and not c.isspace())
    if _NO_NAME.match(seen):
        raise UsageError(
            f"the name {quoted(name)} in {shown} looks like a path, an option or a formula; "
            "begin it with another sign than - = + @ or a dot, and leave slashes out"
        )
