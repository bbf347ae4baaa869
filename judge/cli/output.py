"""Prints the output of commands: texts and documents on stdout, notes and progress on stderr."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

import click

from judge.quoting import json_text
from judge.show.text import WIDTH, cells, clean, wrap

if TYPE_CHECKING:
    from judge.documents.codec import Part

MOST_NAMED = 5  # names in one sentence
NARROWEST = 40  # columns that a text and most tables fit


def columns() -> int | None:
    """Return the columns of the terminal, `NARROWEST` at least, or None if stdout is not a
    terminal."""
    return max(NARROWEST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else None


def width() -> int:
    """Return the columns for a text: at most `WIDTH`, or fewer if the terminal is narrower."""
    return min(columns() or WIDTH, WIDTH)


def folded(text: str, out: TextIO | None) -> str:
    """Return a clean sentence in lines that fit the terminal ``out``, or unchanged if that is not a
    terminal. Commands between backticks are not broken, so that they can be copied."""
    if out is None or not out.isatty():
        return text
    try:
        usual = os.get_terminal_size(out.fileno()).columns or WIDTH
    except OSError:  # a full screen has taken its place
        return text
    room = max(NARROWEST, shutil.get_terminal_size((usual, 0)).columns)
    return text if cells(text) <= room else "\n".join(wrap(text, width=room, whole=True))


def say(text: str) -> None:
    """Print clean sentences on stdout, each in a line that is `folded`. An indented line is a
    command to be copied, and is not."""
    for line in text.split("\n"):
        click.echo(line if line.startswith(" ") else folded(line, sys.stdout))


def has_full_screen(out: TextIO) -> bool:
    """Whether ``out``, stderr and stdin are terminals that can show a full screen."""
    if os.environ.get("TERM", "") in ("", "dumb"):
        return False
    # Textual draws on stderr and reads stdin, whatever stdout is.
    return all(stream is not None and stream.isatty() for stream in (out, sys.stderr, sys.stdin))


def several(names: Sequence[str]) -> str:
    """List the first `MOST_NAMED` names, and say how many more there are."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def note(text: str) -> None:
    """Print a note for the user on stderr: a line that is not an error.

    If stderr cannot be written, the line is lost.
    """
    with contextlib.suppress(OSError):
        end = "" if text.endswith("?") else "."
        click.echo(folded(f"judge: {clean(text)}{end}", sys.stderr), err=True)


@contextlib.contextmanager
def bar(length: int, label: str, *, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Show a progress bar of ``length`` steps on stderr, unless it is no terminal or ``quiet`` is
    true. Yields a function that advances the bar by a number of steps."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=length, label=label, width=0, file=sys.stderr) as shown:
        yield shown.update


def answer(
    document: Part, text: Callable[[], str], *, json: bool, colour: bool | None = None
) -> None:
    """Print the whole result of a command, as a document if ``json`` is true, or else as a text."""
    if json:
        print_json(document)
    else:
        click.echo(text(), color=colour)


def print_json(document: Part) -> None:
    """Print a document as a line of JSON."""
    # Here, so that a command loads no documents before it prints one.
    from judge.documents.codec import builtins

    text = json.dumps(builtins(document), ensure_ascii=False, separators=(",", ":"))
    click.echo(json_text(text))
