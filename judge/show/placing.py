"""The steps before the first shot of a recorded game, if fleets are placed ship by ship.

Pure. The numbers of the steps rise to 0, the position before the first shot: at step -2, two ships
of each player are still to be placed. A record has the ships in the order of their placing.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge.documents.game import GameRecord
from judge.documents.rules import Placing
from judge.show.board import Rulers, TitledBoard, placing
from judge.show.text import clean, cut, left

_NAME = 18  # cells of a name


def first_step(record: GameRecord) -> int:
    """The number of the step before any ship is placed; 0 if fleets are not placed ship by ship, or
    if a seat has no fleet."""
    fleets = [seat.fleet for seat in record.seats]
    if record.rules.placing is not Placing.SHIP_BY_SHIP or None in fleets:
        return 0
    return -len(record.rules.lengths)


def boards(record: GameRecord, step: int, *, seat: int | None) -> list[TitledBoard]:
    """All boards at a step below 0, with only the fleet of ``seat``, or with all fleets if ``seat``
    is None."""
    count = step - first_step(record)
    fleets = [
        (one.fleet or ())[:count] if seat in (None, number) else None
        for number, one in enumerate(record.seats)
    ]
    return placing([seat.name for seat in record.seats], fleets)


def said(record: GameRecord, step: int, *, seat: int | None) -> Iterator[str]:
    """A line for each ship that ``seat`` placed in a step; with None, that any seat placed."""
    count = step - first_step(record)
    if count <= 0:
        return
    width = min(_NAME, max(len(seat.name) for seat in record.seats))
    for number, one in enumerate(record.seats):
        if seat in (None, number) and one.fleet:
            ship = one.fleet[count - 1]
            where = Rulers.of_players(record.rules).cell(ship.cells[0])
            name = left(cut(clean(one.name), _NAME), width)
            yield f"ship {count}  {name}  {ship.length} at {where}, {ship.orientation}"
