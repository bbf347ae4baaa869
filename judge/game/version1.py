"""Documents of the first release, brought into today's form, and rules in the form of that release.

A game record of version 1 knew one wire, brainjar, and one dialect and one launch for all seats.
Whoever left for good had resigned, and a round that nobody survived was named after one of its
failures. Rules told the size of a sunk ship, or nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from judge.game.outcome import Termination
from judge.game.rules import Rules, Sinking

# What rules have got since; where a rule is the usual one, it is as good as not there.
_USUAL = {
    field.name: field.default
    for field in fields(Rules)
    if field.name in ("opening", "wire", "timeout_ms", "bot_bytes", "match")
}
_TOLD = {Sinking.SIZE: True, Sinking.NOTHING: False}


def upgraded(document: Mapping[str, Any]) -> dict[str, Any]:
    """A ``game-record`` document of version 1, valid by its schema, as one of version 2."""
    record = {**document, "version": 2, "number": None, "match": None, "host": None}
    dialect, launch = record.pop("dialect"), record.pop("launch")
    record["rated"] = record["outcome"]["termination"] != Termination.VOID
    record["asides"] = [
        [at, seat, Termination.RESIGNED if what == "leave" and _is_final(document, seat) else what]
        for at, seat, what in record["asides"]
    ]
    record["seats"] = [
        {
            **seat,
            "author": "",
            "data_digest": None,
            "wire": "brainjar" if seat["digest"] is not None else None,
            "dialect": dialect if seat["digest"] is not None else None,
            "launch": launch if seat["digest"] is not None else None,
        }
        for seat in record["seats"]
    ]
    outcome = record["outcome"]
    if outcome["winner"] is None and Termination(outcome["termination"]).is_forfeit:
        outcome = {**outcome, "termination": Termination.BOTH_FAILED}
    record["outcome"] = {
        **outcome,
        "evidence": [{**one, "exchanges": []} for one in outcome["evidence"] or ()] or None,
    }
    return record


def rules_as_written(rules: Rules) -> dict[str, Any]:
    """Rules as the first release would have written them, as far as it could.

    Names of games are made from this, so that a contest of that release goes on.
    """
    document = rules.to_json()
    told = _TOLD.get(rules.sinking)
    if told is not None:
        del document["sinking"]
        document["sinkings_told"] = told
    return {
        name: value
        for name, value in document.items()
        if name not in _USUAL or value != _USUAL[name]
    }


def _is_final(document: Mapping[str, Any], seat: int) -> bool:
    """Whether a seat that left could not come back: by the rules, or for want of a fleet."""
    seats = document["seats"]
    has_fleet = 0 <= seat < len(seats) and seats[seat]["fleet"] is not None
    return not document["rules"].get("may_return", False) or not has_fleet
