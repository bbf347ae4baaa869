"""How many steps a pattern takes on a text: a small backtracking matcher that counts.

It goes as `re` goes, without the shortcuts that `re` takes where it can, so it counts no fewer
steps than `re` takes. `attacks` makes texts from a pattern's own parts, repeated: those on which a
pattern of more than linear cost shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from re import _constants as sre  # what re itself is made of
from re import _parser as parser
from typing import Any

ENOUGH = 1_000_000
CHARACTERS = (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN)


class TooMany(Exception):
    """The pattern takes more steps than any linear one would."""


class Matcher:
    """A pattern that counts its ``steps``."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.tree = parser.parse(pattern, flags)
        self.flags = self.tree.state.flags
        self.steps = 0
        self._known: dict[tuple[Any, int, str], bool] = {}

    def all(self, text: str) -> int:
        """Find all matches that do not overlap, as ``sub`` does; the steps that it took."""
        self.steps, start = 0, 0
        while start <= len(text):
            end = next(self._ends(text, list(self.tree), start), None)
            start = start + 1 if end is None or end == start else end
        return self.steps

    def _ends(self, text: str, items: list[Any], at: int, of: int = 0) -> Iterator[int]:
        while of < len(items) and items[of][0] in CHARACTERS:  # which end at one place, or at none
            self._count()
            if at == len(text) or not self._fits(*items[of], text[at]):
                return
            of, at = of + 1, at + 1
        if of == len(items):
            yield at
            return
        for end in self._one(text, items[of], at):
            yield from self._ends(text, items, end, of + 1)

    def _one(self, text: str, item: Any, at: int) -> Iterator[int]:
        self._count()
        kind, value = item
        match kind:
            case sre.MAX_REPEAT | sre.MIN_REPEAT | sre.POSSESSIVE_REPEAT:
                low, high, inner = value
                ends = self._repeated(text, inner, at, low, high)
                if kind is sre.POSSESSIVE_REPEAT:
                    ends = iter([one for one in [next(ends, None)] if one is not None])
                yield from ends
            case sre.SUBPATTERN:
                yield from self._ends(text, list(value[3]), at)
            case sre.BRANCH:
                for way in value[1]:
                    yield from self._ends(text, list(way), at)
            case _:
                if value in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING):
                    is_there = at == 0
                elif value in (sre.AT_END, sre.AT_END_STRING):
                    is_there = at == len(text)
                else:
                    is_there = (at and _is_word(text[at - 1])) != (
                        at < len(text) and _is_word(text[at])
                    )
                if is_there:
                    yield at

    def _repeated(self, text: str, inner: Any, at: int, low: int, high: Any) -> Iterator[int]:
        """The places where a repetition of it may end, the most first."""
        if len(inner) == 1 and inner[0][0] in CHARACTERS:
            (kind, value), end = inner[0], at
            while end < len(text) and end - at < high and self._fits(kind, value, text[end]):
                self._count()
                end += 1
            for stop in range(end, at + low - 1, -1):
                self._count()
                yield stop
            return
        if high > 0:
            for end in self._ends(text, list(inner), at):
                if end > at:
                    yield from self._repeated(text, inner, end, max(0, low - 1), high - 1)
        if low == 0:
            yield at

    def _fits(self, kind: Any, value: Any, character: str) -> bool:
        key = (kind, id(value), character)  # the value lives as long as the tree
        if key not in self._known:
            self._known[key] = self._fits_at_all(kind, value, character)
        return self._known[key]

    def _fits_at_all(self, kind: Any, value: Any, character: str) -> bool:
        if self.flags & re.IGNORECASE and character.swapcase() != character:
            return self._is(kind, value, character.lower()) or self._is(
                kind, value, character.upper()
            )
        return self._is(kind, value, character)

    def _is(self, kind: Any, value: Any, character: str) -> bool:
        match kind:
            case sre.LITERAL:
                return ord(character) == value
            case sre.NOT_LITERAL:
                return ord(character) != value
            case sre.ANY:
                return character != "\n" or bool(self.flags & re.DOTALL)
            case sre.IN:
                return _in(value, character)
        raise NotImplementedError(str(kind))

    def _count(self) -> None:
        self.steps += 1
        if self.steps > ENOUGH:
            raise TooMany


def _in(items: list[Any], character: str) -> bool:
    wanted = True
    for kind, value in items:
        match kind:
            case sre.NEGATE:
                wanted = False
            case sre.LITERAL if ord(character) == value:
                return wanted
            case sre.RANGE if value[0] <= ord(character) <= value[1]:
                return wanted
            case sre.CATEGORY if _of_category(value, character):
                return wanted
    return not wanted


def _of_category(category: Any, character: str) -> bool:
    match category:
        case sre.CATEGORY_DIGIT:
            return character.isdigit()
        case sre.CATEGORY_NOT_DIGIT:
            return not character.isdigit()
        case sre.CATEGORY_SPACE:
            return character.isspace()
        case sre.CATEGORY_WORD:
            return _is_word(character)
        case sre.CATEGORY_NOT_WORD:
            return not _is_word(character)
    raise NotImplementedError(str(category))


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def attacks(pattern: str, flags: int = 0) -> Iterator[tuple[str, str]]:
    """The beginning that a text may have, and the part that it then repeats."""
    samples = list(dict.fromkeys(_samples(list(parser.parse(pattern, flags)))))
    pieces = sorted(filter(None, samples), key=len)
    pieces = list(dict.fromkeys([*pieces[:6], *pieces[-6:]]))
    yield from product(["", *pieces], pieces)
    yield from (("", one + other) for one, other in product(pieces, pieces))


def _samples(items: list[Any]) -> list[str]:
    """Texts that parts of the pattern fit: each item's own, and all of them up to each."""
    found, before = [], ""
    for kind, value in items:
        match kind:
            case sre.LITERAL:
                own = [chr(value)]
            case sre.NOT_LITERAL:
                own = ["x"]
            case sre.ANY:
                own = ["x", " "]
            case sre.IN:
                own = [one for one in '0 a.-\\;~"\x1b\t:=\u2028' if _in(value, one)][:3] or ["x"]
            case sre.MAX_REPEAT | sre.MIN_REPEAT | sre.POSSESSIVE_REPEAT:
                own = _samples(list(value[2]))
            case sre.SUBPATTERN:
                own = _samples(list(value[3]))
            case sre.BRANCH:
                own = [one for way in value[1] for one in _samples(list(way))[-1:]]
            case _:
                own = [""]
        found += own
        before += own[-1] if own else ""
        found.append(before)
    return found
