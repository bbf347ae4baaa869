"""A match, as somebody sees it who steps through its games: the authors, and how it stands.

Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judge.contest.people import Person
from judge.contest.results import Counts
from judge.documents.game import GameRecord
from judge.show.text import WIDTH, Style, clean, cut, left, paint, wrap

_NAME = 24  # cells of a name
_NUMBER = 8


@dataclass(frozen=True, slots=True)
class Standing:
    """How a match stood after some games: the ``counts`` of each seat. ``seconds`` is how long all of it
    took, if that is known."""

    counts: Sequence[Counts]
    seconds: float | None = None


def authors(record: GameRecord, width: int = WIDTH) -> list[str]:
    """Who wrote the players, and what they call themselves, in a line; nothing of those that say
    nothing, or no more than their names."""
    said = [
        f"{cut(clean(seat.name), _NAME)}: {about}"
        for seat in record.seats
        if (about := in_words(Person.of(seat)))
    ]
    return wrap("; ".join(said), width=width) if said else []


def in_words(person: Person) -> str:
    """The name that a bot reports and its author, in a clause; empty if nobody says either."""
    calls = f"calls itself {clean(person.own_name)}" if person.own_name else ""
    by = f"by {clean(person.author)}" if person.author else ""
    return ", ".join(filter(None, (calls, by)))


def table(names: Sequence[str], standing: Standing, *, colour: bool = False) -> list[str]:
    """The games that each player has won, lost and tied, and the time."""
    header = f"{f'after {standing.counts[0].games:,}':{_NAME}}" + "".join(
        f"{word:>{_NUMBER}}" for word in ("wins", "losses", "ties")
    )
    lines = [paint(header, Style.DIM, colour)]
    for name, counts in zip(names, standing.counts, strict=True):
        score = (counts.won, counts.lost, counts.tied)
        lines.append(left(clean(name), _NAME) + "".join(f"{one:>{_NUMBER},}" for one in score))
    if standing.seconds is not None:
        seconds = round(standing.seconds)
        lines.append(f"The match took {seconds:,} second{'s' * (seconds != 1)}.")
    return lines
