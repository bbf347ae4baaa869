"""A game that is to be added to a ledger: its document, its key, and what is counted of it.

Pure. A record that was made here is not put through the whole schema: see `_is_sound`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

from judge import schemas
from judge.contest.ledger.identity import key_of
from judge.contest.ledger.played import Played, played
from judge.errors import Unrecordable, UsageError
from judge.game.events import Result
from judge.game.record import MOST_MS, MOST_SHOTS, GameRecord


@dataclass(slots=True)
class NewGame:
    """A game that may be added: what is to be kept of it, and what is counted. It gets a number
    when it is written."""

    record: GameRecord
    document: dict[str, Any]
    game: Played
    key: bytes | None
    number: int = 0

    @classmethod
    def of(cls, record: GameRecord) -> Self:
        document = record.to_json()
        return cls(record, document, _rated(document), key_of(document))


def _rated(document: Mapping[str, Any]) -> Played:
    """The game as a tally counts it. Raises `UsageError` if it cannot be rated."""
    require_sound(document)
    try:
        return played(document)
    except ValueError as error:
        raise UsageError(
            f"game {document['id']} cannot be rated: {error}; --no-ledger plays it unrated"
        ) from None


def require_sound(document: Mapping[str, Any]) -> None:
    """Raise `Unrecordable` if the document of a record that was made here cannot be kept."""
    if not _is_sound(document):
        require_valid("game-record", document, f"game {document['id']}")


def _is_sound(document: Mapping[str, Any]) -> bool:
    """Whether a record that was made here is as the schema has it, which is asked for what players
    and users say: it takes a hundred times as long for a shot, and more for a fleet, which come
    from the engine. Rules and limits are looked at where games are counted."""
    shots = document["shots"]
    seats = [{**seat, "fleet": None, "ms": None} for seat in document["seats"]]
    return (
        len(shots) <= MOST_SHOTS
        and all(0 <= (seat["ms"] or 0) <= MOST_MS for seat in document["seats"])
        and all(map(_is_shot, shots))
        and all(
            _is_sound_field(field, json.dumps(seats if field == "seats" else value))
            for field, value in document.items()
            if field not in _FROM_THE_ENGINE
        )
    )


@lru_cache(256)  # the games of a match have most of it in common
def _is_sound_field(field: str, text: str) -> bool:
    return schemas.problem("game-record", json.loads(text), field) is None


_FROM_THE_ENGINE = frozenset({"shots", "rules", "limits"})


def _is_shot(shot: Sequence[Any]) -> bool:
    seat, target, column, row, result, ms = shot
    low, high = min(seat, target, column, row), max(seat, target, column, row)
    return low >= 0 and high < 100 and result in _RESULTS and 0 <= ms <= MOST_MS


_RESULTS = frozenset(map(int, Result))


def require_valid(schema: str, document: Mapping[str, Any], name: str) -> None:
    """Raise `Unrecordable` if a document is not as its schema has it."""
    if why := schemas.problem(schema, document):
        raise Unrecordable(f"{name} cannot be recorded: {why}")
