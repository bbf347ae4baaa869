"""The game record, the document of one game, and its JSON form.

`judge.game.replay` judges a record again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from judge import schemas
from judge.documents.codec import DocumentError, builtins, convert
from judge.documents.game import Evidence, Limits, Outcome, Termination
from judge.documents.rules import Cell, Fleet, Rules, Ship
from judge.errors import RecordError
from judge.game.events import Result, Shot

VERSION = 1

MOST_SHOTS = 100_000  # of a game: so say the schemas
MOST_MS = 10**12  # of a shot: so say the schemas


@dataclass(frozen=True, slots=True)
class RecordedSeat:
    """A player: name, digest of its files (None if it has none), its seed, its fleet (None if
    never legal), and the milliseconds that placing took.

    ``data_digest`` is that of the data which a learning player brought along. ``wire``,
    ``dialect`` and ``launch`` are None for a player that is no program. ``own_name`` is what it
    says that it is called, None where it says nothing; ``author`` is as it says, or as its
    manifest has it.
    """

    name: str
    digest: str | None
    seed: int
    fleet: Fleet | None
    ms: float | None
    author: str = ""
    data_digest: str | None = None
    wire: str | None = None
    dialect: str | None = None
    launch: str | None = None
    own_name: str | None = None
    placed: Fleet = ()  # ships that were placed one by one, if the game ended before all were


@dataclass(frozen=True, slots=True)
class RecordedShot:
    shot: Shot
    ms: float


@dataclass(frozen=True, slots=True)
class Aside:
    """What happened besides shots: after ``at`` shots, a seat skipped (``what`` is ``skip``),
    left (``leave``), was removed by the host (``kick``), came back (``return``) or forfeited (the
    termination); or, where its turn waits for it meanwhile, was gone (``away``), was sent away by
    the host (``boot``) and was ``back``. ``detail`` is the sentence on a forfeit in a game of more
    than two seats; of two, the outcome has it."""

    at: int
    seat: int
    what: str
    detail: str = ""

    def to_json(self) -> list[Any]:
        return [self.at, self.seat, self.what, *([self.detail] if self.detail else [])]


@dataclass(frozen=True, slots=True)
class OfMatch:
    """Which game of a match this is: ``game`` counts from 1 to ``games``."""

    id: str
    game: int
    games: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord:
    """One game, whole. ``started`` and ``finished`` are UTC, as ISO 8601.

    ``number`` is its running number in a ledger, ``match`` is None for a game by itself, ``seed``
    None where no seed says how the game went. A game that is not ``rated`` counts for nobody.
    ``host`` is the machine that it was played on, where that is not the judge's own.
    """

    id: str
    number: int | None = None
    match: OfMatch | None = None
    rules: Rules
    rated: bool = True
    seed: int | None
    first: int
    isolation: str
    host: str | None = None
    enforcement: tuple[str, ...] = ()
    limits: Limits
    seats: tuple[RecordedSeat, ...]
    shots: tuple[RecordedShot, ...]
    asides: tuple[Aside, ...]
    outcome: Outcome
    evidence: tuple[Evidence, ...]
    started: str
    finished: str

    @property
    def called(self) -> str:
        """What people call the game: by its number in a ledger, as ``#12``, or else by its id."""
        return self.id if self.number is None else f"#{self.number}"

    def to_json(self) -> dict[str, Any]:
        """The ``game-record`` document."""
        return {
            "version": VERSION,
            "id": self.id,
            "number": self.number,
            "match": None if self.match is None else asdict(self.match),
            "rules": builtins(self.rules),
            "rated": self.rated,
            "seed": self.seed,
            "first": self.first,
            "isolation": self.isolation,
            "host": self.host,
            "enforcement": list(self.enforcement),
            "limits": builtins(self.limits),
            "seats": [_seat_to_json(seat) for seat in self.seats],
            "shots": [
                [s.seat, s.target, s.cell.column, s.cell.row, int(s.result), one.ms]
                for one in self.shots
                for s in (one.shot,)
            ],
            "asides": [aside.to_json() for aside in self.asides],
            "outcome": {
                "winner": self.outcome.winner,
                "loser": self.outcome.loser,
                "termination": self.outcome.termination,
                "detail": self.outcome.detail,
                "evidence": [builtins(one) for one in self.evidence] or None,
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
        checked = document
        if isinstance(document, dict):
            version = document.get("version")
            if type(version) is int and version != VERSION:
                raise RecordError(
                    f"a game record of version {version}, where this judge reads version {VERSION}"
                )
            if are_shots(document.get("shots")):
                checked = {**document, "shots": []}  # a hundred times as quick for the schema
        if problem := schemas.problem("game-record", checked):
            raise RecordError(f"not a game record: {problem}")
        return cls.of_document(document)

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> GameRecord:
        """Read a document whose shape has been checked; raises `RecordError`
        for what a schema does not say."""
        outcome = document["outcome"]
        try:
            rules = convert(Rules, document["rules"], "$.rules")
            limits = convert(Limits, document["limits"], "$.limits")
            evidence = outcome["evidence"] or ()
            runs = tuple([convert(Evidence, one, "$.outcome.evidence") for one in evidence])
        except DocumentError as error:
            raise RecordError(f"not a game record: {error}") from None
        for time in ("started", "finished"):
            try:
                moment(document[time])
            except ValueError:
                raise RecordError(
                    f"not a game record: {time}: {document[time]!r} is no time"
                ) from None
        return cls(
            id=document["id"],
            number=document["number"],
            match=None if document["match"] is None else OfMatch(**document["match"]),
            rules=rules,
            rated=document["rated"],
            seed=document["seed"],
            first=document["first"],
            isolation=document["isolation"],
            host=document["host"],
            enforcement=tuple(document["enforcement"]),
            limits=limits,
            seats=tuple(_seat_from_json(seat) for seat in document["seats"]),
            shots=tuple(shots_from_json(document["shots"], document["seats"])),
            asides=tuple(Aside(*aside) for aside in document["asides"]),
            outcome=Outcome(
                winner=outcome["winner"],
                loser=outcome["loser"],
                termination=Termination(outcome["termination"]),
                detail=outcome["detail"],
                scores=None if outcome["scores"] is None else tuple(outcome["scores"]),
            ),
            evidence=runs,
            started=document["started"],
            finished=document["finished"],
        )


def are_shots(shots: Any) -> bool:
    """Whether this is a list of shots as the schema has it."""
    return isinstance(shots, list) and len(shots) <= MOST_SHOTS and all(map(_is_shot, shots))


def _is_shot(shot: Any) -> bool:
    if not isinstance(shot, list) or len(shot) != 6:
        return False
    *where, ms = shot
    return (
        all(type(one) is int and 0 <= one < 100 for one in where)
        and where[4] in _RESULTS
        and type(ms) in (int, float)
        and 0 <= ms <= MOST_MS
    )


_RESULTS = frozenset(map(int, Result))


def moment(time: str) -> datetime | None:
    """When a record says that something was; None where it does not. Raises ValueError if that is
    no time."""
    if not time:
        return None
    found = datetime.fromisoformat(time)
    return found.replace(tzinfo=found.tzinfo or UTC)


def fleet_to_json(fleet: Fleet) -> list[dict[str, Any]]:
    return [*msgspec.to_builtins(fleet)]


def fleet_from_json(document: Iterable[Mapping[str, Any]]) -> Fleet:
    return msgspec.convert(document, Fleet)


def _seat_to_json(seat: RecordedSeat) -> dict[str, Any]:
    own: dict[str, Any] = {} if seat.own_name is None else {"own_name": seat.own_name}
    if seat.placed:
        own["placed"] = fleet_to_json(seat.placed)
    return {
        "name": seat.name,
        "digest": seat.digest,
        "data_digest": seat.data_digest,
        "author": seat.author,
        **own,
        "wire": seat.wire,
        "dialect": seat.dialect,
        "launch": seat.launch,
        "seed": seat.seed,
        "fleet": None if seat.fleet is None else fleet_to_json(seat.fleet),
        "ms": seat.ms,
    }


def _seat_from_json(seat: Mapping[str, Any]) -> RecordedSeat:
    fleet = None if seat["fleet"] is None else fleet_from_json(seat["fleet"])
    placed = fleet_from_json(seat.get("placed", ()))
    return RecordedSeat(**{**seat, "fleet": fleet, "placed": placed})


def shots_from_json(
    shots: Iterable[list[Any]], seats: Iterable[Mapping[str, Any]]
) -> Iterator[RecordedShot]:
    """The shots, with a ship that was sunk looked up in the fleets of the seats."""
    ships: list[dict[Cell, Ship]] = []
    for one in seats:
        ships.append({})
        for ship in fleet_from_json(one["fleet"] or ()):
            for cell in ship.cells:
                ships[-1].setdefault(cell, ship)
    for seat, target, column, row, result, ms in shots:
        cell = Cell(column, row)
        sunk = None
        if result == Result.SUNK and target < len(ships):
            sunk = ships[target].get(cell)
        length = sunk.length if sunk else None
        shot = Shot(seat, target, cell, Result(result), length, result == Result.REPEAT, sunk)
        yield RecordedShot(shot, ms)
