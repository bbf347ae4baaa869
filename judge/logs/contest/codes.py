"""The error codes of the contest's programs, and the terminations for which they stand."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from judge.documents.game import GameRecord, Termination


class FailureStage(Enum):
    """The stage of a match at which a player failed."""

    HELLO = "hello"  # an error before the first game
    SHIP = "ship"
    SHOT = "shot"


class Code(NamedTuple):
    """The meaning of an error code: the termination, the program's sentence, and the stage at which
    it occurs. The stage is None if it occurs at any stage."""

    termination: Termination
    sentence: str
    stage: FailureStage | None = None


_T = Termination

CODES = {
    5: Code(_T.CRASH, "Not started!", FailureStage.HELLO),
    6: Code(_T.TIMEOUT, "Connection failed!", FailureStage.HELLO),
    7: Code(_T.LEFT, "No message could be sent!"),
    8: Code(_T.TIMEOUT, "No message received!"),
    9: Code(_T.BAD_OUTPUT, "Invalid hello message!", FailureStage.HELLO),
    10: Code(_T.BAD_OUTPUT, "Invalid ship_placed message!", FailureStage.SHIP),
    11: Code(_T.BAD_OUTPUT, "Invalid shot_taken message!", FailureStage.SHOT),
    12: Code(_T.ILLEGAL_FLEET, "Invalid ship returned!", FailureStage.SHIP),
    13: Code(_T.ILLEGAL_MOVE, "Invalid shot returned!", FailureStage.SHOT),
}
"""The error codes of the contest's first program. Logs in the described form have the same."""

_BEFORE = ", before the first game"

# Parts of the judge's sentences on a player that never connected, or that left before a question.
_NOT_STARTED = "could not be started"
_UNCONNECTED = re.compile("(did not connect|before it connected) to its socket")
_UNASKED = "before it was asked"


def sentence(code: int, *, is_before: bool) -> str:
    """The sentence that a record has for an error in a log. ``is_before`` says that the error came
    before the first game."""
    return f"{CODES[code].sentence} (code {code}{_BEFORE if is_before else ''})"


def error_of(record: GameRecord, seat: int) -> int:
    """The code of the error by which a seat ended a game; 0 if the seat did not forfeit."""
    termination = next(
        (
            incident.forfeit
            for incident in record.incidents
            if incident.seat == seat and incident.forfeit
        ),
        None,
    )
    if termination is None:
        return 0
    said = _said(record, seat)
    if said in _OF_SENTENCES:
        return _OF_SENTENCES[said]
    stage = stage_of(record, seat)
    match termination:
        case Termination.ILLEGAL_FLEET if stage is FailureStage.SHIP:
            return 12
        case Termination.ILLEGAL_MOVE if stage is FailureStage.SHOT:
            return 13
        case Termination.TIMEOUT | Termination.CRASH | Termination.LEFT:
            if said.startswith(_NOT_STARTED) or _UNCONNECTED.search(said):
                return 6
            if termination is Termination.TIMEOUT or _UNASKED in said:
                return 8  # a late answer, or an exit before a question
    return {FailureStage.HELLO: 9, FailureStage.SHIP: 10, FailureStage.SHOT: 11}[stage]


def stage_of(record: GameRecord, seat: int) -> FailureStage:
    """The stage at which a seat failed. The seat must have ended the game by an error."""
    if record.seats[seat].fleet is not None:
        return FailureStage.SHOT
    said = _said(record, seat)
    if said in _OF_SENTENCES:
        return FailureStage.HELLO if said.endswith(f"{_BEFORE})") else FailureStage.SHIP
    exchanges = [evidence.exchanges for evidence in record.evidence if evidence.seat == seat]
    is_first = record.match is None or record.match.game == 1
    was_asked = not exchanges or not exchanges[0] or bool(exchanges[0][-1].sent)
    return FailureStage.SHIP if was_asked or not is_first else FailureStage.HELLO


def _said(record: GameRecord, seat: int) -> str:
    """The sentence on the failure of a seat, from the outcome's detail. If both seats failed, the
    detail joins their two sentences."""
    detail = record.outcome.detail
    if record.outcome.termination is not Termination.BOTH_FAILED:
        return detail
    parts = detail.split("; ")
    return parts[seat] if len(parts) == 2 else detail


_OF_SENTENCES = {
    sentence(code, is_before=is_before): code for code in CODES for is_before in (False, True)
}
