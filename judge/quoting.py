"""Command lines and JSON texts made safe to show: invisible and control characters are escaped.

Pure. A shell reads a quoted line back as exactly the same words. The line holds no control
character, no invisible one but spaces, and none that changes the direction of writing.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Sequence

# Unicode categories: control, format (with the characters that change the direction of writing),
# lone surrogate, line separator, paragraph separator, unassigned.
UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Cn"})
# Invisible characters in other categories: Unicode's Default_Ignorable_Code_Point without the
# variation selectors below, and the empty Braille pattern.
EMPTY = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5),
            *range(0x180B, 0x1810),
            *(0x2800, 0x3164, 0xFFA0),
        ),
    )
)
VARIATION_SELECTORS = frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))

_SHORT = {"\n": r"\n", "\t": r"\t", "\r": r"\r", "\\": r"\\"}
_OCTAL = "'!"  # a quote ends $'…', and ! may expand a shell's history
_RESERVED = frozenset(  # the shell's keywords, and builtins that run or define other commands
    {
        *("case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if"),
        *("in", "select", "then", "time", "until", "while"),
        *("alias", "eval", "exec", "exit", "export", "set", "source", "unset"),
    }
)


def is_unsafe(character: str) -> bool:
    """Whether a character is in `UNSAFE` (by its category), `EMPTY` or `VARIATION_SELECTORS`."""
    return (
        unicodedata.category(character) in UNSAFE
        or character in VARIATION_SELECTORS
        or character in EMPTY
    )


def line(words: Sequence[str]) -> str:
    """A command line for a shell. The first of the ``words`` is the program. The line is empty if
    there are no words."""
    return " ".join((*map(_program, words[:1]), *map(word, words[1:])))


def word(text: str) -> str:
    """One word for a shell, quoted if it has to be.

    A word with an unsafe character is written as ``$'…'``, with that character escaped. bash, zsh,
    ksh and shells of POSIX 2024 read this form.
    """
    if text.isascii() and text.isprintable():
        return shlex.quote(text)
    if not any(map(is_unsafe, text)):
        return shlex.quote(text)
    return "$'" + "".join(map(_escaped, text)) + "'"


def folder(path: str) -> str:
    """The word that names a folder in a ``cd`` command. A path that begins with ``-`` or ``+`` gets
    ``./`` before it."""
    return word(path if path[:1] not in ("-", "+") else f"./{path}")


def _program(text: str) -> str:
    """The program's word, also quoted if it could be an assignment or is in `_RESERVED`."""
    quoted = word(text)
    if quoted == text and ("=" in text or text in _RESERVED):
        return f"'{text}'"
    return quoted


def _escaped(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    if character not in _OCTAL and not is_unsafe(character):
        return character
    # A lone surrogate from U+DC80 to U+DCFF stands for a byte that is not UTF-8; any other stands
    # for itself.
    how = "surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass"
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", how))


def json_text(text: str) -> str:
    """A JSON text with every unsafe character from U+007F on escaped. These characters stand only
    in strings, so the value stays the same."""
    if text.isascii():  # the JSON writer has escaped the control characters below the space
        return text.replace("\x7f", "\\u007f")
    return _NOT_ASCII.sub(_json_escape, text)


_NOT_ASCII = re.compile("[^\x00-\x7e]")


def _json_escape(found: re.Match[str]) -> str:
    character = found[0]
    if not is_unsafe(character):
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
