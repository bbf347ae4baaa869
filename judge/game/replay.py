"""Replay: the moves of a game record are played through the engine again, and the record is
compared with the result.

`replay` trusts neither the results of shots nor the outcome that a record holds.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from judge.documents.game import GameRecord, Incident, Termination
from judge.documents.rules import Cell, Placing
from judge.errors import IllegalFleet, IllegalMove, OutOfTurn, RecordError
from judge.game.events import Gone, Target
from judge.game.game import Game


def replay(record: GameRecord) -> Iterator[Game]:
    """Play a record through the engine again. Yield the game after the placing and then after each
    step, always as the same object.

    Raises `RecordError` if a move breaks the rules, or if the record contradicts the engine or
    itself: in a result, the outcome or the number of moves, for example.
    """
    try:
        yield from _replay(record)
    except (IllegalFleet, IllegalMove, OutOfTurn) as error:
        raise RecordError(f"game {record.id} breaks its rules: {error}") from None


def _replay(record: GameRecord) -> Iterator[Game]:
    for evidence in record.evidence:
        if evidence.seat >= len(record.seats):
            raise RecordError(
                f"game {record.id} has evidence of seat {evidence.seat}, which is not there"
            )
    game = Game(record.rules, len(record.seats), record.first)
    incidents = list(record.incidents)
    # If fleets are placed in turn, all seats fail only if nobody has joined: otherwise the last
    # seat would have won.
    all_failed = record.outcome.termination in (Termination.BOTH_FAILED, Termination.VOID)
    placing = record.rules.placing
    if placing is Placing.SHIP_BY_SHIP or (placing is Placing.IN_TURN and all_failed):
        incidents = _fail_together(game, record)
    while game.is_placing and not game.outcome:
        seat = game.to_move[0]
        fleet = record.seats[seat].fleet
        if fleet is not None:
            game.place(seat, fleet)
        elif incidents and incidents[0].at == 0:
            _do(game, incidents.pop(0))
        elif record.outcome.termination is Termination.ABORTED:
            game.abort("")
        else:
            raise RecordError(f"game {record.id}: seat {seat} has no fleet and no forfeit")
    yield game
    while not game.outcome:
        fired = len(game.shots)
        if incidents and incidents[0].at == fired:
            _do(game, incidents.pop(0))
        elif fired == len(record.shots) and record.outcome.termination is Termination.ABORTED:
            game.abort("")
        else:
            _shoot(game, record)
        yield game
    _compare(game, record, left=len(incidents))


def _fail_together(game: Game, record: GameRecord) -> list[Incident]:
    """Take out of the game, in one step, the seats that forfeited in the placing. Return the other
    incidents. The record does not say at which step each seat failed, which makes no difference."""
    gone: dict[int, Gone] = {}
    others = []
    for incident in record.incidents:
        seat = incident.seat
        is_of_placing = incident.at == 0 and incident.forfeit and seat not in gone
        if is_of_placing and seat < len(record.seats) and record.seats[seat].fleet is None:
            gone[seat] = Gone(seat, incident.forfeit)
        else:
            others.append(incident)
    if gone:
        game.forfeit_together(list(gone.values()))
    return others


def _do(game: Game, incident: Incident) -> None:
    match incident.what:
        case "skip":
            game.skip(incident.seat)
        case "leave" | "kick":
            game.leave(incident.seat)
        case "return":
            game.come_back(incident.seat)
        case "away" | "boot" | "back":
            pass  # its turn waited for it, so the position did not change
        case forfeit:
            game.forfeit(incident.seat, Termination(forfeit), "")


def _shoot(game: Game, record: GameRecord) -> None:
    """Let every seat that is up fire its volley from the next shots of the record."""
    at = len(game.shots)
    if not game.to_move:
        raise RecordError(f"game {record.id} stops while nobody is up")
    for seat in game.to_move:
        due = game.shots_due(seat)
        volley = record.shots[at : at + due]
        if not volley and any(
            incident.at == at and incident.seat != seat for incident in record.incidents
        ):
            game.shoot(seat, _unrecorded(game, seat, due))
            continue
        own = next((place for place, shot in enumerate(volley) if shot.seat != seat), len(volley))
        if not own:
            raise RecordError(f"game {record.id}: shot {at + 1} should be seat {seat}'s")
        if own < due:
            raise RecordError(
                f"game {record.id}: from shot {at + 1} on seat {seat} should fire a volley of {due} "
                f"shots, and fires {own}"
            )
        game.shoot(seat, [Target(shot.target, shot.cell) for shot in volley])
        at += due


def _unrecorded(game: Game, seat: int, due: int) -> list[Target]:
    """Targets for a volley that is not in the record because a forfeit in the same round made it
    void."""
    shot_at = {(shot.target, shot.cell) for shot in game.shots}
    targets = [
        Target(target, Cell(column, row))
        for target in range(game.players)
        if target != seat and game.fleet(target) is not None
        for column in range(game.rules.columns)
        for row in range(game.rules.rows)
    ]
    # Fresh cells come first, since a repeat may not be allowed.
    return sorted(targets, key=lambda target: (target.seat, target.cell) in shot_at)[:due]


def _compare(game: Game, record: GameRecord, left: int) -> None:
    assert game.outcome is not None
    written = record.shots
    for number, (found, said) in enumerate(zip(game.shots, written, strict=False), 1):
        if found.result != said.result:
            raise RecordError(
                f"game {record.id}: shot {number} is recorded as {said.result.name.lower()}, "
                f"but is a {found.result.name.lower()}"
            )
    if left or len(written) != len(game.shots):
        raise RecordError(f"game {record.id} goes on after its end, shot {len(game.shots)}")
    # The engine does not judge the wording of the detail: the record's words stand.
    told = record.outcome
    game.outcome = replace(game.outcome, detail=told.detail, evidence=told.evidence)
    if game.outcome != told:
        raise RecordError(f"game {record.id}: the recorded outcome is not that of its moves")
    if record.rated and not told.termination.is_rated:
        raise RecordError(f"game {record.id} is rated, and a game that ended so counts for nobody")
