"""judge guide: the guides, laid out and paged on a terminal, as plain Markdown elsewhere."""

from __future__ import annotations

import signal
import sys

import click

from judge.cli.configuration import Command
from judge.cli.options import COLORED
from judge.cli.output import columns, width
from judge.cli.values.value import Value
from judge.errors import UsageError
from judge.likeness import did_you_mean
from judge.show.guide import laid_out, listing, markdown, summaries
from judge.show.text import WIDTH


class _Guide(Command):
    """A command that runs even if judge.toml is wrong."""

    is_strict = False


@click.command(cls=_Guide)
@click.argument("name", metavar="[NAME]", required=False, type=Value("NAME", str, names=summaries))
@COLORED
def guide(name: str | None, color: bool) -> None:
    """List the guides, or show the guide NAME.

    On a terminal a guide is laid out and shown by your pager ($PAGER). Elsewhere it is printed as
    the Markdown that it is, unless --color always asks for the layout.

    \b
    Examples:
      judge guide       the names of the guides
      judge guide bots  how to write a bot
    """
    if name is None:
        click.echo(listing(width()))
        return
    name = _known(name)
    if sys.stdout.isatty():
        _page(laid_out(name, columns=columns() or WIDTH, colour=color), color)
    elif color:
        click.echo(laid_out(name, columns=WIDTH, colour=True), color=True)
    else:
        click.echo(markdown(name), nl=False)


def _known(typed: str) -> str:
    """Return the name of a guide, which may be typed as the name of its file. Raises `UsageError`
    if there is no such guide."""
    name = typed.lower().removesuffix(".md")
    if name not in summaries():
        near = did_you_mean(name, summaries()) or " `judge guide` lists them."
        raise UsageError(f"There is no guide {typed!r}.{near}")
    return name


def _page(text: str, colour: bool) -> None:
    """Show a text in the pager. Meanwhile the judge ignores Ctrl-C, which ends a search in the
    pager."""
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        # None: click keeps colours if the pager can show them, and sets LESS so that less can.
        click.echo_via_pager(text, color=None if colour else False)
    finally:
        signal.signal(signal.SIGINT, before)
