"""How a game at somebody's table ended, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from judge.documents.game import Outcome, Termination
from judge.show.one_game import WORDS
from judge.show.text import clean


def ending(names: Sequence[str], outcome: Outcome) -> str:
    """Who won and why, and the points of all, the most first. One of the names may be "you"."""
    called = [clean(name) for name in names]
    both = "both" if len(called) == 2 else "all"
    words = WORDS.get(outcome.termination)
    if outcome.termination is Termination.ABORTED or words is None:
        said = f"nobody won: the game was broken off{_why(outcome)}"
    elif outcome.winner is None:
        said = f"nobody won: {words.tied.format(both=both) or 'a draw'}"
    else:
        loser = "" if outcome.loser is None else called[outcome.loser]
        decided = words.of_many if len(called) > 2 and words.of_many else words.decided
        winner = called[outcome.winner]
        why = decided.format(winner="you" if winner == "you" else "it", loser=loser, both=both)
        said = f"{winner} won: {why.replace('you was ', 'you were ')}"
    if outcome.scores is None:
        return said
    best = sorted(zip(outcome.scores, called, strict=True), key=lambda one: -one[0])
    return f"{said} ({', '.join(f'{name} {score}' for score, name in best)})"


def _why(outcome: Outcome) -> str:
    return f" ({clean(outcome.detail)})" if outcome.detail else ""
