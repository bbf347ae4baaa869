"""One game reduced to the few facts that a tally adds up.

A journal may be a stranger's: it is looked at no further than what is counted, and whatever
stands in it, the answer is a game or a ValueError with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from judge import schemas
from judge.contest.ledger.condition_set import ConditionSet
from judge.documents.codec import convert
from judge.documents.game import FORFEITS, UNRATED, Termination
from judge.documents.rules import Rules, Turn
from judge.errors import IllegalFleet, UsageError
from judge.game.record import OfMatch, fleet_from_json, shots_from_json
from judge.game.steps import volleys

MOST_SEATS = 100  # so says the schema
MOST_SCORE = 10**15  # of a seat
MOST_GAMES = 100_000  # of a match: so says the schema
LONGEST_TIME = 100  # in characters: so say the schemas
LONGEST_NAME = 1000  # in characters: of a bot, a digest and a game's id; so say the schemas


class Played(NamedTuple):
    """One game. ``winner`` is a seat, or None; ``forfeits`` says who forfeited and how; ``shots``
    and ``volleys`` are those of a winner who destroyed the fleet, otherwise None. ``match`` is None
    where the game counts by itself. A game that is not ``rated`` moves nothing. ``marks`` rank the
    seats of a game of more than two players, the best the greatest: the winner, then by scores, and
    last who forfeited; None where nothing but the winner is known of them."""

    id: str
    names: tuple[str, ...]
    digests: tuple[str | None, ...]
    conditions: ConditionSet
    winner: int | None
    termination: str
    forfeits: dict[int, str]
    shots: int | None
    volleys: int | None
    rated: bool
    match: OfMatch | None = None
    marks: tuple[int, ...] | None = None


def played(record: Mapping[str, Any]) -> Played:
    """Read a ``game-record`` document. Raises ValueError, with the reason, if it is no game of
    several players."""
    try:
        outcome = record["outcome"]
        winner, loser, termination = outcome["winner"], outcome["loser"], outcome["termination"]
        forfeits = {seat: how for _, seat, how, *_ in record["asides"] if how in FORFEITS}
        names = [seat["name"] for seat in record["seats"]]
        digests = [seat["digest"] for seat in record["seats"]]
        fired = _fired(record, winner)
        rated = record["rated"] and termination not in UNRATED
        won = winner is not None and termination == Termination.FLEET_DESTROYED
        conditions = _conditions(record)
        match = _match(record, conditions.rules)
        in_volleys = _volleys(record, conditions.rules, winner, fired) if won else None
    except (LookupError, TypeError, ValueError, AttributeError, UsageError, IllegalFleet):
        raise ValueError("it is no game record") from None
    if not 2 <= len(names) <= MOST_SEATS or len(digests) != len(names):
        raise ValueError(f"it is no game record: a game has 2 to {MOST_SEATS} players")
    if not all(isinstance(name, str) and name for name in names):
        raise ValueError("it is no game record: a player has no name")
    if not all(digest is None or isinstance(digest, str) for digest in digests):
        raise ValueError("it is no game record: the digest of a player is none")
    texts = (*names, str(record["id"]), *(digest or "" for digest in digests))
    if max(map(len, texts)) > LONGEST_NAME:
        raise ValueError(
            "it is no game record: an id, a name or a digest is longer than "
            f"{LONGEST_NAME:,} characters"
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"it is a game of {twice} against itself, which moves no points")
    seats = [seat for seat in (winner, loser) if seat is not None]
    there = range(len(names))
    if not all(type(seat) is int and seat in there for seat in (*seats, *forfeits)):
        raise ValueError("it is no game record: it speaks of seats that nobody has")
    if termination not in _TERMINATIONS:
        raise ValueError(f"it is no game record: no game ends by {str(termination)[:80]!r}")
    return Played(
        id=record["id"],
        names=tuple(names),
        digests=tuple(digests),
        conditions=conditions,
        winner=winner,
        termination=termination,
        forfeits=forfeits,
        shots=fired if won else None,
        volleys=in_volleys,
        rated=bool(rated),
        match=match if len(names) == 2 else None,
        marks=_marks(outcome["scores"], winner, forfeits, len(names)) if len(names) > 2 else None,
    )


def _marks(
    scores: Any, winner: int | None, forfeits: Collection[int], seats: int
) -> tuple[int, ...] | None:
    if scores is None:
        return None
    if (
        not isinstance(scores, list)
        or len(scores) != seats
        or not all(type(score) is int and 0 <= score <= MOST_SCORE for score in scores)
    ):
        raise ValueError("it is no game record: its scores are none")
    return tuple(
        MOST_SCORE + 2 if seat == winner else 0 if seat in forfeits else 1 + score
        for seat, score in enumerate(scores)
    )


def _match(record: Mapping[str, Any], rules: Rules) -> OfMatch | None:
    """The match that a game is of, where by its rules that is what counts."""
    told = record["match"]
    if told is None or rules.match == 1:
        return None
    match = OfMatch(told["id"], told["game"], told["games"])
    if type(match.id) is not str or not 1 <= len(match.id) <= LONGEST_NAME:
        raise ValueError
    for number in (match.game, match.games):
        if type(number) is not int or not 1 <= number <= MOST_GAMES:
            raise ValueError
    return match if match.games > 1 else None


def _fired(record: Mapping[str, Any], seat: int | None) -> int:
    """How many shots a seat has fired."""
    return sum(1 for shot in record["shots"] if shot[0] == seat)


def _volleys(record: Mapping[str, Any], rules: Rules, seat: int, shots: int) -> int:
    """How many volleys the shots of a seat were."""
    if rules.turn != Turn.SALVO:
        return shots
    rules = convert(Rules, record["rules"], "$.rules")  # with the fleet of this very game
    placed = [one["fleet"] is not None for one in record["seats"]]
    for one in record["seats"]:
        if one["fleet"] is not None:  # its ships have no more cells than the rules say
            rules.check_lengths(fleet_from_json(one["fleet"]))
    fired = shots_from_json(record["shots"], record["seats"])
    found = volleys(rules, placed, (one.shot for one in fired))
    return sum(volley.seat == seat for volley in found)


def _conditions(record: Mapping[str, Any]) -> ConditionSet:
    """Under which a game was played. Raises ValueError with the reason if its rules or limits are
    none."""
    texts = (json.dumps(record[field]) for field in ("rules", "limits"))
    return _read(*texts)


@lru_cache(1024)  # a journal holds few different ones
def _read(rules: str, limits: str) -> ConditionSet:
    entry = {"rules": json.loads(rules), "limits": json.loads(limits)}
    for field, value in entry.items():
        if problem := schemas.problem("game-record", value, field):
            raise ValueError(f"{field}: {problem}")
    return ConditionSet.of_entry(entry)


_TERMINATIONS = frozenset(one.value for one in Termination)
