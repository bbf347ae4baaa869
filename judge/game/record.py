"""A game written down: its JSON form, and the replay that judges it again.

Pure. A record holds what the players did, not what followed: the results of shots and the
outcome are there for the reader, and `replay` trusts neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from judge import schemas
from judge.errors import IllegalFleet, IllegalMove, OutOfTurn, RecordError, UsageError
from judge.game.events import Outcome, Result, Shot, Target, Termination
from judge.game.game import Game
from judge.game.rules import Cell, Fleet, Orientation, Rules, Ship

VERSION = 1


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the run of the program that lost the game looked like. Times in milliseconds,
    memory in KiB (None where it was below the judge's own and cannot be told)."""

    seat: int
    argv: tuple[str, ...]
    stdout: str
    stderr: str
    exit: int | None
    signal: str | None
    wall_ms: float
    cpu_ms: float | None
    peak_kib: int | None


@dataclass(frozen=True, slots=True)
class RecordedSeat:
    """A player: name, digest of its files (None if it has none), its seed, its fleet (None if
    never legal), and the milliseconds that placing took."""

    name: str
    digest: str | None
    seed: int
    fleet: Fleet | None
    ms: float | None


@dataclass(frozen=True, slots=True)
class RecordedShot:
    shot: Shot
    ms: float


@dataclass(frozen=True, slots=True)
class Aside:
    """What happened besides shots: after ``at`` shots, a seat skipped (``what`` is ``skip``),
    left (``leave``), came back (``return``) or forfeited (the termination)."""

    at: int
    seat: int
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits on each move that were in force."""

    timeout_ms: int = 2000
    memory_bytes: int = 256 * 2**20
    output_bytes: int = 64 * 2**10


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord:
    """One game, whole. ``started`` and ``finished`` are UTC, as ISO 8601."""

    id: str
    rules: Rules
    dialect: str | None
    seed: int
    first: int
    launch: str
    isolation: str
    enforcement: tuple[str, ...] = ()
    limits: Limits
    seats: tuple[RecordedSeat, ...]
    shots: tuple[RecordedShot, ...]
    asides: tuple[Aside, ...]
    outcome: Outcome
    evidence: tuple[Evidence, ...]
    started: str
    finished: str

    def to_json(self) -> dict[str, Any]:
        """The ``game-record`` document."""
        return {
            "version": VERSION,
            "id": self.id,
            "rules": self.rules.to_json(),
            "dialect": self.dialect,
            "seed": self.seed,
            "first": self.first,
            "launch": self.launch,
            "isolation": self.isolation,
            "enforcement": list(self.enforcement),
            "limits": asdict(self.limits),
            "seats": [_seat_to_json(seat) for seat in self.seats],
            "shots": [
                [s.seat, s.target, s.cell.column, s.cell.row, int(s.result), one.ms]
                for one in self.shots
                for s in (one.shot,)
            ],
            "asides": [[aside.at, aside.seat, aside.what] for aside in self.asides],
            "outcome": {
                "winner": self.outcome.winner,
                "loser": self.outcome.loser,
                "termination": self.outcome.termination,
                "detail": self.outcome.detail,
                "evidence": [_evidence_to_json(one) for one in self.evidence] or None,
                "scores": None if self.outcome.scores is None else list(self.outcome.scores),
            },
            "started": self.started,
            "finished": self.finished,
        }

    @classmethod
    def from_json(cls, document: Any) -> GameRecord:
        """Read a ``game-record`` document; raises `RecordError` if it is none.

        The shape is checked here, the game itself by `replay`.
        """
        version = document.get("version") if isinstance(document, dict) else None
        if type(version) is int and version != VERSION:
            raise RecordError(
                f"a game record of version {version}, where this judge reads version {VERSION}"
            )
        if problem := schemas.problem("game-record", document):
            raise RecordError(f"not a game record: {problem}")
        try:
            rules = Rules.from_json(document["rules"])
        except UsageError as error:
            raise RecordError(str(error)) from None
        outcome = document["outcome"]
        return cls(
            id=document["id"],
            rules=rules,
            dialect=document["dialect"],
            seed=document["seed"],
            first=document["first"],
            launch=document["launch"],
            isolation=document["isolation"],
            enforcement=tuple(document["enforcement"]),
            limits=Limits(**document["limits"]),
            seats=tuple(_seat_from_json(seat) for seat in document["seats"]),
            shots=tuple(_shots_from_json(document["shots"], document["seats"])),
            asides=tuple(Aside(*aside) for aside in document["asides"]),
            outcome=Outcome(
                winner=outcome["winner"],
                loser=outcome["loser"],
                termination=Termination(outcome["termination"]),
                detail=outcome["detail"],
                scores=None if outcome["scores"] is None else tuple(outcome["scores"]),
            ),
            evidence=tuple(
                Evidence(**{**one, "argv": tuple(one["argv"])}) for one in outcome["evidence"] or ()
            ),
            started=document["started"],
            finished=document["finished"],
        )


def replay(record: GameRecord) -> Iterator[Game]:
    """Play a record through the engine again, and yield the game, one and the same object,
    after the fleets are placed and then whenever it has moved.

    Raises `RecordError` at the first thing that breaks the rules, that differs from what the
    engine finds, or that is missing at the end.
    """
    try:
        yield from _replay(record)
    except (IllegalFleet, IllegalMove, OutOfTurn) as error:
        raise RecordError(f"game {record.id} breaks its rules: {error}") from None


def _replay(record: GameRecord) -> Iterator[Game]:
    game = Game(record.rules, len(record.seats), record.first)
    asides = list(record.asides)
    while game.is_placing and not game.outcome:
        seat = game.to_move[0]
        fleet = record.seats[seat].fleet
        if fleet is not None:
            game.place(seat, fleet)
        elif asides and asides[0].at == 0:
            _do(game, asides.pop(0))
        else:
            raise RecordError(f"game {record.id}: seat {seat} has no fleet and no forfeit")
    yield game
    while not game.outcome:
        fired = len(game.shots)
        if asides and asides[0].at == fired:
            _do(game, asides.pop(0))
        else:
            _shoot(game, record)
        yield game
    _compare(game, record, left=len(asides))


def _do(game: Game, aside: Aside) -> None:
    match aside.what:
        case "skip":
            game.skip(aside.seat)
        case "leave":
            game.leave(aside.seat)
        case "return":
            game.come_back(aside.seat)
        case forfeit:
            game.forfeit(aside.seat, Termination(forfeit), "")


def _shoot(game: Game, record: GameRecord) -> None:
    """Let every seat that is up fire its share of the next shots."""
    at = len(game.shots)
    if not game.to_move:
        raise RecordError(f"game {record.id} stops while nobody is up")
    for seat in game.to_move:
        due = game.shots_due(seat)
        volley = [one.shot for one in record.shots[at : at + due]]
        if not volley and any(aside.at == at and aside.seat != seat for aside in record.asides):
            game.shoot(seat, _unrecorded(game, seat, due))
            continue
        if len(volley) < due or any(shot.seat != seat for shot in volley):
            raise RecordError(f"game {record.id}: shot {at + 1} should be seat {seat}'s")
        game.shoot(seat, [Target(shot.target, shot.cell) for shot in volley])
        at += due


def _unrecorded(game: Game, seat: int, due: int) -> list[Target]:
    """Stand in for a volley that is not recorded, for a forfeit in its round made it void."""
    shot_at = {(shot.target, shot.cell) for shot in game.shots}
    targets = [
        Target(target, Cell(column, row))
        for target in range(game.players)
        if target != seat and game.fleet(target) is not None
        for column in range(game.rules.columns)
        for row in range(game.rules.rows)
    ]
    # Fresh cells first, for where a repeat is not allowed.
    return sorted(targets, key=lambda target: (target.seat, target.cell) in shot_at)[:due]


def _compare(game: Game, record: GameRecord, left: int) -> None:
    assert game.outcome is not None
    written = [one.shot for one in record.shots]
    for number, (found, said) in enumerate(zip(game.shots, written, strict=False), 1):
        if found.result != said.result:
            raise RecordError(
                f"game {record.id}: shot {number} is recorded as {said.result.name.lower()}, "
                f"but is a {found.result.name.lower()}"
            )
    if left or len(written) != len(game.shots):
        raise RecordError(f"game {record.id} goes on after its end, shot {len(game.shots)}")
    # How the detail is worded is not for the engine to judge: the record's words stand.
    game.outcome = replace(game.outcome, detail=record.outcome.detail)
    if game.outcome != record.outcome:
        raise RecordError(f"game {record.id}: the recorded outcome is not that of its moves")


def fleet_to_json(fleet: Fleet) -> list[dict[str, Any]]:
    return [asdict(ship) for ship in fleet]


def fleet_from_json(document: Iterable[Mapping[str, Any]]) -> Fleet:
    return tuple(
        Ship(ship["length"], ship["column"], ship["row"], Orientation(ship["orientation"]))
        for ship in document
    )


def _seat_to_json(seat: RecordedSeat) -> dict[str, Any]:
    return {
        "name": seat.name,
        "digest": seat.digest,
        "seed": seat.seed,
        "fleet": None if seat.fleet is None else fleet_to_json(seat.fleet),
        "ms": seat.ms,
    }


def _seat_from_json(seat: Mapping[str, Any]) -> RecordedSeat:
    fleet = None if seat["fleet"] is None else fleet_from_json(seat["fleet"])
    return RecordedSeat(seat["name"], seat["digest"], seat["seed"], fleet, seat["ms"])


def _evidence_to_json(evidence: Evidence) -> dict[str, Any]:
    return {**asdict(evidence), "argv": list(evidence.argv)}


def _shots_from_json(
    shots: Iterable[list[Any]], seats: Iterable[Mapping[str, Any]]
) -> Iterator[RecordedShot]:
    """The shots, with the length of a ship sunk looked up in the fleets of the seats."""
    fleets = [fleet_from_json(seat["fleet"] or ()) for seat in seats]
    for seat, target, column, row, result, ms in shots:
        cell = Cell(column, row)
        sunk = None
        if result == Result.SUNK and target < len(fleets):
            sunk = next((ship.length for ship in fleets[target] if cell in ship.cells), None)
        shot = Shot(seat, target, cell, Result(result), sunk, result == Result.REPEAT)
        yield RecordedShot(shot, ms)
