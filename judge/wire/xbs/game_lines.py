"""The events of an XBS game as lines, the same for everyone at the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from judge.documents.game import Outcome, Termination
from judge.documents.rules import Rules
from judge.game.events import Back, Event, Gone, Shot, TurnSkipped
from judge.wire.messages import Told
from judge.wire.xbs.notation import HIT, MISS, UNKNOWN, coordinate, square, words

AWAY = "disconnected"
BROKEN = "comm error"  # the status of a player that failed


class GameLines:
    """The position of one game as its lines show it. `lines` brings it up to date.

    ``names`` are the names of all seats. Every ``B`` line ends with ``more``.
    """

    def __init__(self, names: Sequence[str], rules: Rules, first: int, more: str = "") -> None:
        seats = len(names)
        self.names = tuple(names)
        self.boards = [UNKNOWN * (rules.columns * rules.rows)] * seats
        self.up: tuple[int, ...] = ()
        self.has_begun = False
        self.order = [(first + turn) % seats for turn in range(seats)]  # the order of turns
        self._rules = rules
        self._more = more
        self._scores = [0] * seats
        self._skips = [0] * seats
        self._turns = [0] * seats
        self._status = [""] * seats

    def lines(self, message: Told, taunt: Sequence[str] = ()) -> Iterator[str]:
        """The lines for a message. The lines of a ``taunt`` come before the boards of the shot."""
        has_passed = False  # whether a turn has passed
        for event in message.events:
            has_passed |= isinstance(event, Shot | TurnSkipped)
            yield from self._event(event, taunt)
        if message.up and not self.has_begun:
            self.has_begun = True
            yield from map(self.board_line, self.order)
            yield self.start_line()
        elif not has_passed and message.up == self.up:
            return
        self.up = message.up
        yield from self.turn_lines()

    def over(self, outcome: Outcome) -> Iterator[str]:
        """The line for the end of the game, then a line for each player's result, with the most
        points first."""
        how = "aborted" if outcome.termination is Termination.ABORTED else "finished"
        yield f"F|{how}|{self._turns[self.order[0]]}|{len(self.order)}"
        for seat in sorted(self.order, key=lambda seat: -self._scores[seat]):
            counts = f"{self._scores[seat]}|{self._skips[seat]}|{self._turns[seat]}"
            yield f"R|{self.names[seat]}|{counts}|{self._status[seat]}"

    def start_line(self) -> str:
        return "|".join(["S", *(self.names[seat] for seat in self.order)])

    def turn_lines(self) -> Iterator[str]:
        """The line on whose turn it is, if it is anybody's."""
        for seat in self.up[:1]:
            yield f"N|{self.names[seat]}"

    def board_line(self, seat: int) -> str:
        """The line with a seat's status, board as everyone may see it, points and skipped turns."""
        values = (
            f"{self._status[seat]}|{self.boards[seat]}|{self._scores[seat]}|{self._skips[seat]}"
        )
        return f"B|{self.names[seat]}|{values}{self._more}"

    def _event(self, event: Event, taunt: Sequence[str]) -> Iterator[str]:
        match event:
            case Shot(seat, target, cell):
                self._turns[seat] += 1
                is_hit = event.is_hit
                board, place = self.boards[target], square(cell, self._rules)
                mark = HIT if is_hit else MISS
                self.boards[target] = f"{board[:place]}{mark}{board[place + 1 :]}"
                if is_hit:
                    self._scores[seat] += 1
                    yield f"H|{self.names[seat]}|{self.names[target]}|{coordinate(cell)}"
                yield from taunt
                if is_hit:
                    yield self.board_line(seat)
                yield self.board_line(target)
            case TurnSkipped(seat, why):
                self._turns[seat] += 1
                self._skips[seat] += 1
                if why:
                    yield f"K|{self.names[seat]}|{words(why)}"
            case Gone(seat) if not self.has_begun:
                self.order.remove(seat)  # the players are never told its name
            case Gone(seat, termination, detail) if not self._status[seat]:
                broke = termination not in (None, Termination.LEFT, Termination.RESIGNED)
                self._status[seat] = BROKEN if broke else words(detail) or AWAY
                yield self.board_line(seat)
            case Back(seat):
                self._status[seat] = ""
                yield self.board_line(seat)
                yield f"M||{self.names[seat]} reconnected"
