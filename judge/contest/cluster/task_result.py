"""What became of a batch of games, as a ``task-result`` document. Pure.

A result of another machine is checked by the schema and by the task that was sent. Its shots are
checked here, which takes a fraction of the time that the schema takes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from judge import schemas
from judge.contest.tournament import MatchResults
from judge.errors import JudgeFault, RecordError
from judge.game.record import GameRecord, are_shots
from judge.play.run import Task

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
    def read(cls, text: str, tasks: Sequence[Task]) -> Self:
        """What a worker says of these tasks. Raises `JudgeFault` if it is no such document, or of
        other games."""
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            raise JudgeFault("what a worker sent is no JSON") from None
        shots = [_without_shots(one) for one in _records_in(document)]
        if why := schemas.problem("task-result", document):
            raise JudgeFault(f"what a worker sent is no result of a task: {why}")
        if not all(one is None or are_shots(one) for one in shots):
            raise JudgeFault("what a worker sent is no result of a task: its shots are none")
        for record, one in zip(_records_in(document), shots, strict=True):
            record["shots"] = one
        games = document["games"]
        if games and len(games) != len(tasks):
            raise JudgeFault(
                f"a worker sent {len(games)} games where it was asked for {len(tasks)}"
            )
        return cls(
            document["refused"],
            tuple(document["missing"]),
            {one["digest"]: one["reason"] for one in document["unfit"]},
            document["ms"],
            tuple(_game(one, task) for one, task in zip(games, tasks, strict=False)),
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
    shots = record["shots"]
    record["shots"] = None if shots is None else []
    return shots


def _game(
    document: Mapping[str, Any], task: Task
) -> GameRecord | MatchResults[GameRecord] | JudgeFault:
    if document["fault"] is not None:
        return JudgeFault(document["fault"])
    try:
        records = [GameRecord.of_document(one) for one in document["records"]]
    except RecordError as error:
        raise JudgeFault(f"what a worker sent is no result of a task: {error}") from None
    _require_of(records, task)
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
