"""The names that programs report of themselves, and the authors of bots. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from judge.documents.game import Id, RecordedSeat, Text


class Speaker(msgspec.Struct, frozen=True):
    """The fields of a recorded seat with its player's names and author."""

    name: Id
    author: Text = ""
    own_name: Text | UnsetType = UNSET


class _Speakers(msgspec.Struct, frozen=True):
    seats: tuple[Speaker, ...]


_DECODER = msgspec.json.Decoder(_Speakers)  # so no two threads prepare the type at once


class Person(NamedTuple):
    """A bot's own name and its author, each "" if unknown."""

    own_name: str = ""
    """The name that the bot's program reports, if it differs from the bot's name."""
    author: str = ""

    @classmethod
    def of(cls, seat: RecordedSeat | Speaker) -> Person:
        """The own name and the author in a seat of a game's record."""
        known = (seat.name, seat.name.partition("#")[0])
        own = seat.own_name if seat.own_name and seat.own_name not in known else ""
        return cls(own, seat.author)

    def or_else(self, before: Person) -> Person:
        """This person, with the texts of ``before`` in place of its empty texts."""
        return Person(self.own_name or before.own_name, self.author or before.author)


def speakers(record: bytes) -> Iterator[Speaker]:
    """The players in the bytes of a game's record; nothing if the bytes are not a readable record.
    No error is raised here: code that reads the whole record raises one."""
    try:
        yield from _DECODER.decode(record).seats
    except (msgspec.DecodeError, UnicodeDecodeError):
        return
