"""The guides that come with the judge: listed, as Markdown, and laid out for a terminal.

`judge/guides/README.md` lists the guides in their order, each with a line on its subject. The guide
NAME is the file ``NAME.md`` in the same folder.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from judge.show.text import hanging, left

MOST_COLUMNS = 100
"""The most columns of a guide, also in a wider terminal: longer lines are hard to read."""

_ENTRY = re.compile(r"^- \[([a-z-]+)\]\([a-z-]+\.md\): (.+)$", re.MULTILINE)


@cache
def summaries() -> dict[str, str]:
    """The subject of every guide by the guide's name, in the order of the list."""
    return dict(_ENTRY.findall(markdown("README")))


def markdown(name: str) -> str:
    """The Markdown of the guide of that name."""
    return (files("judge") / "guides" / f"{name}.md").read_text(encoding="utf-8")


def listing(width: int) -> str:
    """The list of guides, each in a few lines of ``width`` cells, and how to read a guide."""
    names = max(map(len, summaries())) + 2
    lines = []
    for name, summary in summaries().items():
        lines += hanging(left(name, names), summary, width)
    return "\n".join([*lines, "", "judge guide NAME shows one of them."])


def laid_out(name: str, *, columns: int, colour: bool) -> str:
    """The guide of that name for a terminal of ``columns`` columns: wrapped, its tables drawn.

    Colours are those of the terminal's own palette, so that they suit light and dark terminals.
    """
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.theme import Theme

    console = Console(
        width=min(columns, MOST_COLUMNS),
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        theme=Theme({"markdown.code": "cyan"}),  # without rich's black background
    )
    with console.capture() as capture:
        console.print(Markdown(markdown(name), code_theme="ansi_dark", hyperlinks=False))
    return "\n".join(line.rstrip() for line in capture.get().splitlines())
