"""Moves as lines of text: a shot, a volley with numbered shots, or an incident, such as a skip.

Does no I/O. The number of a move is that of its step in `judge replay` and on the game's page.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import groupby

from judge.documents.game import FORFEITS, Result
from judge.documents.rules import Rules
from judge.game.events import Back, Event, Gone, Shot, TurnSkipped
from judge.game.game import Game
from judge.show.board import Picture, Rulers, number_in_volley, titled_boards
from judge.show.text import WIDTH, Style, cells, clean, cut, left, paint, right

_MOST_OF_A_NAME = 18  # cells
MOST_LINES = 200  # lines of moves beside the boards of a game under way
_BETWEEN = 2  # columns between the shots of a volley


def move_lines(
    number: int,
    shots: Iterable[Shot],
    names: Sequence[str],
    rules: Rules,
    *,
    rulers: Rulers | None = None,
    columns: int = WIDTH,
    colour: bool = False,
) -> list[str]:
    """The lines of a move: its number, who shot where, and each shot's result.

    A single shot takes one line, a volley as many as it needs. If all seats shoot at once, each
    seat's shots begin a new line. ``rulers`` are by default those of `Rulers.of`.
    """
    lines = []
    named = rulers or Rulers.of(rules)
    width = _width(tuple(names))
    for seat, fired in groupby(shots, lambda shot: shot.seat):
        head = f"{number:>4}  {left(_shown(names[seat], _MOST_OF_A_NAME), width)}  "
        volley = list(fired)
        done = [_shot(shot, names, named, len(volley) > 1, colour) for shot in volley]
        if len(volley) > 1:
            done = [
                (f"{number_in_volley(place)}{text}", taken + 1)
                for place, (text, taken) in enumerate(done, 1)
            ]
        lines += _in_lines(head, done, columns)
    return lines


@lru_cache
def _width(names: tuple[str, ...]) -> int:
    """The width of a column that has all these names, in cells."""
    return min(_MOST_OF_A_NAME, max(cells(clean(name)) for name in names))


@lru_cache
def _shown(name: str, most: int) -> str:
    """A clean name, cut to ``most`` cells. The result is cached, since every move has a name."""
    return cut(clean(name), most)


def _in_lines(head: str, done: Sequence[tuple[str, int]], columns: int) -> list[str]:
    """The lines with a head and the texts behind it, wrapped at ``columns``. Each text comes with
    its width in cells."""
    indent = cells(head)
    lines, room = [head], columns - indent
    for place, (text, taken) in enumerate(done):
        gap = _BETWEEN if place else 0
        if gap and gap + taken > room:
            lines.append(" " * indent)
            room, gap = columns - indent, 0
        lines[-1] += " " * gap + text
        room -= gap + taken
    return lines


def _shot(
    shot: Shot, names: Sequence[str], rulers: Rulers, is_short: bool, colour: bool
) -> tuple[str, int]:
    """The text of a shot's cell and result, and the width of that text in cells."""
    where = rulers.cell(shot.cell)
    if not is_short:
        where = right(where, rulers.width)
    style = None
    match shot.result:
        case Result.SUNK:
            did, style = f"hit, sinks {_ship(shot)}", Style.SUNK
        case Result.HIT:
            did, style = "hit", Style.RED
        case Result.MISS:
            did = "miss"
        case Result.REPEAT:
            did = "wasted" if is_short else "wasted, shot at before"
    whose = f"at {_shown(names[shot.target], _MOST_OF_A_NAME)}" if len(names) > 2 else ""
    gap = " " if is_short else "  "
    bare = gap.join(filter(None, (where, did, whose)))
    told = paint(did, style, colour) if style else did
    return gap.join(filter(None, (where, told, whose))), cells(bare)


def _ship(shot: Shot) -> str:
    return f"the {shot.sunk}" if shot.sunk else "a ship"


def incident_line(
    number: int | None, seat: int, what: str, names: Sequence[str], *, colour: bool = False
) -> str:
    """The line on an incident of a seat. ``number`` is the number of its move, None in the
    placing."""
    did = paint(incident_text(what), Style.RED, colour and what in FORFEITS)
    return f"{'' if number is None else number:>4}  {_shown(names[seat], 40)} {did}"


class MoveLog:
    """The moves of games as their events come in, as lines and as a picture.

    With a ``seat``, shots have their announced results; with None their true results. ``rulers``
    makes the rulers for a game's rules. ``number`` is the last move's number, and ``begin`` the
    number of shots before that move.
    """

    def __init__(
        self,
        names: Sequence[str],
        *,
        seat: int | None = None,
        rulers: Callable[[Rules], Rulers] = Rulers.of,
        colour: bool = False,
    ) -> None:
        self.number = 0
        self.begin = 0
        self._names = names
        self._seat = seat
        self._rulers = rulers
        self._colour = colour
        self._game: Game | None = None
        self._heard = 0  # shots of the game so far
        self._is_open = False  # more shots of the same move are to come
        self.last: deque[str] = deque(maxlen=MOST_LINES)  # the last lines of the present game

    def picture(
        self,
        game: Game,
        title: str,
        *,
        seat: int | None = None,
        more: Sequence[str] = (),
        about: Sequence[str] = (),
    ) -> Picture:
        """The boards after the last move, as a ``seat`` knows them or, with None, in truth.
        ``about`` has the lines on the players, and ``more`` the lines below the boards."""
        return Picture(
            title,
            game.rules,
            tuple(titled_boards(game, self._names, seat=seat, move=self.begin)),
            said=tuple(more),
            moves=tuple(self.last),
            about=tuple(about),
            rulers=self._rulers(game.rules),
        )

    def lines(self, game: Game, event: Event) -> list[str]:
        """Take an event. Returns the lines of the move that the event completes; else empty."""
        if game is not self._game:
            self._game, self.number, self.begin, self._heard = game, 0, 0, 0
            self._is_open = False
            self.last.clear()
        lines = self._lines(game, event)
        self.last.extend(lines)
        return lines

    def _lines(self, game: Game, event: Event) -> list[str]:
        match event:
            case Shot():
                return self._shot(game)
            case TurnSkipped():
                return [self._aside(game, event.seat, "skip")]
            case Back():
                return [self._aside(game, event.seat, "return")]
            case Gone():
                return [self._aside(game, event.seat, str(event.termination or "leave"))]
        return []

    def _shot(self, game: Game) -> list[str]:
        if not self._is_open:
            self.begin, self._is_open = self._heard, True
        self._heard += 1
        if self._heard < len(game.shots):
            return []
        self._is_open = False
        self.number += 1
        shots = (game.shots if self._seat is None else game.announced_shots)[self.begin :]
        rulers = self._rulers(game.rules)
        return move_lines(
            self.number, shots, self._names, game.rules, rulers=rulers, colour=self._colour
        )

    def _aside(self, game: Game, seat: int, what: str) -> str:
        number = None
        if game.fleet(seat) is not None:  # else it failed in placing, which is not a move
            self.number += 1
            self.begin = self._heard
            number = self.number
        return incident_line(number, seat, what, self._names, colour=self._colour)


def incident_text(what: str) -> str:
    """The words for an incident; ``what`` is as in `judge.documents.game.Incident`."""
    return _ASIDES.get(what) or f"forfeits: {what}"


_ASIDES = {
    "skip": "skips",
    "leave": "leaves the table",
    "kick": "is removed",
    "return": "comes back",
    "away": "is gone, and its turn waits",
    "boot": "is sent away by the host, and its turn waits",
    "back": "is back",
}
