"""A strict JSON reader for bots' replies.

Python's own reader accepts NaN, a key that stands twice, and half a surrogate pair; hostile text
can make it raise unexpected errors or run very long. This reader raises `BadOutput` instead, with a
sentence that says what is wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, NoReturn

from judge.documents.game import shortened
from judge.errors import BadOutput

MOST_NESTED = 100
MOST_DIGITS = 1000

_WHITE = " \t\n\r"  # the white space of JSON
_SPACE = re.compile(f"[{_WHITE}]*")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def parse(data: bytes, *, last_counts: bool = False) -> Any:
    """The one JSON value in ``data``. Raises `BadOutput` for anything else.

    A key that stands twice is refused, unless ``last_counts``: then its last value counts.
    """
    text = _decoded(data)
    start = _space_ends(text, 0)
    if start == len(text):
        raise BadOutput("printed nothing but white space" if text else "printed nothing")
    if _nested_too_deep(text):
        raise BadOutput(f"the reply is nested more than {MOST_NESTED} levels deep")
    try:
        value, end = (_lax_decoder if last_counts else _decoder).raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise BadOutput(
            f"replied {quoted(text)}, which is not JSON: {error.msg.removesuffix(' at')} "
            f"at character {error.pos + 1}"
        ) from None
    rest = text[_space_ends(text, end) :]
    if rest:
        raise BadOutput(f"replied {quoted(text)}: after the JSON value comes {quoted(rest)}")
    if "\\u" in text:
        _refuse_half_surrogates(value)
    return value


def quoted(text: str, most: int = 80) -> str:
    """The beginning of a bot's text on one line, at most ``most`` characters, in back quotes."""
    shown = _printable(text.strip(_WHITE)[: most + 1])
    return f"`{shortened(shown, most)}`"


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def _decoded(data: bytes) -> str:
    if data.startswith(b"\xef\xbb\xbf"):
        raise BadOutput("the reply starts with a byte-order mark; print plain UTF-8")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadOutput(
            f"the reply is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}"
        ) from None


def _space_ends(text: str, start: int) -> int:
    match = _SPACE.match(text, start)
    assert match is not None, "the pattern matches the empty text"
    return match.end()


def _nested_too_deep(text: str) -> bool:
    """Whether brackets outside of strings nest deeper than `MOST_NESTED`. The text is read once."""
    if text.count("[") + text.count("{") <= MOST_NESTED:
        return False
    depth = 0
    in_string = escaped = False
    for character in text:
        if escaped:
            escaped = False
        elif in_string:
            escaped = character == "\\"
            in_string = character != '"'
        elif character == '"':
            in_string = True
        elif character in "[{":
            depth += 1
            if depth > MOST_NESTED:
                return True
        elif character in "]}":
            depth -= 1
    return False


def _integer(digits: str) -> int:
    _refuse_long(digits)
    return int(digits)


def _real(digits: str) -> float:
    _refuse_long(digits)
    return float(digits)


def _refuse_long(digits: str) -> None:
    if len(digits) > MOST_DIGITS:
        raise BadOutput(f"the reply holds a number of {len(digits)} digits")


def _refuse_constant(name: str) -> NoReturn:
    raise BadOutput(f"the reply holds {name}, which is not JSON")


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, item in pairs:
        if key in value:
            raise BadOutput(f"the reply holds the key {quoted(key)} twice")
        value[key] = item
    return value


def _refuse_half_surrogates(value: Any) -> None:
    match value:
        case str() if found := _SURROGATE.search(value):
            raise BadOutput(
                f"the reply holds half a surrogate pair, \\u{ord(found[0]):04x}, "
                "which is not a character"
            )
        case list():
            for item in value:
                _refuse_half_surrogates(item)
        case dict():
            for key, item in value.items():
                _refuse_half_surrogates(key)
                _refuse_half_surrogates(item)


_decoder = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_int=_integer,
    parse_float=_real,
    parse_constant=_refuse_constant,
)
_lax_decoder = json.JSONDecoder(
    parse_int=_integer, parse_float=_real, parse_constant=_refuse_constant
)
