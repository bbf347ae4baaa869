"""Readers of typed files, folders and programs, and of the JSON or text in the files."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from judge import schemas
from judge.cli.values.value import Value
from judge.documents import json_files
from judge.documents.ledger import LONGEST_ABOUT
from judge.errors import UsageError
from judge.process.bots.interpreters import on_path

LONGEST_PLACEMENTS = 2**24
LONGEST_ABOUT_BYTES = 4 * LONGEST_ABOUT


class Placements(NamedTuple):
    """The JSON document of a ``--placements`` file, and the path of the file."""

    path: Path
    document: Any


def program(text: str) -> Path:
    """Return the absolute path of a program that was typed as a path, or by its name if it is on
    ``PATH``. Links are not resolved. Raises ValueError if it cannot be run."""
    found = shutil.which(text) if "/" in text else on_path(text)
    if found is None:
        raise ValueError(f"{text!r} is not a program that can be run here")
    return Path(found).absolute()


def about(text: str) -> str:
    """Return the Markdown text in a file. Raises ValueError if the content is not UTF-8, or has
    more than `LONGEST_ABOUT` characters. Raises `UsageError` if the file cannot be read, or has
    more than `LONGEST_ABOUT_BYTES` bytes."""
    path = Path(text)
    try:
        found = bytes_in(path, "text on a contest", LONGEST_ABOUT_BYTES).decode()
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not text in UTF-8") from None
    if len(found) > LONGEST_ABOUT:
        raise ValueError(f"{path} is longer than {LONGEST_ABOUT:,} characters")
    return found.strip()


def placements(text: str) -> Placements:
    """Read a file of fleets, and check the form of the document, but not whether the fleets are
    legal. Raises ValueError if the content is not JSON, or is not a list of fleets. Raises
    `UsageError` if the file cannot be read, or has more than `LONGEST_PLACEMENTS` bytes."""
    path = Path(text)
    data = bytes_in(path, "list of fleets", LONGEST_PLACEMENTS)
    try:
        document = json_files.parse(data, json_files.MOST_OF_GAMES)
    except ValueError as error:
        raise ValueError(f"{path} cannot be read: {error}") from None
    if problem := schemas.problem("placements", document):
        raise ValueError(f"{path} is not a list of fleets: {problem}")
    return Placements(path, document)


def bytes_in(path: Path, kind: str, most: int) -> bytes:
    """Return the content of a file of at most ``most`` bytes. Raises `UsageError` if it cannot be
    read, is no regular file or is longer. ``kind`` is the word for the content in the message."""
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{path} is not a file")
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    if len(data) > most:
        raise UsageError(f"{path} is longer than {most:,} bytes, so no {kind}")
    return data


def file_seen_from(folder: Path, text: str) -> str:
    return text if text == "-" else str(folder / Path(text).expanduser())


def _program_seen_from(folder: Path, text: str) -> str:
    return str(folder / text) if os.sep in text else text


PROGRAM = Value("PATH", program, files=True, seen_from=_program_seen_from)
FILE = Value("FILE", lambda text: Path(text).expanduser(), files=True, seen_from=file_seen_from)
LOGS = Value("FILE|FOLDER", str, files=True, seen_from=file_seen_from)
LOG_FILE = Value("FILE", Path, files=True, seen_from=file_seen_from)
MESSAGES = Value("FILE|-", Path, files=True, seen_from=file_seen_from)
ABOUT = Value("FILE", about, files=True, seen_from=file_seen_from)
PLACEMENTS = Value("FILE", placements, files=True, seen_from=file_seen_from)
