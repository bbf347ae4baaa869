"""One move of a recorded game, to be run again and compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from string import ascii_uppercase

from judge.documents.game import (
    FORFEITS,
    Evidence,
    GameRecord,
    Incident,
    RecordedSeat,
    Termination,
)
from judge.documents.rules import Fleet, Turn
from judge.errors import UsageError
from judge.game.events import Shot
from judge.game.steps import Step, steps
from judge.play.answers import apply, no_answer
from judge.wire import WIRES
from judge.wire.messages import Answer, AskFleet, AskShots, Placed, Question


@dataclass(frozen=True, slots=True)
class RecordedMove:
    """A move of a bot in a record. ``number`` is the number of its step in the game
    (`judge.game.steps`), or None for the placing. If all seats shoot at once, the moves of a round
    share a number.

    The result is one of ``fleet``, ``volley``, ``skipped`` and ``forfeit``. Only a forfeit has
    ``detail``, and ``evidence`` if the record has it.
    """

    number: int | None
    seat: int
    question: Question
    ms: float
    fleet: Fleet | None = None
    volley: tuple[Shot, ...] = ()
    skipped: bool = False
    forfeit: Termination | None = None
    detail: str = ""
    evidence: Evidence | None = None


def placing(record: GameRecord, seat: int) -> RecordedMove:
    """The placing of a seat, or its forfeit in the placing. Raises `UsageError` if the record has
    neither, or has no time for the placing, as when the judge places fleets."""
    place = record.seats[seat]
    lost = _forfeit(record, seat) if place.fleet is None else None
    if place.ms is None or (place.fleet is None and lost is None):
        raise UsageError(f"in game {record.id} {place.name} placed no fleet")
    move = RecordedMove(None, seat, AskFleet(), place.ms, fleet=place.fleet)
    return move if lost is None else _lost(record, move, lost)


def move(record: GameRecord, number: int, seat: int | None = None) -> RecordedMove:
    """The move with this number, from 1. ``seat`` is needed if several seats moved at once. Raises
    `UsageError` unless exactly one move is found."""
    found = [move for move in moves(record, number) if seat in (None, move.seat)]
    if len(found) == 1:
        return found[0]
    if found:
        sides = " or ".join(f"{number}{_side(recorded_move.seat)}" for recorded_move in found)
        raise UsageError(f"in move {number} of game {record.id} several shot at once: say {sides}")
    whose = "" if seat is None else f" of side {_side(seat)}"
    count = sum(bool(step.volleys or _run_of(step)) for step, _ in islice(steps(record), 1, None))
    there = f"has {count} moves" if count else "ended before its first move"
    raise UsageError(f"there is no move {number}{whose}: game {record.id} {there}")


def moves(record: GameRecord, number: int | None = None) -> Iterator[RecordedMove]:
    """The moves of a game in order, without the placing, or only those with this number. Each move
    has its question, with all that the player knew. Making a question takes longer the longer the
    game is, so one move is much quicker than all."""
    views: dict[int, AskShots] = {}
    for at, (step, game) in enumerate(steps(record)):
        for volley in step.volleys if at and number in (None, at) else ():
            yield RecordedMove(
                at,
                volley.seat,
                views[volley.seat],
                record.shots[volley.begin].ms,
                volley=tuple(game.shots[volley.begin : volley.end]),
            )
        for incident in step.incidents if at and number in (None, at) else ():
            if incident.seat not in views:  # a seat that left out of turn was asked nothing
                continue
            one = RecordedMove(at, incident.seat, views[incident.seat], 0.0)
            if incident.what == "skip":
                yield replace(one, skipped=True)
            elif incident.forfeit in _RUNS:
                yield _lost(record, one, incident)
        if number in (None, at + 1):
            views = {seat: AskShots(game.view(seat)) for seat in game.to_move}


def require_allowed(record: GameRecord, move: RecordedMove, answer: Answer) -> None:
    """Raise the `BotError` of an answer that the game would not have allowed instead of the
    move."""
    if move.number is None:  # a fleet does not depend on the other seats
        if not isinstance(answer, Placed):
            raise no_answer(answer, AskFleet())
        record.rules.check_fleet(answer.fleet)
        return
    *_, (_, game) = islice(steps(record), move.number)
    apply(game, [], move.seat, answer, move.question)


def can_be_run_again(seat: RecordedSeat) -> bool:
    """Whether a single move of this player can be run again: a program whose wire keeps no
    state."""
    wire = WIRES.get(seat.wire or "")
    return seat.digest is not None and wire is not None and not wire.keeps_state


def forfeiting(record: GameRecord, of_game: Iterable[Step]) -> Iterator[tuple[int, str]]:
    """The forfeits of a game that can be run again, each as the seat and the name of the move:
    ``3``, ``3B`` if all seats shoot at once, ``B`` in the placing. ``of_game`` are the game's
    steps."""
    at_once = record.rules.turn is Turn.BOTH
    for number, step in enumerate(of_game):
        for incident in step.incidents:
            if incident.forfeit in _RUNS and can_be_run_again(record.seats[incident.seat]):
                side = _side(incident.seat) if at_once or not number else ""
                yield incident.seat, f"{number or ''}{side}"


def _run_of(step: Step) -> bool:
    return any(incident.what == "skip" or incident.forfeit in _RUNS for incident in step.incidents)


def _side(seat: int) -> str:
    return ascii_uppercase[seat]


_RUNS = FORFEITS - {Termination.RESIGNED}


def _forfeit(record: GameRecord, seat: int) -> Incident | None:
    return next(
        (
            incident
            for incident in record.incidents
            if incident.seat == seat and incident.forfeit in _RUNS
        ),
        None,
    )


def _lost(record: GameRecord, move: RecordedMove, incident: Incident) -> RecordedMove:
    evidence = next(
        (evidence for evidence in record.evidence if evidence.seat == incident.seat), None
    )
    return RecordedMove(
        move.number,
        move.seat,
        move.question,
        evidence.answer_ms if evidence else move.ms,
        forfeit=incident.forfeit,
        detail=incident.detail or record.outcome.detail,
        evidence=evidence,
    )
