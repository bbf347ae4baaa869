"""The fleets of the boards that bots clear alone: drawn from a seed, or given by a document.

A document gives a fleet in one of two forms: as a bot's reply to ``init``, or as the ``fleet`` of a
seat in a game record.
"""

from __future__ import annotations

from random import Random
from typing import Any

from judge.contest.schedule import Pairing
from judge.documents.codec import convert
from judge.documents.rules import Fleet, Rules, Ship
from judge.errors import IllegalFleet, UsageError
from judge.game.fleets import random_fleet
from judge.wire.brainjar import fleet_of_reply


def drawn_fleet(rules: Rules, board: Pairing) -> Fleet:
    """The fleet of a board, drawn by the board's seed, so that all bots get the same fleet. All
    fleets are equally likely, unless the board is very full. Raises `UsageError` if no fleet is
    found that fits on the board."""
    luck = Random(f"{board.seed}:fleet")
    return random_fleet(rules.drawn(luck), luck)


def given_fleets(document: Any, rules: Rules) -> list[Fleet]:
    """The fleets of a document that fits the ``placements`` schema.

    Raises `UsageError` for the first fleet that the rules do not allow.
    """
    return [_given(number, one, rules) for number, one in enumerate(document, 1)]


def _given(number: int, document: Any, rules: Rules) -> Fleet:
    as_reply = isinstance(document, dict)
    fleet = (
        fleet_of_reply(document, map(int, document))
        if as_reply
        else tuple(convert(Ship, one, "it") for one in document)
    )
    try:
        rules.drawn_as(fleet).check_fleet(fleet)
    except IllegalFleet as error:
        raise UsageError(f"fleet {number} breaks the rules {rules.name!r}: {error}") from None
    return fleet
