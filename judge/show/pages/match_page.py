"""A match as a page: a strip of its games, their counts, and their boards to step through.

Pure but for reading its templates. The page's words are worked out here, from the records; its
script draws the boards of one game at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from judge.contest.formats.units import unit_result
from judge.contest.people import Person
from judge.contest.results import result_of
from judge.documents.game import GameRecord, Result, Termination
from judge.documents.ledger import Counts, GameResult, Unit
from judge.documents.rules import Turn
from judge.game.steps import steps
from judge.game.variants import name_of
from judge.show.columns import Column
from judge.show.match import in_words
from judge.show.one_game import headline
from judge.show.pages import html
from judge.show.text import clean, cut, many

_NAME = 24  # cells of a name
MOST_DRAWN = 1000  # the last games, which can be stepped through; each takes some kilobytes
_WIDE = 10  # columns from which on two boards do not fit a phone side by side


class Side(NamedTuple):
    """The counts of a player's shots in a game. ``share`` is the part of the other board that the
    player has shot at, in percent."""

    shots: int
    share: float
    sunk: int
    hits: int
    misses: int
    repeats: int

    @classmethod
    def of(cls, record: GameRecord, seat: int) -> Side:
        results = Counter(shot.result for shot in record.shots if shot.seat == seat)
        shots, repeats, sunk = results.total(), results[Result.REPEAT], results[Result.SUNK]
        return cls(
            shots=shots,
            share=100 * (shots - repeats) / (record.rules.columns * record.rules.rows),
            sunk=sunk,
            hits=results[Result.HIT] + sunk,
            misses=results[Result.MISS],
            repeats=repeats,
        )


class MatchSeen(NamedTuple):
    """A match in a list of matches. ``first`` is the number of the match's first game, ``winner``
    the seat of its winner, and ``score`` the games that seat 0 has won, lost and tied."""

    first: int
    names: tuple[str, ...]
    winner: int | None
    score: str
    is_over: bool
    is_error: bool

    @classmethod
    def of(cls, first: int, games: Sequence[GameResult]) -> MatchSeen:
        """The match of these games; there is at least one."""
        names = games[-1].names
        unit = Unit(names[0], names[1], (1, 1))
        for game in games:
            unit.add(game)
        of = games[-1].match
        result = unit_result(unit, 1 if of is None else of.games)
        tied = f", {unit.tied} tied" if unit.tied else ""
        is_decided = result is not None and result.points[0] != result.points[1]
        return cls(
            first=first,
            names=names,
            winner=int(result.points[0] < result.points[1]) if result and is_decided else None,
            score=f"{unit.won}–{unit.lost}{tied}",
            is_over=result is not None,
            is_error=bool(unit.forfeits),
        )


class GameRow(NamedTuple):
    """A game of the match. ``number`` is the game's number in the match. ``style`` is a or b for a
    winner in seat 0 or 1, or t for a tie, with an f behind it if a player or both forfeited.
    ``link`` leads to the game's own page, if it has one."""

    number: int
    display_name: str
    style: str
    headline: str
    shots: int
    sides: tuple[Side, ...]
    is_drawn: bool
    link: str | None


class Totals(NamedTuple):
    """A player's results and shots in all games of the match. The ``share`` in ``side`` is the mean
    of the games' shares."""

    name: str
    about: str
    counts: Counts
    side: Side


OF_COUNTS = (
    Column[Counts]("won", lambda counts: f"{counts.won:,}"),
    Column[Counts]("lost", lambda counts: f"{counts.lost:,}"),
    Column[Counts]("tied", lambda counts: f"{counts.tied:,}"),
)
OF_SIDE = (
    Column[Side]("board shot", lambda side: f"{side.share:.0f}%"),
    Column[Side]("killed", lambda side: f"{side.sunk:,}", "Ships killed"),
    Column[Side]("hits", lambda side: f"{side.hits:,}"),
    Column[Side]("misses", lambda side: f"{side.misses:,}"),
    Column[Side]("repeats", lambda side: f"{side.repeats:,}"),
)


def match_page(
    records: Sequence[GameRecord],
    *,
    root: str | None = None,
    links: Mapping[int, str] | None = None,
    seconds: float | None = None,
    contest: str = "",
) -> str:
    """The page of some games of a match, in their order; the page opens with the last game.
    ``root`` is the path to the root of the page's site, if it has one. ``links`` has the addresses
    of games' own pages, by index in ``records``. ``seconds`` is the time of the whole match, if
    known. ``contest`` is the title of the contest.

    Raises `RecordError` if a record breaks its rules.
    """
    first = records[0]
    names = [cut(clean(seat.name), _NAME) for seat in first.seats]
    drawn = range(len(records))[-MOST_DRAWN:]
    rows = [
        _row(place, record, names, place in drawn, (links or {}).get(place))
        for place, record in enumerate(records)
    ]
    rules = first.rules
    document = {
        "names": names,
        "columns": rules.columns,
        "rows": rules.rows,
        "unit": "Round" if rules.turn is Turn.BOTH else "Move",
        "games": {str(rows[place].number): _to_step(records[place]) for place in drawn},
    }
    return html.render(
        "match.html",
        html.MATCH,
        title=f"{' – '.join(names)}, match of {many(_planned(records), 'game')}",
        root=root,
        contest=clean(contest),
        headline=_headline(records, [f"\u2068{name}\u2069" for name in names]),
        lead=_lead(records, seconds),
        names=names,
        rows=rows,
        totals=[_totals(records, rows, seat) for seat in range(len(first.seats))],
        rules=clean(name_of(rules)),
        document=document,
        of_counts=OF_COUNTS,
        of_side=OF_SIDE,
        opened=rows[-1].number,
        wide=rules.columns >= _WIDE,
    )


def _planned(records: Sequence[GameRecord]) -> int:
    """The planned number of games of the match, or the number of records without a plan."""
    of = records[0].match
    return len(records) if of is None else of.games


def _number(place: int, record: GameRecord) -> int:
    return place + 1 if record.match is None else record.match.game


def _row(
    place: int, record: GameRecord, names: Sequence[str], is_drawn: bool, link: str | None
) -> GameRow:
    sides = tuple(Side.of(record, seat) for seat in range(len(record.seats)))
    winner = record.outcome.winner
    style = "t" if winner is None else "ab"[winner]
    return GameRow(
        number=_number(place, record),
        display_name=clean(record.display_name),
        style=f"{style} f" if _is_error(record) else style,
        headline=headline(record, names),
        shots=max(side.shots for side in sides),
        sides=sides,
        is_drawn=is_drawn,
        link=link,
    )


def _is_error(record: GameRecord) -> bool:
    termination = record.outcome.termination
    return termination.is_forfeit or termination is Termination.BOTH_FAILED


def _totals(records: Sequence[GameRecord], rows: Sequence[GameRow], seat: int) -> Totals:
    counts = Counts()
    for record in records:
        counts.add(result_of(record), seat)
    sides = [row.sides[seat] for row in rows]
    total = Side(*map(sum, zip(*sides, strict=True)))
    player = records[-1].seats[seat]
    return Totals(
        name=clean(player.name),
        about=in_words(Person.of(player)),
        counts=counts,
        side=total._replace(share=total.share / len(sides)),
    )


def _headline(records: Sequence[GameRecord], names: Sequence[str]) -> str:
    """Who won or tied the match, or how many of its games are over."""
    if len(records) < _planned(records) and not _is_error(records[-1]):
        return f"{' against '.join(names)}: {many(len(records), 'game')} of {_planned(records):,}"
    if _is_error(records[-1]):
        winner = records[-1].outcome.winner
    else:
        wins = [
            sum(record.outcome.winner == seat for record in records) for seat in range(len(names))
        ]
        winner = None if wins.count(max(wins)) > 1 else wins.index(max(wins))
    return f"{' and '.join(names)} tie" if winner is None else f"{names[winner]} wins the match"


def _lead(records: Sequence[GameRecord], seconds: float | None) -> str:
    """A line on the number of games, the error that ended the match, and the time."""
    played, planned = len(records), _planned(records)
    said = many(played, "game") if played == planned else f"{played:,} of {many(planned, 'game')}"
    if _is_error(records[-1]):
        said += f"; the last one ended the match: {clean(records[-1].outcome.detail)}"
    took = "" if seconds is None else f" It took {seconds:,.1f} seconds."
    return f"{said}.{took}"


def _to_step(record: GameRecord) -> dict[str, Any]:
    """The script's data of a game. ``fleets`` has the ships of each seat, as `html.ships` makes
    them. ``shots`` has the target's seat, column, row and result of each shot. ``fired`` is the
    number of shots fired by the end of each step."""
    return {
        "headline": headline(record, [clean(seat.name) for seat in record.seats]),
        "fleets": [html.ships(seat.fleet) for seat in record.seats],
        "shots": [[shot.target, shot.column, shot.row, int(shot.result)] for shot in record.shots],
        "fired": [step.fired for step, _ in steps(record)],
    }
