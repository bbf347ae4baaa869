"""Games whose shots are not kept: a record without them, and what can still be judged of it."""

from __future__ import annotations

from dataclasses import replace

from judge.documents.rules import Goal, Turn
from judge.errors import IllegalFleet, RecordError
from judge.game.events import Result
from judge.game.outcome import FORFEITS, Outcome, Termination
from judge.game.record import Figures, GameRecord
from judge.game.steps import volleys_of


def without_shots(record: GameRecord) -> GameRecord:
    """The record of a game with the figures of each seat in place of its shots."""
    return replace(record, shots=(), figures=figures_of(record))


def figures_of(record: GameRecord) -> tuple[Figures, ...]:
    """The figures of each seat of a sound record."""
    if record.figures is not None:
        return record.figures
    counts = [[0] * 4 for _ in record.seats]
    for one in record.shots:
        own, result = counts[one.shot.seat], one.shot.result
        own[0] += 1
        own[1] += result is Result.HIT or result is Result.SUNK
        own[2] += result is Result.REPEAT
        own[3] += result is Result.SUNK
    volleys = [own[0] for own in counts]
    if record.rules.turn is Turn.SALVO:
        volleys = [0] * len(record.seats)
        for volley in volleys_of(record):
            volleys[volley.seat] += 1
    return tuple(
        Figures(shots, fired, hits, repeats, sunk)
        for (shots, hits, repeats, sunk), fired in zip(counts, volleys, strict=True)
    )


def check(record: GameRecord) -> None:
    """Judge a record without shots as far as that can be done; raises `RecordError` where its
    result cannot be that of its figures."""
    if problem := _problem(record):
        raise RecordError(f"game {record.id}: {problem}")


def _problem(record: GameRecord) -> str | None:
    rules, outcome, figures = record.rules, record.outcome, record.figures
    if figures is None or record.shots or len(figures) != len(record.seats) or len(figures) != 2:
        return "it has neither shots nor the figures of both seats"
    for number, seat in enumerate(record.seats):
        try:
            if seat.fleet is not None:
                rules.check_fleet(seat.fleet)
        except IllegalFleet as error:
            return f"the fleet of seat {number} is illegal: {error}"
        own, target = figures[number], record.seats[1 - number].fleet or ()
        fits = own.sunk <= len(target) and own.hits <= sum(ship.length for ship in target)
        if not (fits and own.sunk <= own.hits and own.hits + own.repeats <= own.shots):
            return f"the figures of seat {number} are those of no game"
    if outcome.winner is not None and outcome.loser != 1 - outcome.winner:
        return "the loser is not the other seat than the winner"
    return _wrong_end(record, outcome)


def _wrong_end(record: GameRecord, outcome: Outcome) -> str | None:
    assert record.figures is not None, "it has been looked at"
    lost = {one.seat for one in record.asides if one.what in FORFEITS}
    afloat = [
        len(record.seats[1 - seat].fleet or ()) - own.sunk
        for seat, own in enumerate(record.figures)
    ][::-1]
    how, winner = outcome.termination, outcome.winner
    fits = True
    match how:
        case Termination.FLEET_DESTROYED:
            alive = [seat for seat, ships in enumerate(afloat) if ships]
            fits = not lost and alive == ([] if winner is None else [winner])
        case Termination.ROUND_LIMIT if record.rules.goal is Goal.FLEET:
            best = [seat for seat, ships in enumerate(afloat) if ships == max(afloat)]
            told = None if len(best) == 2 else best[0]
            fits = not lost and all(afloat) and outcome.scores == tuple(afloat) and winner == told
        case Termination.BOTH_FAILED | Termination.VOID:
            fits = winner is None and lost == {0, 1}
        case _ if how.is_forfeit:
            fits = winner is not None and lost == {1 - winner}
    if not fits:
        return f"by its figures it did not end by {how}, or not so"
    return None
