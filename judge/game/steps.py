"""The steps of a recorded game: volleys and incidents. A volley is all shots of one answer.

A record does not mark where volleys end. In a salvo game, the number of shots due tells it: a seat
that is up twice in a row, as when the others skip, fires two volleys. In any other game each shot
is a volley.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from judge.documents.game import GameRecord, Incident, Result
from judge.documents.rules import Fleet, Rules, Turn
from judge.game.events import AnyShot
from judge.game.game import Game
from judge.game.replay import replay


class Volley(NamedTuple):
    """The shots of one answer of a seat: those with the numbers from ``begin`` up to, but not
    including, ``end``. All shots of the game are counted from 0."""

    seat: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Step:
    """The effect of one answer: a volley or an incident. If all seats shoot at once, a step is the
    effect of a whole round. ``fired`` is the number of shots in the game after the step."""

    volleys: tuple[Volley, ...]
    incidents: tuple[Incident, ...]
    fired: int

    @property
    def begin(self) -> int:
        """The number of shots in the game before this step."""
        return self.volleys[0].begin if self.volleys else self.fired


def steps(record: GameRecord) -> Iterator[tuple[Step, Game]]:
    """Yield the steps of a game, each with the game after the step; the game is always the same
    object. The first step is the placing, with the incidents of seats that placed no fleet.

    Raises `RecordError` as `replay` does.
    """
    incidents = list(record.incidents)
    placing = []
    while incidents and incidents[0].at == 0 and record.seats[incidents[0].seat].fleet is None:
        placing.append(incidents.pop(0))
    before = None
    for game in replay(record):
        fired = len(game.shots)
        if before is None:
            yield Step((), tuple(placing), fired), game
        elif incidents and incidents[0].at == before:
            yield Step(tuple(_by_seat(game, before)), (incidents.pop(0),), fired), game
        else:
            yield Step(tuple(_by_seat(game, before)), (), fired), game
        before = fired


def _by_seat(game: Game, begin: int) -> Iterator[Volley]:
    """The volleys of the step that begins with shot number ``begin``. No seat answers twice in a
    step."""
    for seat, shots in groupby(game.shots[begin:], lambda shot: shot.seat):
        end = begin + len(list(shots))
        yield Volley(seat, begin, end)
        begin = end


def volleys(
    rules: Rules, fleets: Sequence[Fleet | None], shots: Iterable[AnyShot]
) -> Iterator[Volley]:
    """The volleys of a game, without a replay. ``fleets`` has None for a seat that placed no fleet.
    The shots must keep the rules and have the right results, from which the number of shots due is
    worked out."""
    afloat = [list(rules.lengths) if fleet else [] for fleet in fleets]
    lengths = [
        {cell: ship.length for ship in fleet or () for cell in ship.cells} for fleet in fleets
    ]
    cells = rules.columns * rules.rows
    fresh = [cells if fleet else 0 for fleet in fleets]
    begin, left, up = 0, 0, -1
    for number, shot in enumerate(shots):
        if not left:
            begin, up = number, shot.seat
            others = sum(fresh) - fresh[up]
            left = rules.volley(afloat[up], others) if rules.turn is Turn.SALVO else 1
        if shot.result is not Result.REPEAT:
            fresh[shot.target] -= 1
        sunk = lengths[shot.target].get(shot.cell) if shot.result is Result.SUNK else None
        if sunk is not None:
            afloat[shot.target].remove(sunk)
        left -= 1
        if not left:
            yield Volley(up, begin, number + 1)


def volleys_of(record: GameRecord) -> Iterator[Volley]:
    """The volleys of a record, without a replay. The record must be one that `replay` accepts."""
    return volleys(record.rules, [seat.fleet for seat in record.seats], record.shots)
