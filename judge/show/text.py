"""Text made fit for a terminal: cleaned, and measured in the cells that it takes there.

Names and output come from strangers: whatever is in them, what leaves here neither moves the
cursor nor hides, and takes no more room than was given. Where terminals differ, a text is taken
to be wider rather than narrower.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterable
from enum import StrEnum

WIDTH = 80
"""The columns of a terminal that every text must fit."""

_TERMINAL_SEQUENCE = re.compile(
    r"""\x1b(?: \[ [0-?]* [ -/]* [@-~]              # colours, cursor movements
             |  \] [^\x07\x1b]* (?: \x07 | \x1b\\ )  # window titles, links
             |  [@-Z\\-_] )""",
    re.VERBOSE,
)
# Control, format (among them those that turn the direction of writing), lone surrogates, line
# and paragraph separators, and what this Unicode does not know.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Cn"})
_VARIATION_SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))


class Style(StrEnum):
    """How a text may look beyond its letters: SGR parameters of ECMA-48."""

    BOLD = "1"
    DIM = "2"
    RED = "31"
    GREEN = "32"
    YELLOW = "33"
    BLUE = "34"
    SUNK = "1;31"


def paint(text: str, style: Style, colour: bool) -> str:
    """The text in a style, or as it is where there is no colour. Pad before, not after."""
    return f"\x1b[{style}m{text}\x1b[0m" if colour and text else text


def clean(text: str) -> str:
    """The text as one line that can be printed: terminal sequences removed, a tab as four spaces,
    any other character that has no shape of its own as its Python escape."""
    text = _TERMINAL_SEQUENCE.sub("", text).replace("\t", "    ")
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible, text))


def clean_lines(text: str) -> list[str]:
    """The lines of a text, each clean, without the empty ones at its end."""
    return [clean(line.removesuffix("\r")) for line in text.rstrip().split("\n") if text.strip()]


def _visible(character: str) -> str:
    if character in _VARIATION_SELECTORS:
        return ""
    if unicodedata.category(character) not in _UNSAFE:
        return character
    return character.encode("unicode_escape").decode("ascii")


def cells(text: str) -> int:
    """How many columns of a terminal a clean text takes."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, width: int) -> str:
    """The clean text, its end replaced by an ellipsis if it takes more than ``width`` cells."""
    if cells(text) <= width:
        return text
    return f"{text[: _fitting(text, width - 1)]}…" if width > 0 else ""


def fitted(line: str, width: int) -> str:
    """A line of our own, painted perhaps, as it is; or cut to ``width`` cells, then unpainted."""
    bare = clean(line)
    return line if cells(bare) <= width else cut(bare, width)


def _fitting(text: str, width: int) -> int:
    """How many characters of the text fit in ``width`` cells."""
    taken = 0
    for number, character in enumerate(text):
        taken += _cells(character)
        if taken > width:
            return number
    return len(text)


def left(text: str, width: int) -> str:
    """The clean text at the left of exactly ``width`` cells, cut if need be."""
    text = cut(text, width)
    return text + " " * (width - cells(text))


def right(text: str, width: int) -> str:
    """The clean text at the right of exactly ``width`` cells, cut if need be."""
    text = cut(text, width)
    return " " * (width - cells(text)) + text


def wrap(text: str, indent: str = "", width: int = WIDTH) -> list[str]:
    """The clean text in lines of at most ``width`` cells, indented; long words are broken."""
    room = width - cells(indent)
    lines = [""]
    for word in text.split():
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if cells(joined) <= room:
            lines[-1] = joined
            continue
        rest = word
        while cells(rest) > room:
            # Begin a long word on a line of its own, and take at least one character a line.
            end = max(1, _fitting(rest, room))
            lines.append(rest[:end])
            rest = rest[end:]
        lines.append(rest)
    return [indent + line for line in lines if line]


def many(count: int, what: str) -> str:
    """A number of things, in words: "1 game", "1,200 games"."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def comma_separated(rows: Iterable[Iterable[object]]) -> str:
    """Lines for a spreadsheet, a row each; None is nothing."""
    lines = _Lines()
    csv.writer(lines, lineterminator="\n").writerows(rows)
    return "".join(lines)


class _Lines(list[str]):
    """What a csv writer writes to."""

    def write(self, line: str) -> None:
        self.append(line)
