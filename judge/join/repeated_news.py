"""Holds back repeated news of a table's players, and later says how often each came. Pure.

A player that is gone has each of its turns skipped, and a player with a bad line comes and goes all
the time. The first news of each kind is said at once.
"""

from __future__ import annotations

from dataclasses import dataclass

from judge.show.text import many

MOST_MOVES = 4  # comings and goings of a player in one turn that are said one by one


@dataclass(slots=True)
class _Repeated:
    """News of one kind: the last sentence, and how often it came. The first skip is not counted."""

    sentence: str
    times: int = 0


class RepeatedNews:
    """The news that are held back. Each method returns the sentences to say now."""

    def __init__(self) -> None:
        self._skips: dict[int, _Repeated] = {}  # the skipped turns of each seat, in a row
        self._moves: dict[int, _Repeated] = {}  # the comings and goings of each seat in this turn

    def skipped(self, seat: int, sentence: str) -> list[str]:
        """Take the news that a seat's turn was skipped. If the seat's last turn was skipped with
        the same sentence, the skip is only counted."""
        last = self._skips.get(seat)
        if last and last.sentence == sentence:
            last.times += 1
            return []
        said = self.acted(seat)
        self._skips[seat] = _Repeated(sentence)
        return [*said, sentence]

    def acted(self, seat: int) -> list[str]:
        """Note that a seat shot or came back. The number of its skips held back is said now, and
        its next skip is said at once."""
        last = self._skips.pop(seat, None)
        return [f"{last.sentence}, {many(last.times, 'more time')}"] if last and last.times else []

    def moved(self, seat: int, sentence: str) -> list[str]:
        """Take the news that a seat came or went. After `MOST_MOVES` of a seat in one turn, its
        further news wait for the end of the turn."""
        moves = self._moves.setdefault(seat, _Repeated(""))
        moves.sentence, moves.times = sentence, moves.times + 1
        return [] if moves.times > MOST_MOVES else [sentence]

    def turn_over(self) -> list[str]:
        """Note that a turn is over. If news of a seat waited, the last is said, with how often the
        seat came and went in the turn."""
        moves, self._moves = self._moves, {}
        return [
            f"{each.sentence} ({each.times:,} comings and goings in one turn)"
            for each in moves.values()
            if each.times > MOST_MOVES
        ]

    def game_over(self) -> list[str]:
        """Say all that is held back."""
        return [*self.turn_over(), *(text for seat in [*self._skips] for text in self.acted(seat))]
