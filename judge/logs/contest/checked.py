"""Checked access to the JSON of a log. A fault raises `RecordError`, which names its place."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from judge.documents.rules import Orientation, Ship
from judge.errors import RecordError
from judge.game.variants import CONTEST_DRAWS
from judge.wire.strict_json import quoted

T = TypeVar("T")

WAYS = {Orientation.HORIZONTAL: 72, Orientation.VERTICAL: 86}
_ORIENTATIONS = {number: way for way, number in WAYS.items()}

MOST = 10**9  # the greatest absolute value of any number in a log


@dataclass(frozen=True, slots=True)
class At:
    """A JSON object of a log. ``where`` is its place in words."""

    value: dict[str, Any]
    where: str

    def __contains__(self, key: str) -> bool:
        return key in self.value

    def integer(self, key: str) -> int:
        return whole(self._value(key), f"{self.where}: `{key}`")

    def count(self, key: str) -> int:
        """The whole number under a key. It must be at least 0."""
        value = self.integer(key)
        if value < 0:
            raise RecordError(f"{self.where}: `{key}` is below zero")
        return value

    def number(self, key: str) -> float:
        """The number under a key. It must be at least 0 and at most `MOST`."""
        value = self._value(key)
        if type(value) not in (int, float) or not 0 <= value <= MOST or math.isnan(value):
            raise RecordError(f"{self.where}: `{key}` is no number of seconds")
        return float(value)

    def text(self, key: str) -> str:
        value = self._value(key)
        if not isinstance(value, str):
            raise RecordError(f"{self.where}: `{key}` is not text")
        return value

    def inside(self, key: str) -> At:
        """The object under a key."""
        return at(self._value(key), f"{self.where}, {key}")

    def items(self, key: str) -> list[Any]:
        """The list under a key."""
        value = self._value(key)
        if not isinstance(value, list):
            raise RecordError(f"{self.where}: `{key}` is not a list")
        return value

    def objects(self, key: str, what: str) -> Iterator[At]:
        """The objects in the list under a key. ``what`` is the word for one object in a
        sentence."""
        for number, value in enumerate(self.items(key), 1):
            yield at(value, f"{self.where}, {what} {number}")

    def lists(self, key: str, what: str) -> Iterator[list[Any]]:
        """The lists in the list under a key. ``what`` is the word for one inner list in a
        sentence."""
        for number, value in enumerate(self.items(key), 1):
            if not isinstance(value, list):
                raise RecordError(f"{self.where}, {what} {number} is not a list")
            yield value

    def _value(self, key: str) -> Any:
        if key not in self.value:
            raise RecordError(f"{self.where}: there is no `{key}`")
        return self.value[key]


def at(value: Any, where: str) -> At:
    """A JSON object of a log. Raises `RecordError` if ``value`` is not an object."""
    if not isinstance(value, dict):
        raise RecordError(f"{where} is not a JSON object")
    return At(value, where)


def whole(value: Any, what: str) -> int:
    """``value`` as a whole number. Raises `RecordError` if the value is not a whole number, or if
    its absolute value is over `MOST`."""
    if type(value) is not int:
        raise RecordError(f"{what} is not a whole number")
    if abs(value) > MOST:
        raise RecordError(f"{what} is far too large")
    return value


def one_of(one: At, key: str, numbers: Collection[int], words: Mapping[str, int]) -> int:
    """The number under a key, or the number that ``words`` gives for the word under that key.
    Raises `RecordError` if it is not one of ``numbers``."""
    value = one.value.get(key)
    number = words.get(value) if isinstance(value, str) else value
    if type(number) is not int or number not in numbers:
        said = f"`{key}` is {quoted(repr(value))}" if key in one else f"there is no `{key}`"
        raise RecordError(f"{one.where}: {said}")
    return number


def both(one: At, seats: tuple[str, str], read: Callable[[At], T]) -> tuple[T, T]:
    """The two values that ``read`` makes from the objects under the seats' keys."""
    first, second = (read(one.inside(seat)) for seat in seats)
    return first, second


def side_of(log: At, key: str) -> int:
    """The side of the board, a number under a key. The contest must have boards of this side."""
    side = log.integer(key)
    if side not in CONTEST_DRAWS:
        raise RecordError(
            f"{log.where}: the board has {side} rows, where it has {min(CONTEST_DRAWS)} to "
            f"{max(CONTEST_DRAWS)} in the contest"
        )
    return side


def ship_at(*, row: int, column: int, length: int, way: int, where: str) -> Ship:
    """A ship. ``way`` is the contest's number for its direction."""
    if not 1 <= length <= max(CONTEST_DRAWS):
        raise RecordError(f"{where}: there is no ship of length {length}")
    if way not in _ORIENTATIONS:
        raise RecordError(f"{where}: {way} is not a direction")
    return Ship(length, column, row, _ORIENTATIONS[way])
