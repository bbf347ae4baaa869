"""How the games of a contest are called, and which meeting of two bots each of them is. Pure.

Two bots have the same games in every format: their first meeting, their second and so on. An id is
``ONE:OTHER:RULES:CONTEST:ROUND.PLACE``. In a round the two play a pair of games with the same
seeds, and ``PLACE`` is the seat, from 1, that moves first. A match has rounds of its own, a game
each.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import NamedTuple, Self

from judge.contest.formats.units import Meeting
from judge.documents.ledger import Plan


class GameId(NamedTuple):
    """An id, taken apart. ``contest_key`` is ``RULES:CONTEST``."""

    bots: str
    contest_key: str
    round: int
    first: int

    @classmethod
    def read(cls, text: str) -> Self | None:
        """None for the id of a game that is of no contest."""
        found = _ID.fullmatch(text)
        if found is None:
            return None
        bots, called, round_, place = found.groups()
        return cls(bots, called, int(round_), int(place))


class GamePlace(NamedTuple):
    """The place of a game among those of two bots: its round, and the seat that moves first in it."""

    round: int
    first: int


def places_of(
    meeting: Meeting, bots: str, contest_key: str, plan: Plan, *, both: bool
) -> Iterator[GamePlace]:
    """The round and the first seat of each game of a meeting. If ``both`` move at once, seat 0 is
    first in each. ``bots`` are those of the id."""
    if plan.match == 1:
        swapped = _turned(bots, contest_key, plan)
        yield GamePlace((meeting.number + 1) // 2, (meeting.number + 1 + swapped) % 2)
        return
    before = (meeting.number - 1) * plan.match
    for game in range(plan.match):
        yield GamePlace(before + game + 1, 0 if both else game % 2)


def meeting_of(game: GameId, names: tuple[str, str], plan: Plan) -> Meeting:
    """Which meeting of the two bots a game is, or belongs to."""
    one, other = sorted(names)
    if plan.match > 1:
        return Meeting(one, other, (game.round - 1) // plan.match + 1)
    second = (game.first - 1) ^ _turned(game.bots, game.contest_key, plan)
    return Meeting(one, other, 2 * game.round - 1 + second)


def _turned(bots: str, contest_key: str, plan: Plan) -> int:
    """Whether the other of two bots is first when they meet for the first time. If pairs may meet
    once, that is drawn, so that no name has it better."""
    from judge.contest.formats.registry import format_of  # imported here: a fight needs no formats

    if not format_of(plan).is_closed:
        return 0
    return hashlib.sha256(f"{bots}:{contest_key}".encode()).digest()[0] & 1


_ID = re.compile(r"\A([^:]*+:[^:]*+):([^:]*+:[^:]*+):([0-9]{1,9})\.([12])")
