"""As much of a game's record as counts, for tallies without journals."""

from __future__ import annotations

from typing import Any

from judge.contest.ledger.tally import Tally
from judge.documents.codec import builtins
from judge.documents.game import Limits
from judge.game.variants import VARIANTS

BOTS = ("ada", "bob", "cyd", "dan")
RULES, LIMITS = builtins(VARIANTS["brainjar"]), builtins(Limits())


def game(number: int, first: str, second: str, how: str) -> dict[str, Any]:
    """As much of a game's record as counts. ``how``: "0" or "1" played the game out and won it in
    40 shots; "0 timeout" forfeited it; "tie", and "void"."""
    winner, termination, asides = None, "goal", []
    match how.split():
        case ["void"]:
            termination, asides = "void", [[0, 0, "crash"], [0, 1, "timeout"]]
        case [seat]:
            if seat != "tie":
                winner, termination = int(seat), "fleet-destroyed"
        case [seat, termination]:
            winner, asides = 1 - int(seat), [[3, int(seat), termination]]
    return {
        "version": 1,
        "id": str(number),
        "match": None,
        "rules": RULES,
        "rated": True,
        "limits": LIMITS,
        "seats": [{"name": first, "digest": None}, {"name": second, "digest": None}],
        "shots": [[0], [1]] * 40,
        "asides": asides,
        "outcome": {
            "winner": winner,
            "loser": None if winner is None else 1 - winner,
            "termination": termination,
        },
    }


def names_in(tally: Tally) -> set[str]:
    return {name for table in tally.tables.values() for name in table.bots}
