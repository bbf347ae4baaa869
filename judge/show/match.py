"""The lines on a match for a person who steps through its games: the authors, and the results so
far. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judge.contest.people import Person
from judge.documents.game import GameRecord
from judge.documents.ledger import Counts
from judge.show.text import WIDTH, Style, clean, cut, left, paint, wrap

_NAME = 24  # cells of a name
_NUMBER = 8
_LONGEST = 64  # cells of a text in which a bot speaks of itself


@dataclass(frozen=True, slots=True)
class Standing:
    """The ``counts`` of each seat's results after some games of a match. ``seconds`` is the time of
    the whole match, if known."""

    counts: Sequence[Counts]
    seconds: float | None = None


def authors(record: GameRecord, width: int = WIDTH) -> list[str]:
    """The lines on the bots' own names and authors, without the bots that have neither."""
    said = [
        f"{cut(clean(seat.name), _NAME)}: {about}"
        for seat in record.seats
        if (about := in_words(Person.of(seat)))
    ]
    return wrap("; ".join(said), width=width) if said else []


def in_words(person: Person) -> str:
    """A bot's own name and its author, in a clause; empty if both are unknown."""
    own = f"“{cut(clean(person.own_name), _LONGEST)}”" if person.own_name else ""
    by = f"by {cut(clean(person.author), _LONGEST)}" if person.author else ""
    return ", ".join(filter(None, (own, by)))


def table(names: Sequence[str], standing: Standing, *, colour: bool = False) -> list[str]:
    """The table of games that each player has won, lost and tied, and a line on the time."""
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
