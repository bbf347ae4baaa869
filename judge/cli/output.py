"""Output of commands besides their results: notes on stderr, and documents on stdout."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from judge.quoting import json_text
from judge.show.text import WIDTH, clean

if TYPE_CHECKING:
    from judge.documents.codec import Part

MOST_NAMED = 5  # names in one sentence
NARROWEST = 60  # columns that every table fits


def columns() -> int | None:
    """The columns of the terminal that stdout is, `NARROWEST` at least; None if it is not one."""
    return max(NARROWEST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else None


def width() -> int:
    """The columns for a text: those of the terminal, but no more than are good to read."""
    return min(columns() or WIDTH, WIDTH)


def several(names: Sequence[str]) -> str:
    """The first few of these, and how many more there are."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def note(text: str) -> None:
    """A line on stderr: something that the user should know, and no error.

    If stderr cannot be written, nobody wants to know.
    """
    with contextlib.suppress(OSError):
        end = "" if text.endswith("?") else "."
        click.echo(f"judge: {clean(text)}{end}", err=True)


@contextlib.contextmanager
def bar(length: int, label: str, *, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """A progress bar on stderr, if that is a terminal; gives what is called with each advance."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=length, label=label, file=sys.stderr) as shown:
        yield shown.update


def answer(
    document: Part, text: Callable[[], str], *, json: bool, colour: bool | None = None
) -> None:
    """The whole of what a command has to say, as a document or as a text."""
    if json:
        print_json(document)
    else:
        click.echo(text(), color=colour)


def print_json(document: Part) -> None:
    """A document on a line of its own, at once."""
    # Here, so that a command loads no documents before it prints one.
    from judge.documents.codec import builtins

    text = json.dumps(builtins(document), ensure_ascii=False, separators=(",", ":"))
    click.echo(json_text(text))
