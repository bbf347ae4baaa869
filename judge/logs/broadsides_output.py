"""What the original broadsides judge and its tournament print, for scripts that read it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from judge.game.record import GameRecord
from judge.logs.broadsides import file_name
from judge.wire.broadsides import told_name


def running(names: Sequence[str], number: int) -> str:
    """What is printed before a game; the arguments are as for the name of its log."""
    return f"Running {file_name(names, number).removesuffix('.log')}..."


def winner(record: GameRecord) -> str:
    """The sentence on the winner of a game. The original has no game without one."""
    seat = record.outcome.winner
    return "Nobody wins." if seat is None else f"{told_name(record.seats[seat].name)} wins."


def scores(points: Mapping[str, float]) -> str:
    """The final scores, the best first. A tie is half a point for each; the original has no tie."""
    best_first = sorted(points.items(), key=lambda one: (-one[1], one[0]))
    rows = (f"{told_name(name)}: {count:g}" for name, count in best_first)
    return "\n".join(("", "Final Scores", "============", *rows))


class PrintedTournament:
    """The lines of a tournament of these games, each its players, who moves first named first, and
    its number among the games of these two. The part of a line that comes before its game is
    printed before it."""

    def __init__(self, games: Iterable[tuple[Sequence[str], int]]) -> None:
        self._next = iter(games)

    def before(self) -> str:
        """What comes before the next game, if there is one."""
        return next((running(names, number) for names, number in self._next), "")

    def after(self, record: GameRecord | None) -> str:
        """What comes after a game, None if it could not be played, and before the next."""
        return f"  {ending(record)}\n{self.before()}"


class Printed:
    """The lines of a fight: its winner, or of several games a line each and the points. The part of
    a line that comes before its game is printed before it."""

    def __init__(self, names: Sequence[str], games: int, first_movers: Iterator[int]) -> None:
        of_all = (
            ([*names[first:], *names[:first]], number) for number, first in enumerate(first_movers)
        )
        self._tournament = PrintedTournament(of_all) if games > 1 else None
        self._points = dict.fromkeys(names, 0.0)
        self._last = ""

    def before(self) -> str:
        """What comes before the next game, if there is one."""
        return self._tournament.before() if self._tournament else ""

    def after(self, record: GameRecord | None) -> str:
        """What comes after a game, None if it could not be played, and before the next."""
        self._last = ending(record)
        if record is not None and record.outcome.termination.is_rated:
            winner = record.outcome.winner
            for seat, player in enumerate(record.seats):
                self._points[player.name] += 0.5 if winner is None else seat == winner
        return self._tournament.after(record) if self._tournament else ""

    def end(self) -> str:
        return scores(self._points) if self._tournament else self._last


def ending(record: GameRecord | None) -> str:
    """The end of a game's line; ``record`` is None if the game could not be played."""
    return "Nobody wins." if record is None else winner(record)
