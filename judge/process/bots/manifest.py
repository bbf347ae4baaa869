"""``bot.json``: read as a stranger's, and held to its schema, which has its keys.

What is wrong with it is said in one sentence, with its path. A word of the command may be anything
that a program can be given: it is used inside of the sandbox alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from judge import schemas
from judge.errors import UsageError
from judge.process.bots.files import opened, quoted, reading
from judge.wire import WIRES, json_files

MANIFEST = "bot.json"
MOST_BYTES = 64 * 2**10

# What programs that read a table, a command line or a path may take a name for.
_NO_NAME = re.compile(r"[-=+@.]|.*/", re.DOTALL)


def read(file: Path, root: Path, shown: str) -> dict[str, Any]:
    """The manifest at a path without links below that folder; raises `UsageError`."""
    with reading(shown), os.fdopen(opened(root, str(file.relative_to(root))), "rb") as opening:
        data = opening.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UsageError(f"{shown} is longer than {MOST_BYTES:,} bytes; shorten it")
    try:
        document = json_files.parse(data)
    except ValueError as error:
        raise UsageError(f"{shown} cannot be read: {error}") from None
    if isinstance(document, dict):
        _check_keys(document, shown)
    wrong = schemas.problem("bot", document)
    if wrong:
        raise UsageError(f"{shown} is no bot's manifest: {wrong}")
    checked: dict[str, Any] = document
    _check_name(checked.get("name", ""), shown)
    wires = checked.get("wire", "")
    if isinstance(wires, list) and len({*wires}) < len(wires):  # jsonschema compares each with each
        raise UsageError(f"{shown} is no bot's manifest: wire: it names a protocol twice")
    for name in (wires,) if isinstance(wires, str) and "wire" in checked else wires:
        _check_wire(name, shown)
    for word in checked["command"]:
        check_text(word, f"a word of the command in {shown}")
    if not checked.get("build", "").isprintable():
        raise UsageError(f"the build command in {shown} holds a character that cannot be printed")
    return checked


def _check_wire(name: str, shown: str) -> None:
    """Raise `UsageError` unless there is such a protocol."""
    import difflib

    if name not in WIRES:
        near = difflib.get_close_matches(name, list(WIRES), n=1)
        meant = f"; did you mean {near[0]!r}?" if near else ";"
        there = f"{'There' if near else 'there'} are {', '.join(WIRES)}"
        raise UsageError(f"{shown}, wire: there is no protocol {quoted(name)}{meant} {there}")


def _check_keys(document: dict[str, Any], shown: str) -> None:
    """Name what a manifest lacks, and what it has that it cannot have, with the way to mend it."""
    import difflib

    known = list(schemas.load("bot")["properties"])
    if unknown := next((key for key in document if key not in known), None):
        near = difflib.get_close_matches(unknown[:200], known, n=1)
        meant = f"; did you mean {near[0]!r}?" if near else f"; its keys are {', '.join(known)}"
        raise UsageError(f"{shown} has a key that no manifest has: {quoted(unknown)}{meant}")
    if isinstance(document.get("command"), str):
        raise UsageError(
            f"{shown} has its command as a text; write it as a list of words: "
            '"command": ["python3", "bot.py"]'
        )
    if "command" not in document:
        raise UsageError(
            f"{shown} does not say what starts the bot; give it a command, a list of words: "
            '"command": ["python3", "bot.py"]'
        )


def wires(document: Mapping[str, Any]) -> tuple[str, ...]:
    """The protocols that a manifest names."""
    said = document.get("wire", ())
    return (said,) if isinstance(said, str) else tuple(said)


def check_text(text: str, what: str) -> None:
    """Raise `UsageError` unless it can be handed to a program and written into a record."""
    if "\0" in text:
        raise UsageError(f"{what} holds a zero byte, which nothing can be called: {quoted(text)}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{what} is not UTF-8: {quoted(text)}; rename it") from None


def _check_name(name: str, shown: str) -> None:
    """What cannot be printed is taken out of a name later, so it hides no sign here."""
    seen = "".join(c for c in name if c.isprintable() and not c.isspace())
    if _NO_NAME.match(seen):
        raise UsageError(
            f"the name {quoted(name)} in {shown} looks like a path, an option or a formula; "
            "begin it with another sign than - = + @ or a dot, and leave slashes out"
        )
