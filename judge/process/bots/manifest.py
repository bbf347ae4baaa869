"""The reader of ``bot.json``, which is a stranger's file.

A faulty manifest is refused in one sentence with its path. Any UTF-8 text without a zero byte may
be a word of the command, which runs only as the bot.
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

# Beginnings by which a name could be taken for an option, a formula or a path.
_NO_NAME = re.compile(r"[-=+@.]|.*/", re.DOTALL)


def read(file: Path, root: Path, shown: str) -> Manifest:
    """The manifest in ``file``, which lies below ``root`` without links. Raises `UsageError` if it
    is not valid."""
    with reading(shown), os.fdopen(opened(root, str(file.relative_to(root))), "rb") as opening:
        data = opening.read(Manifest.MOST_BYTES + 1)
    try:
        manifest = decode(Manifest, data, shown)
    except DocumentError as error:
        raise UsageError(str(error)) from None
    _check_name(manifest.name, shown)
    if len({*manifest.wires}) < len(manifest.wires):
        raise UsageError(f"{shown} is no bot's manifest: $.wire: it names a wire twice")
    for name in manifest.wires:
        if name not in WIRES:
            raise UsageError(
                f"{shown}, wire: there is no wire {quoted(name)}; there are {', '.join(WIRES)}"
            )
    for word in manifest.command:
        check_text(word, f"a word of the command in {shown}")
    if not manifest.build.isprintable():
        raise UsageError(f"the build command in {shown} holds a character that cannot be printed")
    return manifest


def check_text(text: str, what: str) -> None:
    """Raise `UsageError` if a text has a zero byte or is not valid UTF-8, so that no program or
    record can hold it."""
    if "\0" in text:
        raise UsageError(f"{what} holds a zero byte, which nothing can be called: {quoted(text)}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what} is not UTF-8: {quoted(text)}; rename it") from None


def _check_name(name: str, shown: str) -> None:
    """Raise `UsageError` for a name that looks like a path, an option or a formula. Unprintable
    characters and spaces are ignored, since they are later taken out of names."""
    seen = "".join(c for c in name if c.isprintable() and not c.isspace())
    if _NO_NAME.match(seen):
        raise UsageError(
            f"the name {quoted(name)} in {shown} looks like a path, an option or a formula; "
            "begin it with another sign than - = + @ or a dot, and leave slashes out"
        )
