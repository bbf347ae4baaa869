"""One game as spectators may see it, in documents for the live page: the whole game, and each
change.

Does no I/O. During the game, spectators see the shots and their announced results, but no part of a
ship that was not hit. After the game, spectators also see the fleets, unless these stay hidden.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from judge.contest.people import Person
from judge.documents.game import GameRecord, Outcome, Result
from judge.documents.rules import Cell, Fleet, Goal, Rules, Sinking
from judge.game.events import Back, Event, Gone, Shot, TurnSkipped
from judge.show import board
from judge.show.board import Rulers
from judge.show.contest import isolated
from judge.show.match import in_words
from judge.show.one_game import headline
from judge.show.pages import html
from judge.show.text import clean, cut, in_a_list, many

MOST_EVENTS = 12  # lines below the boards
_NAME = 40  # cells of a name

Document = dict[str, Any]

_STYLES = {board.MISS: "m", board.HIT: "h", board.SUNK: "x"}


@dataclass(slots=True, eq=False)
class LiveMatch:
    """The score of a match, which its games share. ``won`` has the number of games that each seat
    has won, and ``over`` is the number of games that are over. ``games`` is the planned number of
    games, or 0 if none is planned. Games after that number are deciders."""

    won: list[int]
    games: int = 0
    over: int = 0

    def count(self, outcome: Outcome) -> None:
        """Count a game that is over."""
        self.over += 1
        if outcome.winner is not None:
            self.won[outcome.winner] += 1

    def document(self, *, is_over: bool) -> Document:
        """The score, with a line on how far the match is. ``is_over`` is whether the game that
        spectators see beside the score is over."""
        said = f"{many(self.over, 'game')} of the match played"
        if self.games:
            said = (
                f"{min(self.over, self.games):,} of {many(self.games, 'game')} of the match played"
            )
            deciders = self.over - self.games + (not is_over)
            said += f", and decider {deciders}" if deciders > 0 else ""
        return {"won": list(self.won), "said": said}


@dataclass(slots=True, eq=False)
class LiveGame:
    """One game. `Live.begin` gives a game with the ``number`` 0 the next number. ``limits`` has the
    seconds of a turn for each seat, or None. ``match`` is the score of the game's match, or None.
    ``ending`` is a line on how the game ended. ``about`` has each seat's own name and author, once
    they are known."""

    names: tuple[str, ...]
    rules: Rules
    number: int = 0
    limits: tuple[float | None, ...] = ()
    match: LiveMatch | None = None
    up: tuple[int, ...] = ()
    asked_at: float = 0.0  # when the present turn began
    outcome: Outcome | None = None
    fleets: tuple[Fleet | None, ...] = ()  # known once the game is over
    record: GameRecord | None = None  # known once the game is kept
    gone: set[int] = field(default_factory=set)
    about: list[str] = field(init=False)
    title: str = field(init=False)
    ending: str = ""
    _rulers: Rulers = field(init=False)
    _marks: list[dict[Cell, str]] = field(init=False)
    _score: list[int] = field(init=False)
    _unit: tuple[str, str] = field(init=False)
    _last: list[tuple[int, int, int]] = field(default_factory=list)
    _events: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_EVENTS))

    def __post_init__(self) -> None:
        self._rulers = Rulers.of_players(self.rules)
        self._marks = [{} for _ in self.names]
        begin, self._unit = _score_of(self.rules)
        self._score = [begin] * len(self.names)
        self.about = [""] * len(self.names)
        self.title = " – ".join(map(isolated, self.names))

    def fire(self, shots: Sequence[Shot], up: Sequence[int]) -> Document:
        """Take shots with their announced results. Returns the change."""
        self.up = tuple(up)
        self._last = [(shot.target, *shot.cell) for shot in shots]
        new: list[tuple[int, int, int, str]] = []
        said = []
        for shot in shots:
            marks = self._marks[shot.target]
            is_new = shot.cell not in marks
            if is_new:
                self._count(shot)
            seen = board.see(shot, marks)
            new += [(shot.target, *cell, _STYLES[marks[cell]]) for cell in seen]
            said.append(self._shot_in_words(shot, is_new=is_new))
        self._events.extend(said)
        return {"marks": new, "last": self._last, **self._moved(said)}

    def happen(self, event: Event, up: Sequence[int]) -> Document:
        """Take an event that is not a shot. Returns the change."""
        self.up = tuple(up)
        match event:
            case TurnSkipped(seat, ""):
                said = f"{isolated(self.names[seat])} skips a turn"
            case TurnSkipped(seat, why):
                said = (
                    f"the turn of {isolated(self.names[seat])} is skipped: \u2068{clean(why)}\u2069"
                )
            case Gone(seat, termination):
                self.gone.add(seat)
                lost = "is gone" if termination is None else f"is out: {termination}"
                said = f"{isolated(self.names[seat])} {lost}"
            case Back(seat):
                self.gone.discard(seat)
                said = f"{isolated(self.names[seat])} is back"
            case _:
                return self._moved([])
        self._events.append(said)
        return self._moved([said])

    def end(self, outcome: Outcome, fleets: Sequence[Fleet | None]) -> Document:
        """Take the outcome and the fleets. Returns the change."""
        self.up = ()
        self.outcome = outcome
        self.fleets = tuple(fleets)
        won = outcome.winner
        self.ending = "Nobody won" if won is None else f"{isolated(self.names[won])} won"
        self._events.append(self.ending)
        return {"over": self._over(), "match": self._match(), **self._moved([self.ending])}

    def note_match(self) -> Document:
        """Take note that another game of the match is over. Returns the change."""
        return {"match": self._match(), **self._moved([])}

    @property
    def listed_ending(self) -> str:
        """How the game ended, for a list of games: the headline of the game's record. Until the
        record is kept, the text is the players' names and `ending`."""
        if self.record is None:
            return f"{self.title}: {self.ending}"
        return headline(self.record, [*map(isolated, self.names)])

    def keep(self, record: GameRecord) -> Document:
        """Take the record, from which the game's page is made. Returns the change. `ending` becomes
        the record's headline, without the scores of those who did not win."""
        self.record = record
        self.ending = headline(record, [*map(isolated, self.names)], brief=True)
        self.about = [in_words(Person.of(seat)) for seat in record.seats]
        return {"over": self._over(), "about": self.about, **self._moved([])}

    @property
    def headline(self) -> str:
        """The number of the game on the live page, and its number in the ledger once it has one:
        ``Game 2, #17``."""
        return ", ".join(filter(None, (f"Game {self.number}", self.called_in_ledger)))

    @property
    def called_in_ledger(self) -> str:
        if self.record is None or self.record.number is None:
            return ""
        return self.record.display_name

    def document(self) -> Document:
        """The whole game, as far as spectators may see it."""
        return {
            "number": self.number,
            "names": [short_name(name) for name in self.names],
            "about": self.about,
            "columns": list(self._rulers.columns),
            "rows": list(self._rulers.rows),
            "boards": [
                [(*cell, _STYLES[mark]) for cell, mark in marks.items()] for marks in self._marks
            ],
            "last": self._last,
            "limits": self.limits,
            "match": self._match(),
            "unit": self._unit,
            "over": self._over(),
            **self._moved(list(self._events)),
        }

    def _count(self, shot: Shot) -> None:
        """Count a shot at a new cell in the score."""
        if self.rules.goal is Goal.POINTS:
            self._score[shot.seat] += shot.is_hit
        elif self.rules.sinking is Sinking.NOTHING:
            self._score[shot.target] -= shot.is_hit
        else:
            self._score[shot.target] -= shot.result is Result.SUNK

    def _moved(self, said: list[str]) -> Document:
        return {
            "up": list(self.up),
            "score": list(self._score),
            "gone": sorted(self.gone),
            "said": said,
        }

    def _match(self) -> Document | None:
        if self.match is None:
            return None
        return self.match.document(is_over=self.outcome is not None)

    def _over(self) -> Document | None:
        if self.outcome is None:
            return None
        return {
            "ending": self.ending,
            "winner": self.outcome.winner,
            "ships": [*map(html.ships, self.fleets)],
            "page": self.record is not None,
        }

    def _shot_in_words(self, shot: Shot, *, is_new: bool) -> str:
        who, whom = isolated(self.names[shot.seat]), isolated(self.names[shot.target])
        if shot.repeat or (not is_new and shot.result is Result.REPEAT):
            did = "shot at before"
        elif shot.result is Result.SUNK:
            did = f"hit, sinks {f'the {shot.sunk}' if shot.sunk else 'a ship'}"
        else:
            did = "hit" if shot.is_hit else "miss"
        return f"{who} at {whom}, {self._rulers.cell(shot.cell)}: {did}"


def _score_of(rules: Rules) -> tuple[int, tuple[str, str]]:
    """The score with which a seat begins, and its unit in the singular and the plural: points, or
    the squares or ships still afloat."""
    if rules.goal is Goal.POINTS:
        return 0, ("point", "points")
    if rules.sinking is Sinking.NOTHING:
        return sum(rules.lengths), ("square afloat", "squares afloat")
    return len(rules.lengths), ("ship afloat", "ships afloat")


def board_in_words(rules: Rules) -> str:
    """The size of a board and the ships on it."""
    ships = in_a_list([*map(str, rules.lengths)], len(rules.lengths), "ship")
    return f"{rules.columns} × {rules.rows} squares, ships of {ships}."


def short_name(name: str) -> str:
    """A name, cleaned and cut for the live page."""
    return cut(clean(name), _NAME)
