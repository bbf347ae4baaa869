"""Output of commands besides their results: notes on stderr, and documents on stdout."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
from typing import TYPE_CHECKING

import click

from judge.quoting import json_text
from judge.show.text import WIDTH, clean

if TYPE_CHECKING:
    from judge.documents.codec import Part

NARROWEST = 60  # columns that every table fits


def columns() -> int | None:
    """The columns of the terminal that stdout is, `NARROWEST` at least; None if it is not one."""
    return max(NARROWEST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else None


def width() -> int:
    """The columns for a text: those of the terminal, but no more than are good to read."""
    return min(columns() or WIDTH, WIDTH)


def note(text: str) -> None:
    """A line on stderr: something that the user should know, and no error.

    If stderr cannot be written, nobody wants to know.
    """
    with contextlib.suppress(OSError):
        end = "" if text.endswith("?") else "."
        click.echo(f"judge: {clean(text)}{end}", err=True)


def print_json(document: Part) -> None:
    """A document on a line of its own, at once."""
    # Here, so that a command loads no documents before it prints one.
    from judge.documents.codec import builtins

    text = json.dumps(builtins(document), ensure_ascii=False, separators=(",", ":"))
    click.echo(json_text(text))
