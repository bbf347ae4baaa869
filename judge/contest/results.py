"""Makes a game's result: the facts of its record that are counted. Pure."""

from __future__ import annotations

from collections.abc import Collection

from judge.documents.game import GameRecord, Outcome, Termination
from judge.documents.ledger import GameResult
from judge.documents.rules import Turn
from judge.game.steps import volleys_of

MOST_SCORE = 10**9  # the score of a seat, as the documents bound it


def result_of(record: GameRecord) -> GameResult:
    """The result of the game of a record."""
    outcome, match = record.outcome, record.match
    shots = volleys = None
    if outcome.winner is not None and not outcome.termination.is_forfeit:
        shots = volleys = sum(shot.seat == outcome.winner for shot in record.shots)
        if record.rules.turn is Turn.SALVO:
            volleys = sum(one.seat == outcome.winner for one in volleys_of(record))
    forfeits = forfeits_of(record)
    counts_matches = record.rules.match > 1 and len(record.seats) == 2
    return GameResult(
        id=record.id,
        names=tuple(seat.name for seat in record.seats),
        digests=tuple(seat.digest for seat in record.seats),
        winner=outcome.winner,
        termination=outcome.termination,
        forfeits=forfeits,
        rated=record.rated and outcome.termination.is_rated,
        shots=shots,
        volleys=volleys,
        match=match if match is not None and match.games > 1 and counts_matches else None,
        marks=marks_of(outcome, forfeits),
    )


def forfeits_of(record: GameRecord) -> dict[int, Termination]:
    """The seats that forfeited, each with the termination of its forfeit."""
    how = {
        incident.seat: Termination(incident.what)
        for incident in record.incidents
        if incident.what in _FORFEITS
    }
    outcome = record.outcome
    # A seat that left for good has resigned.
    if outcome.termination.is_forfeit and outcome.loser is not None:
        how.setdefault(outcome.loser, outcome.termination)
    return how


def marks_of(outcome: Outcome, forfeits: Collection[int]) -> tuple[int, ...] | None:
    """The mark of each seat in a game of more than two, the best for the winner and 0 for a
    forfeit. None for a game of two or without scores."""
    if outcome.scores is None or len(outcome.scores) == 2:
        return None
    return tuple(
        MOST_SCORE + 2 if seat == outcome.winner else 0 if seat in forfeits else 1 + score
        for seat, score in enumerate(outcome.scores)
    )


_FORFEITS = frozenset(termination.value for termination in Termination if termination.is_forfeit)
