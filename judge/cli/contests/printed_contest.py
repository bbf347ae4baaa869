"""judge rank --print: the lines of a contest, each of which begins before its game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from judge.cli.sinks import Event, Failed, StepDone
from judge.contest.schedule import Pairing
from judge.contest.tournament import Fault
from judge.errors import Interrupted, JudgeFault
from judge.game.record import GameRecord
from judge.logs.broadsides_output import ending, running

Take = Callable[[GameRecord | Fault], StepDone | Failed]


class Numbered(NamedTuple):
    """A game, its players with who moves first named first, and its number among the games of
    these two."""

    game: Pairing
    names: tuple[str, ...]
    number: int


class PrintedContest:
    """The lines of a contest's games, in the order of the schedule.

    A game that ``is_over`` when its line would begin gets none: it was played before, or is left
    out. If a game turns out to be over before its own result comes, as when another judge has
    played it, its line ends without a winner.
    """

    def __init__(self, games: Iterable[Numbered], is_over: Callable[[Pairing], bool]) -> None:
        self._games = iter(games)
        self._is_over = is_over
        self._begun: Pairing | None = None

    def before(self) -> str:
        """Begin the line of the next game, if there is one."""
        self._begun = None
        for game, names, number in self._games:
            if not self._is_over(game):
                self._begun = game
                return running(names, number)
        return ""

    def telling(self, take: Take) -> Take:
        """What makes the event of a result, with the lines in it that are to be printed then."""

        def taken(result: GameRecord | Fault) -> StepDone | Failed:
            before = self._catch_up(result)  # before the result is counted
            event = take(result)
            return replace(event, row=before + self._after(result))

        return taken

    def ending(self, events: Iterator[Event]) -> Iterator[Event]:
        """These events, and the end of the line that has begun if they are broken off."""
        try:
            yield from events
        except (Interrupted, JudgeFault):
            if line_end := self.end():
                yield StepDone(standing=str, steps=0, row=line_end)
            raise

    def _catch_up(self, result: GameRecord | Fault) -> str:
        """End the lines of games that are over without a result of this run."""
        lines = ""
        while self._begun is not None and not self._is_of(result) and self._is_over(self._begun):
            lines += f"\n{self.before()}"
        return lines

    def _after(self, result: GameRecord | Fault) -> str:
        """The end of a game's line and the beginning of the next; empty if the game has no line."""
        if not self._is_of(result):
            return ""
        record = None if isinstance(result, Fault) else result
        return f"  {ending(record)}\n{self.before()}"

    def end(self) -> str:
        """End the line of a game that will not be played."""
        is_open, self._begun = self._begun is not None, None
        return "\n" * is_open

    def _is_of(self, result: GameRecord | Fault) -> bool:
        game = result.pairing.id if isinstance(result, Fault) else result.id
        return self._begun is not None and self._begun.id == game
