"""A contest by its format, for a terminal: its cross table, rounds, bracket or lives.

Pure. Every line fits the width that is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from judge.contest.formats.units import Pair, PlaceInFormat, Stage
from judge.contest.standings.contest_table import ContestTable
from judge.documents.ledger import Plan
from judge.show.leaderboard import ranked
from judge.show.pages.bracket import (
    LONGEST_NAME,
    SHORTEST_NAME,
    bracket_notes,
    bracket_rounds,
    drawn,
    listed,
)
from judge.show.text import (
    WIDTH,
    Style,
    cells,
    clean,
    cut,
    in_a_list,
    left,
    many,
    paint,
    right,
    wrap,
)
from judge.show.units import NOTHING_YET, halves, whole

NAMED = 4  # bots of a sentence; of more it tells how many
ANY = 10**6  # cells, where nothing says how many there are


def contest_lines(contest: ContestTable, width: int | None, colour: bool) -> list[str]:
    """What there is to see of a contest besides the table of its bots; without a ``width`` all."""
    room = ANY if width is None else width
    lines = [*_TABLES[contest.plan.format](contest, room, colour)]
    goes_on = "" if contest.is_over else " The same command goes on with it."
    return [*lines, "", *wrap(how_it_stands(contest) + goes_on, width=min(room, WIDTH))]


def ranked_as(place: PlaceInFormat, contest: ContestTable) -> str:
    """The rank of a bot, and whether others share it."""
    return ranked(place.rank, [other.rank for other in contest.places])


def told(contest: ContestTable) -> str:
    """How the bots are ranked, in a sentence."""
    if contest.counts_wins:
        return "Ranked by the tournament: the matches won, then the games won."
    return _RANKED_BY[contest.plan.format]


def how_it_stands(contest: ContestTable) -> str:
    """Who has won, or why nobody has, in a sentence."""
    if not contest.is_over:
        return "The contest is not over."
    if contest.winner is not None:
        return f"{_short(contest.winner)} has won."
    first = first_places(contest)
    named = in_a_list([_short(name) for name in first], NAMED, "bot")
    if contest.plan.format != "lives":
        return f"{named} share the first place."
    when = "in one tie" if len(first) == 2 else "in the same round"
    return f"Nobody has won: {named} lost their last lives {when}."


def first_places(contest: ContestTable) -> list[str]:
    """Those who are first, of whom there may be several."""
    return [place.name for place in contest.places if place.rank == 1]


def in_brief(plan: Plan, rounds: int | None = None) -> str:
    """The format and its numbers, for a line of facts; ``rounds`` are those that all have played, or
    where the unit is a match the matches of a pair."""
    unit = "game" if plan.match == 1 else "match"
    if plan.format == "rounds" and plan.table > 2:
        return f"in {many(plan.units // 2, 'round')}, {plan.table} at a table"
    number = ""
    if rounds:
        number = many(rounds, "round") if plan.match == 1 else f"{many(rounds, 'match')} a pair"
    behind = f", {number}" if number else ""
    told = {
        "rounds": f"in {number}" if number and plan.match == 1 else f"in rounds{behind}",
        "gauntlet": f"gauntlet of {_short(plan.bot or '')}{behind}",
        "tournament": f"tournament, {many(plan.units, unit)} a pair",
        "swiss": f"Swiss, {many(plan.rounds, 'round')} of {many(plan.units, unit)}",
        "knockout": f"knock-out, {many(plan.units, unit)} a meeting",
        "lives": f"{plan.lives} {'life' if plan.lives == 1 else 'lives'} each, {many(plan.units, unit)} a meeting",
    }
    return told[plan.format]


def _short(name: str) -> str:
    return cut(clean(name), LONGEST_NAME)


def _cross_table(contest: ContestTable, width: int, colour: bool) -> Iterator[str]:
    """Points of the row's bot against the column's, a tie half a point; without the columns where
    they do not fit."""
    places = contest.places
    points = {
        **{couple: total.points[0] for couple, total in contest.crossed.items()},
        **{couple[::-1]: total.points[1] for couple, total in contest.crossed.items()},
    }
    grid = [["#", "bot", _points_heading(contest), *(str(at) for at in range(1, len(places) + 1))]]
    for at, place in enumerate(places):
        against = (
            "" if at == other else halves(points.get((place.name, places[other].name)))
            for other in range(len(places))
        )
        grid.append([ranked_as(place, contest), clean(place.name), whole(place.points), *against])
    if contest.counts_wins:
        grid = [
            [*row[:3], games, *row[3:]] for row, games in zip(grid, _games(places), strict=True)
        ]
    widths = [max(map(cells, column)) for column in zip(*grid, strict=True)]
    widths[1] = min(widths[1], SHORTEST_NAME)
    fits = sum(widths) + len(widths) - 1 <= width
    if not fits:
        grid = [row[: 3 + contest.counts_wins] for row in grid]
    yield from aligned(grid, width, colour)
    if not fits:
        said = "No room here for who won against whom: a wider terminal has it."
        yield from (paint(line, Style.DIM, colour) for line in wrap(said, width=width))


def _points_heading(contest: ContestTable) -> str:
    return "matches won" if contest.counts_wins else "points"


def _games(places: Sequence[PlaceInFormat]) -> list[str]:
    return ["games won", *(whole(place.tie_break or 0) for place in places)]


def _swiss(contest: ContestTable, width: int, colour: bool) -> Iterator[str]:
    """Round by round who met whom, then the points with what parts those who have equal ones."""
    for stage in contest.stages:
        yield paint(stage.name, Style.BOLD, colour)
        yield from _pairs(contest, stage, width)
    yield ""
    yield from aligned(
        [
            ["#", "bot", "points", "opponents' points", "byes"],
            *(
                [
                    ranked_as(place, contest),
                    clean(place.name),
                    whole(place.points),
                    whole(place.tie_break or 0),
                    str(place.byes or "-"),
                ]
                for place in contest.places
            ),
        ],
        width,
        colour,
    )


def _lives(contest: ContestTable, width: int, colour: bool) -> Iterator[str]:
    """The last round, and who has how many lives left."""
    if contest.stages:
        stage = contest.stages[-1]
        yield paint(stage.name, Style.BOLD, colour)
        yield from _pairs(contest, stage, width)
        yield ""
    lives = contest.plan.lives
    yield from aligned(
        [
            ["#", "bot", "lives", "out in round", "won", "byes"],
            *(
                [
                    ranked_as(place, contest),
                    clean(place.name),
                    _hearts(place.lives or 0, lives),
                    "-" if place.out is None else str(place.out),
                    whole(place.points),
                    str(place.byes or "-"),
                ]
                for place in contest.places
            ),
        ],
        width,
        colour,
    )


def _hearts(alive: int, lives: int) -> str:
    return f"{alive} of {lives}" if lives > 9 else "*" * alive + NOTHING_YET * (lives - alive)


def _pairs(contest: ContestTable, stage: Stage, width: int) -> Iterator[str]:
    """A line for each pair of a round, and for each bye."""
    names = _name_width([name for pair in stage.pairs for name in pair.bots], (width - 12) // 2)
    for pair in stage.pairs:
        one, other = map(clean, pair.bots)
        yield f"  {right(one, names)} {score(contest, pair):^7} {cut(other, names)}".rstrip()
    for bye in stage.byes:
        yield f"  {right(clean(bye), names)}   bye"


def _bracket(contest: ContestTable, width: int, colour: bool) -> Iterator[str]:
    """The bracket from the left to the right; round by round where it does not fit."""
    rounds = bracket_rounds(contest)
    if lines := drawn(rounds, width):
        yield from lines
    else:
        for name, matches in listed(rounds, width):
            yield paint(name, Style.BOLD, colour)
            yield from matches
    for said in bracket_notes(rounds, has_seeds=bool(lines)):
        yield from (paint(line, Style.DIM, colour) for line in wrap(said, width=width))


def score(contest: ContestTable, pair: Pair) -> str:
    """The score of two bots that met, as far as they have: 2-1; a dash before that."""
    one, other = contest.score(pair.so_far(contest.results))
    is_begun = any(contest.results(meeting) is not None for meeting in pair.meetings)
    return f"{halves(one)}-{halves(other)}" if is_begun else "-"


def _name_width(names: Sequence[str], most: int) -> int:
    widest = max((cells(clean(name)) for name in names), default=0)
    return max(SHORTEST_NAME, min(widest, most, LONGEST_NAME))


def aligned(
    grid: Sequence[Sequence[str]], width: int | None, colour: bool, names: int = 1
) -> Iterator[str]:
    """The rows with all but the column of ``names`` at the right; names are cut to what is left."""
    room = ANY if width is None else width
    widths = [max(map(cells, column)) for column in zip(*grid, strict=True)]
    rest = sum(widths) - widths[names] + 2 * (len(widths) - 1)
    gap = 2 if rest + widths[names] <= room else 1
    rest = sum(widths) - widths[names] + gap * (len(widths) - 1)
    widths[names] = min(widths[names], max(SHORTEST_NAME, room - rest))
    for number, row in enumerate(grid):
        placed = [right(text, wide) for text, wide in zip(row, widths, strict=True)]
        placed[names] = left(row[names], widths[names])
        line = (" " * gap).join(placed).rstrip()
        yield paint(line, Style.DIM, colour) if not number else line


_TABLES: dict[str, Callable[[ContestTable, int, bool], Iterator[str]]] = {
    "tournament": _cross_table,
    "swiss": _swiss,
    "knockout": _bracket,
    "lives": _lives,
}
_RANKED_BY = {
    "tournament": "Ranked by the tournament: a point a win, half a point a tie.",
    "swiss": "Ranked by the Swiss contest: points, then the points of the opponents.",
    "knockout": "Ranked by the knock-out: the round in which each went out.",
    "lives": "Ranked by lives: those left, then the round in which the last was lost.",
}
