"""Makes a game's result, the counted facts of its record, and counts results. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Literal

from judge.documents.game import GameRecord, Outcome, Termination
from judge.documents.ledger import Count, GameResult
from judge.documents.rules import Turn
from judge.game.steps import volleys_of

MOST_SCORE = 10**9  # the score of a seat, as the documents bound it
HOPELESS = frozenset({Termination.TIMEOUT, Termination.CRASH})


@dataclass(slots=True)
class Counts:
    """The counts of one player's games. ``won_by_play`` is the number of games that it won and that
    did not end by a forfeit; ``shots_to_win`` and ``volleys_to_win`` are its shots and volleys in
    these games. ``forfeits`` counts its forfeits by cause, in void games too. ``streak`` is the
    number of its latest games in a row that it forfeited by time-out or crash; other void games do
    not end a streak."""

    won: Count = 0
    lost: Count = 0
    tied: Count = 0
    won_by_play: Count = 0
    shots_to_win: Count = 0
    volleys_to_win: Count = 0
    streak: Count = 0
    forfeits: dict[Termination, int] = field(default_factory=dict)

    @property
    def games(self) -> int:
        """The number of games that count."""
        return self.won + self.lost + self.tied

    @property
    def points(self) -> int:
        """Twice the points: two for a win, one for a tie."""
        return 2 * self.won + self.tied

    @property
    def shots_to_win_mean(self) -> float | None:
        return self.shots_to_win / self.won_by_play if self.won_by_play else None

    @property
    def volleys_to_win_mean(self) -> float | None:
        return self.volleys_to_win / self.won_by_play if self.won_by_play else None

    def add(self, game: GameResult, seat: int) -> None:
        """Count a game in which the player had this seat."""
        self.play(game, seat)
        if game.rated:
            self.end(game.winner, seat, game.marks)

    def play(self, game: GameResult, seat: int) -> None:
        """Count the forfeits, shots and volleys of a game, but not its winner. `end` counts the
        winner, for a match only once it is over."""
        if termination := game.forfeits.get(seat):
            self.forfeits[termination] = self.forfeits.get(termination, 0) + 1
        if termination in HOPELESS:
            self.streak += 1
        elif game.rated:
            self.streak = 0
        if game.rated and game.winner == seat and game.shots is not None:
            self.won_by_play += 1
            self.shots_to_win += game.shots
            self.volleys_to_win += game.volleys or 0

    def end(self, winner: int | None, seat: int, marks: Sequence[int] | None = None) -> None:
        """Count a game or a match as won, lost or tied, as `end_of` says."""
        self.score(**{end_of(winner, seat, marks): 1})

    def score(self, *, won: int = 0, lost: int = 0, tied: int = 0) -> None:
        """Add these numbers of won, lost and tied games."""
        self.won += won
        self.lost += lost
        self.tied += tied


def end_of(
    winner: int | None, seat: int, marks: Sequence[int] | None = None
) -> Literal["won", "lost", "tied"]:
    """Whether a seat has won, lost or tied a game or a match. If ``winner`` is None, all seats have
    tied, or with ``marks`` only those with the best mark; the others have lost."""
    if winner is None and (marks is None or marks[seat] == max(marks)):
        return "tied"
    return "won" if winner == seat else "lost"


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
    if (
        outcome.termination.is_forfeit and outcome.loser is not None
    ):  # a seat that left for good has resigned
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
