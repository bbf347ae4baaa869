"""A batch of games for another machine, and what became of it. Pure.

A result of another machine is checked by its type and by the batch that was sent: its games are
those that were asked for, under the terms that were.

No path, descriptor or name of this machine is in a batch. The isolation is a level's name: whoever
plays the games chooses by what its machine has. The bots' files travel apart
(`judge.process.bots.parcel`) and are named by their digests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from msgspec.structs import replace

from judge.contest.tournament import MatchResults
from judge.documents.codec import DocumentError, convert, decode
from judge.documents.game import GameRecord, OfMatch
from judge.documents.reports import Launch, Level
from judge.documents.rules import Rules
from judge.documents.tasks import Batch, Task, TaskOutcome, TaskResult
from judge.errors import JudgeFault, MachineBusy, RecordError
from judge.play.conditions import Conditions
from judge.play.deal import with_fleet
from judge.play.solo import solo


def terms_of(conditions: Conditions) -> Batch:
    """A batch without games, to be played under these conditions."""
    return Batch(
        rules=conditions.rules,
        dialect=conditions.dialect,
        launch=Launch(conditions.launch),
        isolation=Level(conditions.isolation.name),
        limits=conditions.limits,
        tasks=(),
    )


def without_games(batch: Batch) -> Batch:
    """The terms of a batch: batches with the same terms can be played by one run."""
    return replace(batch, tasks=())


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
            result = decode(TaskResult, said.encode(errors="surrogatepass"), "what a worker sent")
        except DocumentError as error:
            raise JudgeFault(str(error)) from None
        games = result.games
        if games and len(games) != len(batch.tasks):
            raise JudgeFault(
                f"a worker sent {len(games)} games where it was asked for {len(batch.tasks)}"
            )
        return cls(
            result.refused,
            result.missing,
            {one.digest: one.reason for one in result.unfit},
            result.ms,
            tuple(_game(one, task, batch) for one, task in zip(games, batch.tasks, strict=False)),
        )


def _game(
    outcome: TaskOutcome, task: Task, batch: Batch
) -> GameRecord | MatchResults[GameRecord] | JudgeFault:
    if outcome.fault is not None:
        return (MachineBusy if outcome.busy else JudgeFault)(outcome.fault)
    try:
        records = [convert(GameRecord, one, "it") for one in outcome.records]
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
        named += [seat for shot in record.shots for seat in (shot.seat, shot.target)]
        scores = seats if outcome.scores is None else len(outcome.scores)
        if max(named, default=0) >= seats or scores != seats:
            raise JudgeFault(f"a worker sent a record of {record.id} with seats that nobody has")
