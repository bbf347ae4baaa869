"""The events of an XBS game, worked out from the lines that a client gets."""

from __future__ import annotations

from collections.abc import Sequence

from judge.documents.game import Result
from judge.documents.rules import Rules
from judge.game.events import Back, Event, Gone, Shot, TurnSkipped
from judge.wire.xbs.notation import HIT, MISS, UNKNOWN, cell_at

MOST_AT_ONCE = 10_000  # events from one turn to the next, at most
MOST_SHOTS = 100_000  # shots of a game, at most; nine large boards have some 37,000 squares


class ClientView:
    """The position of one game as told by its lines, and the events that were not taken yet. Its
    methods raise `ValueError` for what no game can bring.

    ``places`` are the players' names by seat: in the order of coming until the game begins, then in
    the order of turns. ``up`` is the name of the player whose turn it is. ``away`` maps the name of
    each absent player to the reason. ``standing`` maps a name to points and skipped turns.
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
        """Whether there are events that were not taken yet."""
        return bool(self._pending)

    @property
    def has_passed(self) -> bool:
        """Whether the events not taken yet include a shot or a skip, so that the turn is over."""
        return any(isinstance(one, Shot | TurnSkipped) for one in self._pending)

    def taken(self) -> tuple[Event, ...]:
        """Return the events since the last call, and forget them."""
        events = tuple(self._pending)
        self._pending.clear()
        return events

    def left(self, name: str) -> None:
        """Forget a player that has left before the game."""
        self.places.remove(name)
        self._boards.pop(name, None)

    def misses(self, name: str, board: str) -> None:
        """Note the misses on a player's own board, which the player gets when it comes back. Hits
        come later."""
        self._boards[name] = "".join(one if one == MISS else UNKNOWN for one in board)

    def begin(self, names: Sequence[str], rules: Rules) -> None:
        """Begin the game with these names in the order of turns. Boards that came earlier are read
        again, since events from before the beginning are dropped."""
        boards, away = self._boards, self.away
        self.places, self.has_begun = list(names), True
        self._boards, self.away = {}, {}
        self._pending.clear()
        for name in names:
            if name in boards:
                self.board(name, away.get(name, ""), boards[name], rules)

    def board(self, name: str, status: str, board: str, rules: Rules) -> None:
        """Read the board of a player. ``status`` says why the player is gone; empty if it is
        not."""
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
        """Add the event of a skipped turn, and count it in ``standing``."""
        self._add(TurnSkipped(self.seat(name), why))
        points, skips = self.standing.get(name, (0, 0))
        self.standing[name] = points, skips + 1

    def turn(self, name: str) -> None:
        """Note whose turn it is. If no shot came in the turn before and its player is not away,
        that turn counts as skipped: some servers do not say so."""
        self.seat(name)
        if self.up is not None and self.up not in self.away and self.turns and not self.has_passed:
            self.skip(self.up)
        if self.up is not None or not self.turns:  # else a known turn is told again
            self.turns += 1
        self.up = name

    def _add(self, event: Event) -> None:
        """Keep an event. Shots before the beginning of the game are not kept in ``shots``."""
        if len(self._pending) == MOST_AT_ONCE:
            raise ValueError("no turn has that many events")
        self._pending.append(event)
        if isinstance(event, Shot) and self.has_begun:
            if len(self.shots) == MOST_SHOTS:
                raise ValueError("no game has that many shots")
            self.shots.append(event)

    def _shooter(self, target: int) -> int:
        up = target if self.up is None else self.seat(self.up)
        return up if up != target else (target + 1) % max(2, len(self.places))
