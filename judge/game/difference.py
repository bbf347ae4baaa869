"""Compares the records of a game that was played twice. Pure."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from judge.documents.game import GameRecord


def difference(earlier: GameRecord, later: GameRecord) -> str | None:
    """A clause on how a game went differently when it was played again; None if the two games went
    the same way. Times may differ."""
    what = _first_difference(earlier, later)
    won = [_winner(record) for record in (earlier, later)]
    if what is None or won[0] == won[1]:
        return what
    return f"{what}, and it was won by {won[0]} then and by {won[1]} now"


def _first_difference(earlier: GameRecord, later: GameRecord) -> str | None:
    for before, now in zip(earlier.seats, later.seats, strict=True):
        if before.fleet != now.fleet:
            return f"{now.name} had another fleet"
    shots, others = ([replace(shot, ms=0) for shot in record.shots] for record in (earlier, later))
    for number, (shot, other) in enumerate(zip(shots, others, strict=False), 1):
        if shot != other:
            return f"shot {number} was another"
    if len(shots) != len(others) or _end(earlier) != _end(later):
        return f"after shot {min(len(shots), len(others))} the games differ"
    return None


def _end(record: GameRecord) -> tuple[Any, ...]:
    """The incidents and the outcome, without the outcome's sentence and evidence, which may hold
    times."""
    return record.incidents, replace(record.outcome, detail="", evidence=None)


def _winner(record: GameRecord) -> str:
    winner = record.outcome.winner
    return "nobody" if winner is None else record.seats[winner].name
