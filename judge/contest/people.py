"""Who plays: the names that programs report of themselves, and the authors of bots. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from judge.documents.game import GameRecord, RecordedSeat
from judge.process.bots.bot import Bot


class Person(NamedTuple):
    """A bot besides its file's name; texts are empty where nobody has said anything."""

    own_name: str = ""
    """The name that its program reports, where that is another."""
    author: str = ""

    @classmethod
    def of(cls, seat: RecordedSeat) -> Person:
        """As the record of a game has it."""
        known = (seat.name, seat.name.partition("#")[0])
        own = seat.own_name if seat.own_name and seat.own_name not in known else ""
        return cls(own, seat.author)


class People:
    """The bots of a contest, as their manifests describe them or as they describe themselves."""

    def __init__(self, bots: Iterable[Bot] = ()) -> None:
        self.known = {bot.name: Person(author=bot.author) for bot in bots}

    def hear(self, record: GameRecord) -> None:
        """Take what the players of a game said; the latest game counts."""
        for seat in record.seats:
            said, before = Person.of(seat), self.known.get(seat.name, Person())
            self.known[seat.name] = Person(
                said.own_name or before.own_name, said.author or before.author
            )
