"""Words of a stranger's in a line for a shell: cleaned of what does not show, then quoted.

Pure. A shell runs exactly the words that such a line was made of, and nothing in it moves the
cursor of the terminal that shows it, hides, or turns the direction of writing.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Sequence

# Control, format (among them those that turn the direction of writing), lone surrogates, line
# and paragraph separators, and what this Unicode does not know.
UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Cn"})
# Characters with a shape of no width, or an empty one, that count as a letter, a mark or a sign:
# Unicode's Default_Ignorable_Code_Point as far as it is in none of those, and the empty Braille.
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
_OCTAL = "'!"  # what a shell's history or a reader that does not know $'…' could take otherwise
_RESERVED = frozenset(  # the shell's own words, and those of its commands that run or define others
    {
        *("case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if"),
        *("in", "select", "then", "time", "until", "while"),
        *("alias", "eval", "exec", "exit", "export", "set", "source", "unset"),
    }
)


def is_unsafe(character: str) -> bool:
    """Whether a character has no shape of its own that a terminal or a page could show."""
    return (
        unicodedata.category(character) in UNSAFE
        or character in VARIATION_SELECTORS
        or character in EMPTY
    )


def line(words: Sequence[str]) -> str:
    """A command line of these words, for a shell; the first is the program. It is empty for no
    words."""
    return " ".join((*map(_program, words[:1]), *map(word, words[1:])))


def word(text: str) -> str:
    """One word for a shell, as it is where that is safe, else in quotes.

    A character that cannot be shown is ``$'…'``, with its bytes in octal, as bash, zsh, ksh and
    POSIX of 2024 read it.
    """
    if text.isascii() and text.isprintable():
        return shlex.quote(text)
    if not any(map(is_unsafe, text)):
        return shlex.quote(text)
    return "$'" + "".join(map(_escaped, text)) + "'"


def folder(path: str) -> str:
    """A folder as the word after ``cd``, which takes a ``-`` at its begin for an option."""
    return word(path if path[:1] not in ("-", "+") else f"./{path}")


def _program(text: str) -> str:
    """The first word, which unquoted could also be an assignment or a word of the shell's own."""
    quoted = word(text)
    if quoted == text and ("=" in text or text in _RESERVED):
        return f"'{text}'"
    return quoted


def _escaped(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    if character not in _OCTAL and not is_unsafe(character):
        return character
    # Half a surrogate pair stands for a byte that is not UTF-8, or else for itself.
    how = "surrogateescape" if "\udc80" <= character <= "\udcff" else "surrogatepass"
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", how))


def json_text(text: str) -> str:
    """A JSON text without what a terminal could take for more than text: such characters stand in
    strings only, where an escape is the same."""
    if text.isascii():  # the JSON writer has escaped what is below a space
        return text.replace("\x7f", "\\u007f")
    return _NOT_ASCII.sub(_json_escape, text)


_NOT_ASCII = re.compile("[^\x00-\x7e]")


def _json_escape(found: re.Match[str]) -> str:
    character = found[0]
    if not is_unsafe(character):
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
