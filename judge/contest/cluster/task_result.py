"""What became of a batch of games, as a ``task-result`` document. Pure.

A result of another machine is checked by the schema and by the batch that was sent: its games are
those that were asked for, under the terms that were. Its shots are checked here, which takes a
fraction of the time that the schema takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from judge import schemas
from judge.contest.cluster.task_document import Batch
from judge.contest.tournament import MatchResults
from judge.documents import json_files
from judge.documents.rules import Rules
from judge.errors import JudgeFault, MachineBusy, RecordError
from judge.game.record import GameRecord, OfMatch, are_shots
from judge.play.deal import with_fleet
from judge.play.run import Task
from judge.play.solo import solo

VERSION = 1


def result_document(
    *,
    refused: str | None = None,
    missing: Iterable[str] = (),
    unfit: Mapping[str, str] | None = None,
    games: Iterable[Mapping[str, Any]] = (),
    ms: float = 0,
) -> dict[str, Any]:
    reasons = (unfit or {}).items()
    return {
        "version": VERSION,
        "kind": "task-result",
        "refused": refused,
        "missing": list(missing),
        "unfit": [{"digest": digest, "reason": reason} for digest, reason in reasons],
        "ms": ms,
        "games": list(games),
    }


@dataclass(frozen=True, slots=True)
class BatchResult:
    """``refused`` says why the worker can play no game of these terms; ``missing`` are digests of
    bots that it has to be sent, ``unfit`` those that it cannot run, with the reasons. Where games
    were played, in ``ms`` milliseconds, ``games`` has the record of each, or the records of a
    match, or what kept the judge from playing it."""

    refused: str | None
    missing: tuple[str, ...]
    unfit: Mapping[str, str]
    ms: float
    games: tuple[GameRecord | MatchResults[GameRecord] | JudgeFault, ...]

    @classmethod
    def read(cls, said: object, batch: Batch) -> Self:
        """What a worker says of this batch. Raises `JudgeFault` if it is no such document, or of
        other games."""
        if not isinstance(said, str):
            raise JudgeFault("what a worker sent is no text")
        try:
            document = json_files.parse(said, json_files.MOST_OF_GAMES)
        except ValueError as error:
            raise JudgeFault(f"what a worker sent is no result of a task: {error}") from None
        shots = [_without_shots(one) for one in _records_in(document)]
        if why := schemas.problem("task-result", document):
            raise JudgeFault(f"what a worker sent is no result of a task: {why}")
        if not all(one is None or are_shots(one) for one in shots):
            raise JudgeFault("what a worker sent is no result of a task: its shots are none")
        for record, one in zip(_records_in(document), shots, strict=True):
            record["shots"] = one
        games = document["games"]
        if games and len(games) != len(batch.tasks):
            raise JudgeFault(
                f"a worker sent {len(games)} games where it was asked for {len(batch.tasks)}"
            )
        return cls(
            document["refused"],
            tuple(document["missing"]),
            {one["digest"]: one["reason"] for one in document["unfit"]},
            document["ms"],
            tuple(_game(one, task, batch) for one, task in zip(games, batch.tasks, strict=False)),
        )


def _records_in(document: Any) -> list[dict[str, Any]]:
    """The records in a document that is to be checked; what is none is left to the schema."""
    games = document.get("games") if isinstance(document, dict) else None
    found: list[Any] = []
    for game in games if isinstance(games, list) else ():
        records = game.get("records") if isinstance(game, dict) else None
        found += records if isinstance(records, list) else ()
    return [one for one in found if isinstance(one, dict) and "shots" in one]


def _without_shots(record: dict[str, Any]) -> Any:
    """Take the shots out of a record."""
    shots, record["shots"] = record["shots"], []
    return shots


def _game(
    document: Mapping[str, Any], task: Task, batch: Batch
) -> GameRecord | MatchResults[GameRecord] | JudgeFault:
    if document["fault"] is not None:
        return (MachineBusy if document["busy"] else JudgeFault)(document["fault"])
    try:
        records = [GameRecord.of_document(one) for one in document["records"]]
    except RecordError as error:
        raise JudgeFault(f"what a worker sent is no result of a task: {error}") from None
    _require_of(records, task)
    _require_under(records, task, batch)
    _require_seats(records)
    return MatchResults(records) if task.rest else records[0]


def _require_of(records: Sequence[GameRecord], task: Task) -> None:
    """Raise `JudgeFault` unless these are the records of a task, of a match at least the first. A
    bot that clears a board has an opponent in its record."""
    asked = [(task.id, task.seed), *((one.id, one.seed) for one in task.rest)]
    seats = [(one.name, one.digest, one.seed) for one in task.seats]
    found = [(one.id, one.seed) for one in records]
    is_whole = bool(found) and found == asked[: len(found)]
    if not is_whole or any(
        [(seat.name, seat.digest, seat.seed) for seat in one.seats[: len(seats)]] != seats
        or (len(one.seats) != len(seats) and task.board is None)
        for one in records
    ):
        raise JudgeFault(f"a worker sent other games than {task.id}, which it was asked for")


def _require_under(records: Sequence[GameRecord], task: Task, batch: Batch) -> None:
    """Raise `JudgeFault` unless these are records of a task as they are made under these terms."""
    deals = [(task.seed, task.first), *((one.seed, one.first) for one in task.rest)]
    for number, (record, (seed, first)) in enumerate(zip(records, deals, strict=False), 1):
        match = OfMatch(task.id, number, len(deals)) if task.rest else None
        asked = (_rules(task, batch, seed), batch.limits, batch.isolation, match, None)
        found = (record.rules, record.limits, record.isolation, record.match, record.number)
        is_first = record.first == (first if task.board is None else 0)  # who is alone begins
        if found != asked or not is_first:
            raise JudgeFault(f"a worker played {record.id} otherwise than it was asked to")


def _rules(task: Task, batch: Batch, seed: int) -> Rules:
    """Those of a task's game with this seed."""
    if task.board is not None:
        return solo(batch.rules.drawn_as(task.board))
    return with_fleet(batch.rules, seed)


def _require_seats(records: Sequence[GameRecord]) -> None:
    """Raise `JudgeFault` if a record speaks of a seat that its game does not have."""
    for record in records:
        outcome, seats = record.outcome, len(record.seats)
        named = [seat for seat in (outcome.winner, outcome.loser) if seat is not None]
        named += [one.seat for one in record.asides]
        named += [one.seat for one in record.evidence]
        named += [seat for one in record.shots for seat in (one.shot.seat, one.shot.target)]
        scores = seats if outcome.scores is None else len(outcome.scores)
        if max(named, default=0) >= seats or scores != seats:
            raise JudgeFault(f"a worker sent a record of {record.id} with seats that nobody has")
