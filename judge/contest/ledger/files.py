"""The files of a ledger: where ``X.json`` and its journal lie, and ``X.json`` read and replaced."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from judge import writing
from judge.contest.journal.journal import Journal
from judge.contest.ledger.fold import mend
from judge.contest.ledger.tally import Tally
from judge.contest.ledger.tally_document import VERSION, from_json, problem, text_of
from judge.documents import json_files
from judge.errors import LedgerError, UsageError

LONGEST = 64 * 2**20  # bytes of X.json: with as many bots and pairs as there may be


def located(path: Path) -> tuple[Path, Journal]:
    """The file of a ledger, behind any symbolic link, and its journal ``X.games.jsonl`` beside it.

    The ledger's own path is the user's, and followed to its end. What lies beside it is no link.
    Raises `UsageError` where there can be no ledger.
    """
    path = Path(os.path.realpath(path)) if path.is_symlink() else path
    if path.is_dir():
        raise UsageError(
            f"{path} is a folder; --ledger names a file, such as {path / 'ledger.json'}"
        )
    if path.suffix != ".json":
        raise UsageError(f"{path}: a ledger's name ends in .json")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.parent}; make it first")
    journal = Journal(path.with_suffix(".games.jsonl"))
    if journal.path.is_symlink():
        raise UsageError(
            f"{journal.path} is a symbolic link, and a journal is a file beside its ledger; put "
            "the file there, or name the ledger that it belongs to"
        )
    for file in (path, journal.path):
        if file.exists() and not file.is_file():
            raise UsageError(f"{file} is no file, so {path} can be no ledger; name another")
    return path, journal


def saved(path: Path) -> Tally | None:
    """What ``X.json`` holds, or None if it is not there yet."""
    try:
        found = read_document(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LedgerError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise LedgerError(f"{path} is damaged: {error}; {mend(path)}") from None
    if is_newer(found):
        version = found["version"]
        raise LedgerError(
            f"{path} is of version {str(version)[:20]}, written by a newer judge than this"
        )
    if why := problem(found):
        raise LedgerError(f"{path} is no ledger: {why}; {mend(path)}")
    return from_json(found)


def read_document(path: Path) -> Any:
    """What ``X.json`` holds; raises OSError, and ValueError with the reason if it is no JSON."""
    with path.open("rb") as file:
        data = file.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise ValueError(f"it is longer than {LONGEST:,} bytes")
    return json_files.parse(data, json_files.MOST_OF_GAMES)


def is_newer(found: Any) -> bool:
    version = found.get("version") if isinstance(found, dict) else None
    return isinstance(version, int) and version > VERSION


def kept_beside(path: Path) -> Path:
    """Copy a file to one beside it, under a name that no file has, and return that."""
    number = 1
    while (copy := path.with_name(f"{path.name}.before{number}")).exists():
        number += 1
    try:
        writing.replace(copy.parent, copy.name, path.read_bytes(), durable=True)
    except OSError as error:
        raise LedgerError(
            f"{copy}, a copy of {path.name}, cannot be written: {error.strerror}. Nothing was changed"
        ) from error
    return copy


def replace_standings(path: Path, tally: Tally) -> None:
    """Replace ``X.json`` whole: written beside it, put on the disk, and renamed over it."""
    try:
        data = text_of(tally).encode() + b"\n"
    except ValueError as error:
        raise LedgerError(f"{path} would be no valid ledger: {error}") from None
    try:
        writing.replace(path.parent, path.name, data, durable=True)
    except OSError as error:
        raise LedgerError(
            f"{path} cannot be written: {error.strerror}; every game is safe in its journal, from "
            "which it is written once it can be"
        ) from error
