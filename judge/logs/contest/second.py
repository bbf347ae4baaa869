"""Logs of the contest's second program, which are read and not written.

Ships and shots are lists of numbers. A player has an error with what it had sent, and its own
figures. What is known of its quirks: the time has a fraction; the shot of an error may have a third
number, of no meaning; and of a match of a contest that broke off before its first game, the last
game is random. Of the lives it says only how many were left at the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from judge.documents.rules import Cell, Ship
from judge.errors import RecordError
from judge.logs.contest.checked import At, at, both, one_of, ship_at, side_of, whole
from judge.logs.contest.forms import FIRST, parsed
from judge.logs.contest.model import (
    BROKEN_OFF,
    HIT,
    LOST,
    MISS,
    REPEATED_HIT,
    REPEATED_KILL,
    REPEATED_MISS,
    TIED,
    WON,
    ContestLog,
    ContestMatch,
    ContestSide,
    Entrant,
    LogFigures,
    LoggedGame,
    LoggedSeat,
    LoggedShot,
    MatchLog,
    MatchPlayer,
    Score,
)

_SEATS = ("p1", "p2")
_VALUES = (HIT, MISS, REPEATED_HIT, REPEATED_MISS, REPEATED_KILL)
_BEFORE_A_GAME = (1, 2, 5)  # errors at which no game has begun
_AT_ANY_TIME = (3, 4)
_LIVES = 3  # of each player at the beginning of a contest
_MARK = re.compile(r'[{,]\s*"(?:sta|rds)"\s*:')  # keys that the other forms do not have


def is_log(text: str) -> bool:
    """Whether a text, which begins as a log of the first program, is one of the second."""
    return FIRST.begins(text) and _MARK.search(text) is not None


def read(text: str) -> MatchLog | ContestLog:
    """What a log holds; raises `RecordError` if it is none."""
    log = at(parsed(text), "the log")
    size = side_of(log, "bs")
    if "rds" in log:
        rounds = [
            [
                _match(at(match, f"round {number}, match {place}"))
                for place, match in enumerate(one.items("mts"), 1)
            ]
            for number, one in enumerate(log.objects("rds", "round"), 1)
        ]
        byes = (one.count("bye") if "bye" in one else None for one in log.objects("rds", "round"))
        entrants = tuple(
            _entrant(number, one) for number, one in enumerate(log.objects("pls", "player"))
        )
        return ContestLog(size, entrants, _with_lives(entrants, rounds), tuple(byes))
    return MatchLog(
        size=size,
        seconds=log.number("et"),
        players=both(log, _SEATS, _player),
        games=tuple(
            _game(at(game, f"game {number}")) for number, game in enumerate(log.items("gms"), 1)
        ),
    )


def _game(game: At) -> LoggedGame:
    return both(game, _SEATS, _seat)


def _seat(seat: At) -> LoggedSeat:
    error, figures = seat.count("ert"), seat.inside("sta")
    ships = tuple(
        _ship(value, f"{seat.where}, ship {number}")
        for number, value in enumerate(seat.lists("sps", "ship"), 1)
    )
    shots = tuple(
        _shot(value, f"{seat.where}, shot {number}")
        for number, value in enumerate(seat.lists("sts", "shot"), 1)
    )
    result = figures.integer("gr")
    return LoggedSeat(
        ships,
        shots,
        result if result in (WON, LOST, TIED) else BROKEN_OFF,
        None if error else LogFigures(*map(figures.count, ("nb", "nh", "nm", "nd", "sk"))),
    )


def _numbers(value: Any, lengths: tuple[int, ...], where: str) -> list[int]:
    if len(value) not in lengths:
        raise RecordError(f"{where} has {len(value)} numbers")
    return [whole(one, where) for one in value]


def _ship(value: Any, where: str) -> Ship:
    row, column, length, way = _numbers(value, (4,), where)
    return ship_at(row=row, column=column, length=length, way=way, where=where)


def _shot(value: Any, where: str) -> LoggedShot:
    row, column, what, *sunk = _numbers(value, (3, 4), where)
    if what not in _VALUES:
        raise RecordError(f"{where}: {what} is no answer to a shot")
    return LoggedShot(Cell(column, row), what, *sunk)


def _score(keys: str, one: At) -> Score:
    return Score(*map(one.count, keys.split()))


def _player(player: At) -> MatchPlayer:
    return MatchPlayer(
        name=player.text("ai"),
        authors=player.text("au"),
        score=_score("W L T", player.inside("sta")),
        error=_error(player.inside("err")),
    )


def _error(error: At) -> int:
    """The code of an error; with it may stand the text, the ship or the shot, which are not looked
    at."""
    return error.count("ert")


def _entrant(number: int, one: At) -> Entrant:
    return Entrant(
        number,
        one.text("ai"),
        one.text("au"),
        _score("TW TL TT", one),
        matches=_score("W L T", one),
        lives=one.count("liv"),
        is_awake=one.flag("pd"),
        error=_error(one.inside("err")),
    )


def _match(match: At) -> ContestMatch:
    sides = both(match, _SEATS, _side)
    broke_off = any(side.error for side in sides) and sides[0].score.games <= 1
    last = match.inside("lg")
    is_random = broke_off and any(side.error in _BEFORE_A_GAME for side in sides)
    may_be_random = broke_off and any(side.error in _AT_ANY_TIME for side in sides)
    game = None
    if last.value and not is_random:
        try:
            game = _game(last)
        except RecordError:
            if not may_be_random:
                raise
    return ContestMatch(seconds=match.number("et"), sides=sides, last=game)


def _side(side: At) -> ContestSide:
    score = _score("W L T", side.inside("sta"))
    return ContestSide(
        side.count("pid"),
        score,
        _error(side.inside("err")),
        result=one_of(side, "gr", (WON, LOST, TIED), {}),
    )


def _with_lives(
    entrants: Sequence[Entrant], rounds: Sequence[Sequence[ContestMatch]]
) -> tuple[tuple[ContestMatch, ...], ...]:
    """The rounds with the lives that each player had left after a match, counted back from those at
    the end: a match that is lost or tied costs one, an error all."""
    costs = dict.fromkeys((one.number for one in entrants), 0)  # of the matches before
    lives = {one.number: one.lives or 0 for one in entrants}
    for match in (match for round_ in rounds for match in round_):
        for side in match.sides:
            costs[side.number] = costs.get(side.number, 0) + (side.result != WON)
    counted = []
    for round_ in reversed(rounds):
        matches = []
        for match in reversed(round_):
            first, second = (replace(side, lives=lives.get(side.number, 0)) for side in match.sides)
            matches.append(replace(match, sides=(first, second)))
            for side in match.sides:
                costs[side.number] -= side.result != WON
                before = lives.get(side.number, 0) + (side.result != WON)
                if side.error:
                    before = max(before, _LIVES - costs[side.number])
                lives[side.number] = before
        counted.append(tuple(reversed(matches)))
    return tuple(reversed(counted))
