"""Games as they are counted, for tallies without journals."""

from __future__ import annotations

from msgspec import Raw

from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.tally import Tally
from judge.documents.game import Limits, Termination
from judge.documents.ledger import Game, GameResult
from judge.game.variants import VARIANTS

BOTS = ("ada", "bob", "cyd", "dan")
CONDITIONS = ConditionSet(VARIANTS["brainjar"], Limits())


def game(number: int, first: str, second: str, how: str) -> Game:
    """The entry of a game. ``how``: "0" or "1" played the game out and won it in 40 shots; "0 timeout"
    forfeited it; "tie", and "void"."""
    winner, termination, forfeits = None, Termination.GOAL, {}
    match how.split():
        case ["void"]:
            termination = Termination.VOID
            forfeits = {0: Termination.CRASH, 1: Termination.TIMEOUT}
        case [seat]:
            if seat != "tie":
                winner, termination = int(seat), Termination.FLEET_DESTROYED
        case [seat, cause]:
            termination = Termination(cause)
            winner, forfeits = 1 - int(seat), {int(seat): termination}
    played_out = termination is Termination.FLEET_DESTROYED
    result = GameResult(
        id=str(number),
        names=(first, second),
        digests=(None, None),
        winner=winner,
        termination=termination,
        forfeits=forfeits,
        rated=termination is not Termination.VOID,
        shots=40 if played_out else None,
        volleys=40 if played_out else None,
    )
    return Game(key=None, result=result, record=Raw(b"null"))


def names_in(tally: Tally) -> set[str]:
    return set(tally.table.bots)
