"""A strict reader for JSON in a stranger's file.

Python's own reader accepts NaN, takes the last of two values of one key, and fails at endless
nesting and at endless numbers. Here each of these faults is a ValueError with its own sentence.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NoReturn

MOST_VALUES = 2_000_000  # values of one game: 100,000 shots of six numbers and 100,000 incidents
MOST_OF_GAMES = (
    30_000_000  # values of many games in 64 MiB: their JSON has more than two bytes a value
)

_STRING = re.compile(r'"(?:[^"\\]++|\\.?)*+(?:"|\Z)', re.DOTALL)  # linear, also without an end


def parse(data: bytes | str, most: int = MOST_VALUES) -> Any:
    """The JSON value in ``data``. Raises ValueError with the reason if the text has one of these
    faults or is not JSON, or if it has more than ``most`` values. Keys of objects count as
    values."""
    try:
        text = data if isinstance(data, str) else data.decode()
        if _marks(text) > most and _marks(_STRING.sub("", text)) > most:
            raise _Refused(f"it has more than {most:,} values")
        return _decoder.decode(text)
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not text, from byte {error.start}") from None
    except json.JSONDecodeError as error:
        if error.doc.startswith("\N{BYTE ORDER MARK}"):
            raise ValueError("it begins with a byte-order mark; save it as plain UTF-8") from None
        raise ValueError(f"it is not JSON ({error})") from None
    except RecursionError:
        raise ValueError("it is nested without end") from None
    except ValueError as error:
        if isinstance(error, _Refused):
            raise
        raise ValueError("it holds a number of thousands of digits") from None  # int() said so


def _marks(text: str) -> int:
    """The number of signs that begin or separate values: at least the number of values, less
    one."""
    return sum(map(text.count, "[{,:"))


class _Refused(ValueError):
    """JSON that is ambiguous or not allowed here."""


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise _Refused(f"it has the key {twice[:80]!r} twice in one object")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise _Refused(f"it holds {name}, which is not JSON")


_decoder = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant)
