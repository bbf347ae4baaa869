"""Writes the page of ``--html``. A file is replaced as a whole, so it has the old page or the new.

If the path that the user typed is a symbolic link, the file to which it leads is replaced.
"""

from __future__ import annotations

import os
from pathlib import Path

import click

from judge import writing
from judge.errors import JudgeFault, UsageError

STDOUT = Path("-")
_BEGIN = b"<!doctype html>"


def save(text: str, path: Path) -> None:
    """Write a page into a file, or print it if the path is ``-``.

    An existing file is replaced, in one step, only if it is a page or empty. A pipe or a terminal
    gets the text. Raises `UsageError` if the path is a folder or another kind of file, or if its
    folder does not exist. Raises `JudgeFault` if a file cannot be read or written.
    """
    if path == STDOUT:
        click.echo(text, nl=False)
        return
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file, such as {path / 'page.html'}")
    place = Path(os.path.realpath(path))  # what a link leads to is replaced, not the link
    if not place.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {place.parent}; make it first")
    is_special = path.exists() and not path.is_file()  # a pipe, a terminal: not to be replaced
    if place.exists() and not is_special and not _is_page(place):
        raise UsageError(f"{path} is there already, and is not a page; name another file")
    try:
        if is_special:
            path.write_bytes(text.encode())
        else:
            writing.replace(place.parent, place.name, text.encode(), shared=True)
    except OSError as error:
        raise JudgeFault(f"{path} cannot be written: {error.strerror}") from error


def _is_page(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            begin = file.read(len(_BEGIN) + 1)
    except OSError as error:
        raise JudgeFault(f"{path} cannot be read: {error.strerror}") from error
    return not begin or begin.lower().startswith(_BEGIN)
