"""Step-through documents: the actions of both players, game by game, in either form of a log.

The contest's first program keeps step-through documents in memory only; the judge writes and reads
them as files. A step-through document has neither the size of the board nor results. A reader takes
the smallest board of the contest on which all actions fit, and works the results out from the
shots.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from judge.errors import RecordError
from judge.game.variants import CONTEST_DRAWS
from judge.logs.contest.checked import At, at
from judge.logs.contest.forms import (
    Form,
    begins_with,
    dumped,
    parsed,
    read_ship,
    read_shot,
    ship_document,
    shot_document,
)
from judge.logs.contest.games import is_over, scores_of
from judge.logs.contest.model import (
    BROKEN_OFF,
    LOST,
    TIED,
    WON,
    LoggedGame,
    LoggedSeat,
    MatchLog,
    MatchPlayer,
)

UNTOLD = (
    "the players and their files, seeds and names, the board where a smaller one has room for all, "
    "the times, the limits, or by which error a game broke off"
)


def written(form: Form, games: Iterable[LoggedGame]) -> str:
    """The document of these games. Each seat has first its ships, then its shots."""
    document = {
        form.games: [
            {
                name: [
                    *map(partial(ship_document, form), seat.ships),
                    *map(partial(shot_document, form), seat.shots),
                ]
                for name, seat in zip(form.seats, game, strict=True)
            }
            for game in games
        ]
    }
    return f"{dumped(document)}\n"


def is_log(form: Form, text: str) -> bool:
    """Whether a text begins like a step-through document."""
    return begins_with(text, "{", f'"{form.games}"', ":", "[", "{", f'"{form.seats[0]}"', ":", "[")


def read(form: Form, text: str) -> MatchLog:
    """The games of a document as a match. Raises `RecordError` if the text is not a valid
    document."""
    games = [
        (_side(form, game, form.seats[0]), _side(form, game, form.seats[1]))
        for number, one in enumerate(at(parsed(text), "the document").items(form.games), 1)
        for game in (at(one, f"game {number}"),)
    ]
    size = _size(games)
    decided = [_decided(size, *game) for game in games]
    first, second = (MatchPlayer("", "", score) for score in scores_of(decided))
    return MatchLog(size, None, (first, second), tuple(decided))


def _side(form: Form, game: At, name: str) -> LoggedSeat:
    """The ships and shots of a seat. Its result is yet to be worked out."""
    ships, shots = [], []
    for action in game.objects(name, "action"):
        if form.length not in action:
            shots.append(read_shot(form, action))
        elif shots:
            raise RecordError(f"{action.where}: a ship comes after a shot")
        else:
            ships.append(read_ship(form, action))
    return LoggedSeat(tuple(ships), tuple(shots), BROKEN_OFF)


def _size(games: Iterable[LoggedGame]) -> int:
    """The side of the smallest contest board whose fleets and cells fit these games."""
    seats = [seat for game in games for seat in game]
    ships = [ship for seat in seats for ship in seat.ships]
    cells = [cell for ship in ships for cell in ship.cells]
    cells += [shot.cell for seat in seats for shot in seat.shots]
    count = max((len(seat.ships) for seat in seats), default=0)
    lengths = {ship.length for ship in ships}
    for size, draw in sorted(CONTEST_DRAWS.items()):
        has_fleet = draw.ships == count and lengths <= set(draw.sizes)
        if has_fleet and all(max(cell) < size for cell in cells):
            return size
    raise RecordError("its ships and shots are those of no board of the contest")


def _decided(size: int, first: LoggedSeat, second: LoggedSeat) -> LoggedGame:
    """A game with the results that its shots give."""
    afloat = [
        len(own.ships) - sum(shot.sunk is not None for shot in other.shots)
        for own, other in ((first, second), (second, first))
    ]
    if not first.shots or not is_over(size, (first, second)):
        results = BROKEN_OFF, BROKEN_OFF
    elif afloat[0] == afloat[1]:
        results = TIED, TIED
    else:
        results = (WON, LOST) if afloat[0] > afloat[1] else (LOST, WON)
    return replace(first, result=results[0]), replace(second, result=results[1])
