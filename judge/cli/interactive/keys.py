"""Keys as a terminal sends them: bytes in, names of keys out, however the bytes are cut up.

Pure. A key is the character that it types, or one of the names below. What is known here is what
terminals send that follow xterm, as nearly all do; of a key with Shift, Alt or Ctrl held, the key
alone. Sequences that mean nothing here are swallowed whole, never taken for letters.
"""

from __future__ import annotations

import codecs
import re

UP, DOWN, LEFT, RIGHT = "up", "down", "left", "right"
HOME, END, PAGE_UP, PAGE_DOWN = "home", "end", "page-up", "page-down"
ENTER, ESCAPE, BACKSPACE, TAB = "enter", "escape", "backspace", "tab"
END_OF_INPUT = "end-of-input"  # Ctrl-D, or a terminal that is gone

_SEQUENCE = re.compile(r"\x1b(?:\[([0-9]*+)[0-?]*+[ -/]*+([@-~])|O([ -~]))")
_BEGUN = re.compile(r"\x1b(?:\[[0-?]*+[ -/]*+|O)?")
_FINALS = {"A": UP, "B": DOWN, "C": RIGHT, "D": LEFT, "H": HOME, "F": END, "M": ENTER}
_NUMBERS = {"1": HOME, "4": END, "5": PAGE_UP, "6": PAGE_DOWN, "7": HOME, "8": END}
_CONTROLS = {
    "\n": ENTER,
    "\r": ENTER,
    "\t": TAB,
    "\b": BACKSPACE,
    "\x7f": BACKSPACE,
    "\x04": END_OF_INPUT,
}


class Decoder:
    """Takes what was read, gives the keys that are complete."""

    def __init__(self) -> None:
        self._characters = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""

    @property
    def begun(self) -> bool:
        """Whether what is left may be the beginning of a key, or the Escape key alone."""
        return bool(self._text)

    def feed(self, data: bytes) -> list[str]:
        self._text += self._characters.decode(data)
        keys = []
        while self._text and not _BEGUN.fullmatch(self._text):
            if sequence := _SEQUENCE.match(self._text):
                self._text = self._text[sequence.end() :]
                key = _of_sequence(*sequence.groups())
            else:
                key = _of_character(self._text[0])
                self._text = self._text[1:]
            if key:
                keys.append(key)
        return keys

    def flush(self) -> list[str]:
        """The keys in what is left, now that nothing more has come for a while."""
        text, self._text = self._text, ""
        return [key for key in map(_of_character, text) if key]


def _of_sequence(number: str | None, final: str | None, application: str | None) -> str | None:
    if final == "~":
        return _NUMBERS.get(number or "")
    return _FINALS.get(final or application or "")


def _of_character(character: str) -> str | None:
    if character == "\x1b":
        return ESCAPE
    return _CONTROLS.get(character) or (character if character.isprintable() else None)
