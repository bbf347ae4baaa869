"""The guides that come with the judge: listed, as Markdown, and laid out for a terminal.

`judge/guides/README.md` names every guide, in their order, each with a line on its subject; the
guide itself is the file of that name beside it.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from judge.show.text import WIDTH, left, wrap

MOST_COLUMNS = 100
"""Longer lines are hard to read, however wide the terminal is."""

_ENTRY = re.compile(r"^- \[([a-z-]+)\]\([a-z-]+\.md\): (.+)$", re.MULTILINE)


@cache
def summaries() -> dict[str, str]:
    """The subject of every guide by its name, in the order of the list."""
    return dict(_ENTRY.findall(markdown("README")))


def markdown(name: str) -> str:
    """The guide of that name as it was written."""
    return (files("judge") / "guides" / f"{name}.md").read_text(encoding="utf-8")


def listing() -> str:
    """A line or two for each guide, and how to read one."""
    names = max(map(len, summaries())) + 2
    lines = []
    for name, summary in summaries().items():
        first, *more = wrap(summary, " " * names, WIDTH)
        lines += [left(name, names) + first.lstrip(), *more]
    return "\n".join([*lines, "", "judge guide NAME shows one of them."])


def laid_out(name: str, *, columns: int, colour: bool) -> str:
    """The guide of that name for a terminal of ``columns`` columns: wrapped, its tables drawn.

    Colours are those of the terminal's own palette, so that they suit a light one and a dark one.
    """
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.theme import Theme

    console = Console(
        width=min(columns, MOST_COLUMNS),
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        theme=Theme({"markdown.code": "cyan"}),  # without the usual black behind it
    )
    with console.capture() as capture:
        console.print(Markdown(markdown(name), code_theme="ansi_dark", hyperlinks=False))
    return "\n".join(line.rstrip() for line in capture.get().splitlines())
