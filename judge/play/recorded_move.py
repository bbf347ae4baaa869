"""One move of a recorded game: what its player was asked, what came of it, and what comes of it
when it is asked again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from judge.errors import UsageError
from judge.game.events import Shot
from judge.game.evidence import Evidence
from judge.game.outcome import FORFEITS, Termination
from judge.game.record import Aside, GameRecord
from judge.game.replay import replay
from judge.game.rules import Fleet
from judge.wire.messages import AskFleet, AskShots, Question


@dataclass(frozen=True, slots=True)
class RecordedMove:
    """A run of a bot. ``number`` is that of its shot, or one more than the last shot's where it
    forfeited; None where it placed its fleet. What came of it is one of ``fleet``, ``shot`` and
    ``forfeit``; ``detail`` and ``evidence`` are those of a forfeit."""

    number: int | None
    seat: int
    question: Question
    ms: float
    fleet: Fleet | None = None
    shot: Shot | None = None
    forfeit: Termination | None = None
    detail: str = ""
    evidence: Evidence | None = None


def placing(record: GameRecord, seat: int) -> RecordedMove:
    """How a seat placed its fleet, or failed to; raises `UsageError` if it did not do it."""
    place = record.seats[seat]
    lost = _forfeit(record, seat) if place.fleet is None else None
    if place.ms is None or (place.fleet is None and lost is None):
        raise UsageError(f"in game {record.id} {place.name} placed no fleet")
    move = RecordedMove(None, seat, AskFleet(), place.ms, fleet=place.fleet)
    return move if lost is None else _lost(record, move, lost)


def move(record: GameRecord, number: int) -> RecordedMove:
    """The move of that number, from 1; raises `UsageError` if there is none."""
    if (found := next(moves(record, number), None)) is not None:
        return found
    lost = (one for one in record.asides if one.what in _RUNS and record.seats[one.seat].fleet)
    count = len(record.shots) + sum(1 for _ in lost)
    there = f"has {count} moves" if count else "ended before its first move"
    raise UsageError(f"there is no move {number}: game {record.id} {there}")


def moves(record: GameRecord, number: int | None = None) -> Iterator[RecordedMove]:
    """All but the placing, in order, or the one of that number; each with what its player knew
    before it. To work that out takes as long as the game was by then, so all of them take the
    square of that, and one does not."""
    views: dict[int, AskShots] = {}
    fired = 0
    for game in replay(record):
        for one in record.shots[fired : len(game.shots)]:
            fired += 1
            if number in (None, fired):
                yield RecordedMove(
                    fired, one.shot.seat, views[one.shot.seat], one.ms, shot=one.shot
                )
        # Whoever is up again before all have answered still knows what they knew.
        reached = fired + sum(map(game.shots_due, game.to_move))
        if number is None or min(number, len(record.shots)) <= reached:
            views |= {seat: AskShots(game.view(seat)) for seat in game.to_move}
    for aside in record.asides:
        if aside.what in _RUNS and aside.seat in views:
            fired += 1
            if number in (None, fired):
                yield _lost(record, RecordedMove(fired, aside.seat, views[aside.seat], 0.0), aside)


_RUNS = FORFEITS - {Termination.RESIGNED}


def _forfeit(record: GameRecord, seat: int) -> Aside | None:
    return next((one for one in record.asides if one.seat == seat and one.what in _RUNS), None)


def _lost(record: GameRecord, move: RecordedMove, aside: Aside) -> RecordedMove:
    evidence = next((one for one in record.evidence if one.seat == aside.seat), None)
    return RecordedMove(
        move.number,
        move.seat,
        move.question,
        evidence.wall_ms if evidence else move.ms,
        forfeit=Termination(aside.what),
        detail=record.outcome.detail,
        evidence=evidence,
    )
