"""Writes the contents in `judge.logs.contest.model` as JSON, in two forms of a log, and reads them.

The described form and the first program's form have the same objects under other keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from judge.documents import json_files
from judge.documents.rules import Cell, Orientation, Ship
from judge.errors import RecordError
from judge.logs.contest.checked import WAYS, At, at, both, one_of, ship_at, side_of
from judge.logs.contest.model import (
    BROKEN_OFF,
    HIT,
    LOST,
    MISS,
    REPEAT,
    REPEATS,
    TIED,
    WON,
    ContestLog,
    ContestMatch,
    ContestSide,
    LogBot,
    LoggedGame,
    LoggedSeat,
    LoggedShot,
    MatchLog,
    MatchPlayer,
    Score,
)

_RESULTS = (WON, LOST, TIED, BROKEN_OFF)


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The keys of a form. ``words`` maps a number to the word that is written in its place; it is
    empty in `FIRST`."""

    seats: tuple[str, str]
    size: str
    seconds: str
    games: str
    ships: str
    row: str
    column: str
    length: str
    way: str
    shots: str
    value: str
    sunk: str
    result: str
    name: str
    authors: str
    won: str
    lost: str
    tied: str
    error: str
    entrants: str
    number: str
    totals: tuple[str, str, str]
    rounds: str
    lives: str
    last: str
    words: Mapping[int, str] = field(default_factory=dict)

    @property
    def numbers(self) -> Mapping[str, int]:
        """The number of each word; empty if the form has no words."""
        return _NUMBERS if self.words else {}

    def begins(self, text: str) -> bool:
        """Whether a text begins like a log of this form."""
        return begins_with(text, "{", f'"{self.size}"', ":")

    def said(self, number: int) -> int | str:
        """The word that stands for a number, or the number itself."""
        return self.words.get(number, number)


FIRST = Form(
    seats=("p1", "p2"),
    size="bs",
    seconds="et",
    games="gms",
    ships="sps",
    row="r",
    column="c",
    length="l",
    way="d",
    shots="sts",
    value="v",
    sunk="sid",
    result="o",
    name="ai",
    authors="au",
    won="W",
    lost="L",
    tied="T",
    error="e",
    entrants="pls",
    number="pid",
    totals=("tw", "tl", "tt"),
    rounds="mts",
    lives="lvs",
    last="lg",
)

TEXT = Form(
    seats=("player1", "player2"),
    size="board_size",
    seconds="elapsed_time",
    games="games",
    ships="ships",
    row="row",
    column="col",
    length="len",
    way="dir",
    shots="shots",
    value="value",
    sunk="index_of_ship_sunk",
    result="outcome",
    name="ai_name",
    authors="author_names",
    won="wins",
    lost="losses",
    tied="ties",
    error="error",
    entrants="players",
    number="player_idx",
    totals=("total_wins", "total_losses", "total_ties"),
    rounds="matches",
    lives="lives",
    last="last_game",
    words={
        **{WAYS[way]: way.name for way in Orientation},
        **dict.fromkeys(REPEATS, "DUPLICATE"),
        HIT: "HIT",
        MISS: "MISS",
        WON: "WIN",
        LOST: "LOSS",
        TIED: "TIE",
    },
)

# Keys that only the contest's second program writes, whose other keys are those of the first.
_SECOND_PROGRAM = re.compile(r'[{,]\s*"(?:sta|rds)"\s*:')

# A log may call the hit that sinks a ship a KILL; it is read as a hit.
_NUMBERS = {
    "KILL": HIT,
    **{word: number for number, word in TEXT.words.items()},
    "DUPLICATE": REPEAT,
}


# Writing


def dumped(document: Any) -> str:
    """JSON as the contest's programs write it: compact, with sorted keys and without escapes of
    non-ASCII characters."""
    text = json.dumps(
        document, allow_nan=False, ensure_ascii=False, sort_keys=True, separators=(",", ":")
    )
    return text.encode("utf-8", "replace").decode()


def written(form: Form, log: MatchLog | ContestLog) -> str:
    """The text of a log."""
    if isinstance(log, ContestLog):
        return _written_contest(form, log)
    games = (dumped(game_document(form, game)) for game in log.games)
    return written_match(form, log.size, log.seconds or 0, log.players, games)


def written_match(
    form: Form,
    size: int,
    seconds: float,
    players: tuple[MatchPlayer, MatchPlayer],
    games: Iterable[str],
) -> str:
    """The log of a match, from games that are JSON text already."""
    ends = ",".join(
        f'"{seat}":{dumped(_player(form, player))}'
        for seat, player in zip(form.seats, players, strict=True)
    )
    begin = f'"{form.size}":{size},"{form.seconds}":{int(seconds)}'
    return f'{{{begin},"{form.games}":[{",".join(games)}],{ends}}}\n'


def _written_contest(form: Form, log: ContestLog) -> str:
    document = {
        form.size: log.size,
        form.entrants: [_entrant(form, entrant) for entrant in log.entrants],
        form.rounds: [[_match(form, match) for match in matches] for matches in log.rounds],
    }
    return f"{dumped(document)}\n"


def game_document(form: Form, game: LoggedGame) -> dict[str, Any]:
    """A game as a JSON object of this form, with an entry for each seat."""
    return {name: _seat(form, seat) for name, seat in zip(form.seats, game, strict=True)}


def _seat(form: Form, seat: LoggedSeat) -> dict[str, Any]:
    return {
        form.ships: [ship_document(form, ship) for ship in seat.ships],
        form.shots: [shot_document(form, shot) for shot in seat.shots],
        form.result: form.said(seat.result),
    }


def ship_document(form: Form, ship: Ship) -> dict[str, Any]:
    return {
        form.row: ship.row,
        form.column: ship.column,
        form.length: ship.length,
        form.way: form.said(WAYS[ship.orientation]),
    }


def shot_document(form: Form, shot: LoggedShot) -> dict[str, Any]:
    document = {
        form.row: shot.cell.row,
        form.column: shot.cell.column,
        form.value: form.said(shot.value),
    }
    return document if shot.sunk is None else {**document, form.sunk: shot.sunk}


def _score(form: Form, score: Score) -> dict[str, Any]:
    return {form.won: score.won, form.lost: score.lost, form.tied: score.tied}


def _player(form: Form, player: MatchPlayer) -> dict[str, Any]:
    names = {form.name: player.name, form.authors: player.authors}
    return {**names, **_score(form, player.score), form.error: player.error}


def _entrant(form: Form, one: LogBot) -> dict[str, Any]:
    score = (one.score.won, one.score.lost, one.score.tied)
    return {
        form.number: one.number,
        form.name: one.name,
        form.authors: one.authors,
        **dict(zip(form.totals, score, strict=True)),
    }


def _match(form: Form, match: ContestMatch) -> dict[str, Any]:
    sides = {
        name: {
            form.number: side.number,
            **_score(form, side.score),
            form.error: side.error,
            form.lives: side.lives,
        }
        for name, side in zip(form.seats, match.sides, strict=True)
    }
    last = {} if match.last is None else game_document(form, match.last)
    return {form.seconds: int(match.seconds), form.last: last, **sides}


# Reading


def begins_with(text: str, *tokens: str) -> bool:
    """Whether a text begins with these tokens of JSON, with any white space before each."""
    for token in tokens:
        text = text.lstrip()
        if not text.startswith(token):
            return False
        text = text[len(token) :]
    return True


def read(form: Form, text: str) -> MatchLog | ContestLog:
    """The contents of a log in this ``form``. Raises `RecordError` if the text is not such a
    log."""
    log = at(parsed(text), "the log")
    if form is FIRST and _SECOND_PROGRAM.search(text):
        raise RecordError(
            "it is a log of the contest's second program, which the judge does not read"
        )
    if form.rounds in log:
        return _read_contest(form, log)
    return MatchLog(
        size=side_of(log, form.size),
        seconds=log.number(form.seconds),
        players=both(log, form.seats, partial(_read_player, form)),
        games=tuple(_read_games(form, log)),
    )


def parsed(text: str) -> Any:
    """The JSON value of a log's text. Raises `RecordError` if the text is not valid JSON."""
    try:
        return json_files.parse(text, json_files.MOST_OF_GAMES)
    except ValueError as error:
        raise RecordError(str(error)) from None


def _read_games(form: Form, log: At) -> Iterator[LoggedGame]:
    for number, game in enumerate(log.items(form.games), 1):
        yield _read_game(form, at(game, f"game {number}"))


def _read_game(form: Form, game: At) -> LoggedGame:
    return both(game, form.seats, partial(_read_seat, form))


def _read_seat(form: Form, seat: At) -> LoggedSeat:
    return LoggedSeat(
        ships=tuple(read_ship(form, one) for one in seat.objects(form.ships, "ship")),
        shots=tuple(read_shot(form, one) for one in seat.objects(form.shots, "shot")),
        result=one_of(seat, form.result, _RESULTS, form.numbers),
    )


def read_ship(form: Form, ship: At) -> Ship:
    return ship_at(
        row=ship.integer(form.row),
        column=ship.integer(form.column),
        length=ship.integer(form.length),
        way=one_of(ship, form.way, WAYS.values(), form.numbers),
        where=ship.where,
    )


def read_shot(form: Form, shot: At) -> LoggedShot:
    values = (HIT, MISS, *REPEATS)
    return LoggedShot(
        cell=Cell(shot.integer(form.column), shot.integer(form.row)),
        value=one_of(shot, form.value, values, form.numbers),
        sunk=shot.integer(form.sunk) if form.sunk in shot else None,
    )


def _read_score(keys: tuple[str, str, str], one: At) -> Score:
    return Score(*(one.count(key) for key in keys))


def _read_player(form: Form, player: At) -> MatchPlayer:
    return MatchPlayer(
        name=player.text(form.name),
        authors=player.text(form.authors),
        score=_read_score((form.won, form.lost, form.tied), player),
        error=player.count(form.error),
    )


def _read_contest(form: Form, log: At) -> ContestLog:
    return ContestLog(
        size=side_of(log, form.size),
        entrants=tuple(
            LogBot(
                number=one.count(form.number),
                name=one.text(form.name),
                authors=one.text(form.authors),
                score=_read_score(form.totals, one),
            )
            for one in log.objects(form.entrants, "player")
        ),
        rounds=tuple(
            tuple(
                _read_match(form, at(match, f"round {number}, match {place}"))
                for place, match in enumerate(matches, 1)
            )
            for number, matches in enumerate(log.lists(form.rounds, "round"), 1)
        ),
    )


def _read_match(form: Form, match: At) -> ContestMatch:
    last = match.inside(form.last)
    return ContestMatch(
        seconds=match.number(form.seconds),
        sides=both(match, form.seats, partial(_read_side, form)),
        last=_read_game(form, last) if last.value else None,
    )


def _read_side(form: Form, side: At) -> ContestSide:
    return ContestSide(
        number=side.count(form.number),
        score=_read_score((form.won, form.lost, form.tied), side),
        error=side.count(form.error),
        lives=side.integer(form.lives),
    )
