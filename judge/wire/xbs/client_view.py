"""The game as a client of an XBS table hears it: boards and turns, as events."""

from __future__ import annotations

from collections.abc import Sequence

from judge.documents.game import Result
from judge.documents.rules import Rules
from judge.game.events import Back, Event, Gone, Shot, TurnSkipped
from judge.wire.xbs.notation import HIT, MISS, UNKNOWN, cell_at

MOST_AT_ONCE = 10_000  # events from one turn to the next
MOST_SHOTS = 100_000  # shots of a game; nine of the largest boards have some 37,000 squares


class ClientView:
    """The position of one game as far as its lines have told it, and the events that are not
    passed on yet. Whatever no game can be raises `ValueError`.

    ``places`` are the names by which seats are called in events: as their owners came until the
    game begins, then in the order of turns. ``up`` is who is to shoot. ``away`` says by name why
    somebody is gone. ``standing`` has points and skips by name.
    """

    def __init__(self) -> None:
        self.places: list[str] = []
        self.has_begun = False
        self.up: str | None = None
        self.turns = 0
        self.away: dict[str, str] = {}
        self.standing: dict[str, tuple[int, int]] = {}
        self.shots: list[Shot] = []
        self._boards: dict[str, str] = {}
        self._pending: list[Event] = []

    def seat(self, name: str) -> int:
        return self.places.index(name)

    @property
    def has_pending(self) -> bool:
        """Whether something has happened that is not passed on yet."""
        return bool(self._pending)

    @property
    def has_passed(self) -> bool:
        """Whether the turn is over, by what is not passed on yet: the next line says who is up."""
        return any(isinstance(one, Shot | TurnSkipped) for one in self._pending)

    def taken(self) -> tuple[Event, ...]:
        """The events since this was asked last."""
        events = tuple(self._pending)
        self._pending.clear()
        return events

    def left(self, name: str) -> None:
        """Somebody goes before the game."""
        self.places.remove(name)
        self._boards.pop(name, None)

    def misses(self, name: str, board: str) -> None:
        """The misses on the board of whoever comes back to a game; hits follow."""
        self._boards[name] = "".join(one if one == MISS else UNKNOWN for one in board)

    def begin(self, names: Sequence[str], rules: Rules) -> None:
        """Now the seats are known, and so what boards have told before."""
        boards, away = self._boards, self.away
        self.places, self.has_begun = list(names), True
        self._boards, self.away = {}, {}
        self._pending.clear()
        for name in names:
            if name in boards:
                self.board(name, away.get(name, ""), boards[name], rules)

    def board(self, name: str, status: str, board: str, rules: Rules) -> None:
        """The board of a player whose ``status`` says why it is gone, if it is."""
        seat = self.seat(name)
        squares = rules.columns * rules.rows
        if len(board) != squares or set(board) - {UNKNOWN, HIT, MISS}:
            raise ValueError("a board has a dot, X or 0 for each square")
        before = self._boards.get(name, UNKNOWN * squares)
        self._boards[name] = board
        for place, (old, new) in enumerate(zip(before, board, strict=True)):
            if old != new:
                if old != UNKNOWN:
                    raise ValueError("a square that was shot at stays as it is")
                result = Result.HIT if new == HIT else Result.MISS
                self._add(Shot(self._shooter(seat), seat, cell_at(place, rules), result))
        if status and name not in self.away:
            self._add(Gone(seat, None, status))
            self.away[name] = status
        elif not status and name in self.away:
            del self.away[name]
            self._add(Back(seat))

    def skip(self, name: str, why: str = "") -> None:
        """A turn is skipped; the next line of that player's board counts it too."""
        self._add(TurnSkipped(self.seat(name), why))
        points, skips = self.standing.get(name, (0, 0))
        self.standing[name] = points, skips + 1

    def turn(self, name: str) -> None:
        """Somebody is to shoot. Not every server says of a turn without a shot that it was skipped."""
        self.seat(name)
        if self.up is not None and self.up not in self.away and self.turns and not self.has_passed:
            self.skip(self.up)
        if self.up is not None or not self.turns:  # else a turn that it knew is told again
            self.turns += 1
        self.up = name

    def _add(self, event: Event) -> None:
        """Keep what has happened; before the game, what it is about cannot be told."""
        if len(self._pending) == MOST_AT_ONCE:
            raise ValueError("no turn has so many events")
        self._pending.append(event)
        if isinstance(event, Shot) and self.has_begun:
            if len(self.shots) == MOST_SHOTS:
                raise ValueError("no game has so many shots")
            self.shots.append(event)

    def _shooter(self, target: int) -> int:
        up = target if self.up is None else self.seat(self.up)
        return up if up != target else (target + 1) % max(2, len(self.places))
