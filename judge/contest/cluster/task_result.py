"""Reads a worker's result of a task, and checks it against the task. Pure.

The document's type is checked first. Then its records must be of the games in the task, played
under the terms of the task.

A task has no path, descriptor or name of this machine. A task names a level of isolation, which a
worker provides by its own machine's means. A task names bots by digest; the bots' files are sent as
parcels (`judge.process.bots.parcel`).
"""

from __future__ import annotations

from collections.abc import Sequence

from judge.documents.codec import DocumentError, convert, decode
from judge.documents.game import GameRecord, OfMatch
from judge.documents.rules import Rules
from judge.documents.tasks import SentTask, Task, TaskGame, TaskResult, Terms
from judge.errors import JudgeFault, MachineBusy, RecordError
from judge.play.actions import with_fleet
from judge.play.solo import solo


def read(said: object, task: Task) -> TaskResult:
    """The result in a worker's answer to a task. Raises `JudgeFault` if the answer is not a
    ``task-result`` document, or if it names bots that are not in the task."""
    if not isinstance(said, str):
        raise JudgeFault("what a worker sent is not text")
    try:
        result = decode(TaskResult, said.encode(errors="surrogatepass"), "what a worker sent")
    except DocumentError as error:
        raise JudgeFault(str(error)) from None
    if others := {one.digest for one in result.unfit} - {seat.digest for seat in task.seats}:
        names = ", ".join(sorted(others))
        raise JudgeFault(f"a worker speaks of bots that do not play its game: {names}")
    return result


def records_of(result: TaskResult, sent: SentTask) -> list[GameRecord]:
    """The record of the game, or the records of the match. Raises `JudgeFault` if the game was not
    played (`MachineBusy` if the worker was busy), or if the records are invalid or of other games
    or terms."""
    unable = result.fault or result.refused or "; ".join(one.reason for one in result.unfit)
    if unable:
        raise (MachineBusy if result.busy else JudgeFault)(unable)
    try:
        records = [convert(GameRecord, record, "it") for record in result.records]
    except RecordError as error:
        raise JudgeFault(f"what a worker sent is no result of a task: {error}") from None
    _require_asked(records, sent.game, sent.terms)
    _require_seats(records)
    return records


def _require_asked(records: Sequence[GameRecord], task: Task, terms: Terms) -> None:
    """Raise `JudgeFault` unless these are records of a task's games, from the first on, played
    under these terms. The record of a board that a bot clears alone has an opponent in seat 1
    too."""
    games = (TaskGame(task.id, task.seed, task.first), *task.rest)
    seats = [(seat.name, seat.digest, seat.seed) for seat in task.seats]
    if not 0 < len(records) <= len(games):
        raise JudgeFault(f"a worker sent {len(records)} games, and was asked for {len(games)}")
    for number, (record, game) in enumerate(zip(records, games, strict=False), 1):
        found = [(seat.name, seat.digest, seat.seed) for seat in record.seats]
        is_whole = len(found) == len(seats) or task.board is not None
        is_it = (record.id, record.seed, found[: len(seats)]) == (game.id, game.seed, seats)
        if not is_it or not is_whole:
            raise JudgeFault(f"a worker sent other games than {task.id}, which it was asked for")
        match = OfMatch(task.id, number, len(games)) if task.rest else None
        asked = (_rules(task, terms, game.seed), terms.limits, terms.isolation, match, None)
        made = (record.rules, record.limits, record.isolation, record.match, record.number)
        if made != asked or record.first != (game.first if task.board is None else 0):
            raise JudgeFault(f"a worker played {record.id} otherwise than it was asked to")


def _rules(task: Task, terms: Terms, seed: int) -> Rules:
    """The rules in the record of a task's game with this seed."""
    if task.board is not None:
        return solo(terms.rules.drawn_as(task.board))
    return with_fleet(terms.rules, seed)


def _require_seats(records: Sequence[GameRecord]) -> None:
    """Raise `JudgeFault` if a record names a seat that its game lacks, or lacks a seat's score."""
    for record in records:
        outcome, seats = record.outcome, len(record.seats)
        named = [seat for seat in (outcome.winner, outcome.loser) if seat is not None]
        named += [incident.seat for incident in record.incidents]
        named += [evidence.seat for evidence in record.evidence]
        named += [seat for shot in record.shots for seat in (shot.seat, shot.target)]
        scores = seats if outcome.scores is None else len(outcome.scores)
        if max(named, default=0) >= seats or scores != seats:
            raise JudgeFault(f"a worker sent a record of {record.id} with seats that nobody has")
