"""What commands print besides their results: notes on stderr, and documents on stdout."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import click

from judge.quoting import json_text
from judge.show.text import clean


def note(text: str) -> None:
    """A line on stderr: something that the user should know, and no error.

    Where stderr cannot be written, nobody wants to know.
    """
    with contextlib.suppress(OSError):
        end = "" if text.endswith("?") else "."
        click.echo(f"judge: {clean(text)}{end}", err=True)


def print_json(document: dict[str, Any]) -> None:
    """A document on a line of its own, at once."""
    click.echo(json_text(json.dumps(document, ensure_ascii=False, separators=(",", ":"))))
