"""The ids of a contest's games, and the meeting that each game belongs to. Pure.

Meetings of two bots are numbered from 1, in every format. The id of a game of two bots is
``ONE:OTHER:RULES:CONTEST:ROUND.PLACE``. A round is a pair of games with the same seeds, and
``PLACE`` is the seat, from 1, that moves first. In a match each game has a round of its own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import NamedTuple, Self

from judge.contest.formats.units import Meeting
from judge.documents.ledger import Plan


class GameId(NamedTuple):
    """The parts of an id: ``bots`` is ``ONE:OTHER``, ``contest_key`` is ``RULES:CONTEST``, and
    ``first`` is ``PLACE``."""

    bots: str
    contest_key: str
    round: int
    first: int

    @classmethod
    def read(cls, text: str) -> Self | None:
        """The parts of an id; None if it is not the id of a contest's game of two."""
        found = _ID.fullmatch(text)
        if found is None:
            return None
        bots, called, round_, place = found.groups()
        return cls(bots, called, int(round_), int(place))


class GamePlace(NamedTuple):
    """The place of a game among the games of two bots: its round, and the seat that moves first,
    from 0."""

    round: int
    first: int


def places_of(
    meeting: Meeting, bots: str, contest_key: str, plan: Plan, *, both: bool
) -> Iterator[GamePlace]:
    """The places of the games of a meeting. If ``both`` seats move at once, seat 0 is first in each
    game of a match. ``bots`` is the part of the id with the bots' names."""
    if plan.match == 1:
        swapped = _turned(bots, contest_key, plan)
        yield GamePlace((meeting.number + 1) // 2, (meeting.number + 1 + swapped) % 2)
        return
    before = (meeting.number - 1) * plan.match
    for game in range(plan.match):
        yield GamePlace(before + game + 1, 0 if both else game % 2)


def meeting_of(game: GameId, names: tuple[str, str], plan: Plan) -> Meeting:
    """The meeting of two bots that a game belongs to."""
    one, other = sorted(names)
    if plan.match > 1:
        return Meeting(one, other, (game.round - 1) // plan.match + 1)
    second = (game.first - 1) ^ _turned(game.bots, game.contest_key, plan)
    return Meeting(one, other, 2 * game.round - 1 + second)


def _turned(bots: str, contest_key: str, plan: Plan) -> int:
    """1 if the second of two bots moves first in their first meeting, else 0. It is 0 if the field,
    the set of bots, is not fixed. In a fixed field two bots may meet only once, so a hash of their
    names and the contest decides, and no name has an advantage."""
    from judge.contest.formats.registry import format_of  # imported here: a fight needs no formats

    if not format_of(plan).is_closed:
        return 0
    return hashlib.sha256(f"{bots}:{contest_key}".encode()).digest()[0] & 1


_ID = re.compile(r"\A([^:]*+:[^:]*+):([^:]*+:[^:]*+):([0-9]{1,9})\.([12])")
