"""Text for a terminal: cleaned of unsafe characters, measured in cells, wrapped and cut.

Names and output come from strangers. A cleaned text can neither move the cursor nor hide
characters, and a cut text takes no more than its width.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import StrEnum

from judge.quoting import VARIATION_SELECTORS, is_unsafe

WIDTH = 80
"""The columns of a terminal that a text fits by default."""

_TERMINAL_SEQUENCE = re.compile(
    r"""\x1b(?: \[ [0-?]*+ [ -/]*+ [@-~]            # colours, cursor movements
             |  \] [^\x07\x1b]*+ (?: \x07 | \x1b\\ )  # window titles, links
             |  [@-Z\\-_] )""",
    re.VERBOSE,
)

_WHOLE = re.compile("(?:`[^`]*`|[^ ])+")
"""A word, or a command between backticks."""

MARKS = 8
"""The most characters for each cell of a text that is cut or wrapped; marks above and below a
letter take no cell."""


class Style(StrEnum):
    """A style of text, as the SGR parameters of ECMA-48.

    A user may change a terminal's eight basic colours, and most palettes have one that is hard to
    read, such as blue on black. So the colours of a style are among the 256 that are the same in
    every terminal. The chosen colours are neither light nor dark, and stand out on any usual
    background.
    """

    BOLD = "1"
    DIM = "2"
    RED = "38;5;196"
    GREEN = "38;5;64"
    ORANGE = "38;5;166"
    BLUE = "38;5;32"
    SUNK = "1;38;5;196"


def paint(text: str, style: Style, colour: bool) -> str:
    """The text in a style, or unchanged without ``colour``. Pad a text before it is painted, not
    after."""
    return f"\x1b[{style}m{text}\x1b[0m" if colour and text else text


def clean(text: str) -> str:
    """The text as one line that is safe to print: without terminal sequences and variation
    selectors, a tab as four spaces, and any other unsafe character as its Python escape."""
    text = _TERMINAL_SEQUENCE.sub("", text).replace("\t", "    ")
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible, text))


def clean_lines(text: str) -> list[str]:
    """The lines of a text, each clean, without the empty lines at its end."""
    text = text.rstrip()
    return [clean(line.removesuffix("\r")) for line in text.split("\n")] if text else []


def _visible(character: str) -> str:
    if character in VARIATION_SELECTORS:
        return ""
    if not is_unsafe(character):
        return character
    return character.encode("unicode_escape").decode("ascii")


def cells(text: str) -> int:
    """The columns that a clean text takes in a terminal. A character of ambiguous width counts as
    one."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, width: int) -> str:
    """The text, with an ellipsis in place of its end if it takes more than ``width`` cells, or more
    than `MARKS` times as many characters. The text has to be clean."""
    if cells(text) <= width and len(text) <= MARKS * width:
        return text
    return f"{text[: min(_fitting(text, width - 1), MARKS * width)]}…" if width > 0 else ""


def cut_inside(text: str, width: int) -> str:
    """The text as by `cut`, but with the ellipsis in place of its middle, since both ends of an
    interpreter's error say most."""
    if cells(text) <= width and len(text) <= MARKS * width:
        return text
    head = cut(text, width // 3)
    room = max(0, width - cells(head))
    tail = text[max(0, len(text) - room) :]
    while cells(tail) > room:
        tail = tail[1:]
    return head + tail


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


def wrap(text: str, indent: str = "", width: int = WIDTH, *, whole: bool = False) -> list[str]:
    """The clean text in lines of at most ``width`` cells, indented; long words are broken. If
    ``whole`` is true, long words and commands between backticks are not broken."""
    room = width - cells(indent)
    lines = [""]
    for word in _WHOLE.findall(text) if whole else text.split():
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if cells(joined) <= room and len(joined) <= MARKS * room:
            lines[-1] = joined
            continue
        lines += [word] if whole else pieces(word, room)
    return [indent + line for line in lines if line]


def painted(text: str, style: Style, colour: bool, width: int = WIDTH) -> list[str]:
    """The clean text in lines of at most ``width`` cells, each in a style."""
    return [paint(line, style, colour) for line in wrap(text, width=width)]


def hanging(head: str, text: str, width: int = WIDTH) -> list[str]:
    """The clean text behind ``head``, which may have colours, in lines of at most ``width`` cells.
    All lines of the text begin in the same column."""
    first, *more = wrap(text, " " * cells(clean(head)), width) or [""]
    return [f"{head}{first.lstrip()}".rstrip(), *more]


def phrases(text: str, width: int) -> list[str]:
    """The clean text in lines of at most ``width`` cells. A line ends behind a comma, a colon or a
    semicolon, or within a phrase that is longer than a line."""
    for end in ",:;":
        text = text.replace(f"{end} ", f"{end}\n")
    lines = [""]
    for phrase in text.split("\n"):
        joined = f"{lines[-1]} {phrase}" if lines[-1] else phrase
        if cells(joined) <= width:
            lines[-1] = joined
        else:
            lines += wrap(phrase, width=width)
    return [line for line in lines if line]


def pieces(word: str, room: int) -> list[str]:
    """A word cut into pieces of at most ``room`` cells, each with at least one character."""
    starts, taken = [0], 0
    for number, character in enumerate(word):
        taken += (width := _cells(character))
        if number > starts[-1] and (taken > room or number - starts[-1] >= MARKS * room):
            starts.append(number)
            taken = width
    return [word[start:end] for start, end in zip(starts, [*starts[1:], len(word)], strict=True)]


def many(count: int, what: str) -> str:
    """A number with its noun: "1 game", "1,200 games"."""
    return f"{count:,} {plural(what, count)}"


def in_a_list(names: Sequence[str], most: int, what: str) -> str:
    """The names, as "a, b and c"; if there are more than ``most``, only their number, as in "5
    bots"."""
    if len(names) > most:
        return many(len(names), what)
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}es" if word.endswith(("s", "ch")) else f"{word}s"
