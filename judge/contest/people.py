"""Who plays: the names that programs report of themselves, and the authors of bots. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from judge.documents.game import Id, RecordedSeat, Text


class Speaker(msgspec.Struct, frozen=True):
    """The part of a recorded seat that says who plays."""

    name: Id
    author: Text = ""
    own_name: Text | UnsetType = UNSET


class _Speakers(msgspec.Struct, frozen=True):
    seats: tuple[Speaker, ...]


_DECODER = msgspec.json.Decoder(_Speakers)  # so no two threads prepare the type at once


class Person(NamedTuple):
    """A bot besides its file's name; texts are empty where nobody has said anything."""

    own_name: str = ""
    """The name that its program reports, where that is another."""
    author: str = ""

    @classmethod
    def of(cls, seat: RecordedSeat | Speaker) -> Person:
        """As the record of a game has it."""
        known = (seat.name, seat.name.partition("#")[0])
        own = seat.own_name if seat.own_name and seat.own_name not in known else ""
        return cls(own, seat.author)

    def or_else(self, before: Person) -> Person:
        """The same, and what was known before where this says nothing."""
        return Person(self.own_name or before.own_name, self.author or before.author)


def speakers(record: bytes) -> Iterator[Speaker]:
    """The players of a game by its record; nobody if the record cannot be read, which whoever shows
    the game says."""
    try:
        yield from _DECODER.decode(record).seats
    except (msgspec.DecodeError, UnicodeDecodeError):
        return
