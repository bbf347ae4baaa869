"""A contest as text for a terminal: its cross table, rounds or bracket, its places, and its
leaderboard. `leader_lines` also serves `judge.show.contest_log`, for the contest that a log
file tells.

Pure. Names are cut so that the lines fit the given width.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from judge.contest.formats.format import Drawing
from judge.contest.formats.registry import format_of
from judge.contest.formats.units import (
    Pair,
    PlaceInFormat,
    Stage,
    first_of,
    halves,
    shown_score,
    whole_score,
)
from judge.contest.people import Person
from judge.contest.standings.contest_table import ContestTable
from judge.documents.ledger import Plan
from judge.show.columns import ANY, SHORTEST_NAME, Column, terminal_table
from judge.show.one_game import short_name
from judge.show.pages.bracket import LONGEST_NAME, bracket_notes, drawn, listed
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
    painted,
    right,
    wrap,
)

LEADERS = 10  # bots that are named after each round
_NAME, _BOTH_NAMES, _AUTHORS = 20, 28, 16  # cells, so that a row fits a terminal
_WORDS = (1, 2, 7)  # indexes of the columns with words
NAMED = 4  # bots that a sentence names; of more bots it gives the number


def contest_lines(contest: ContestTable, width: int | None, colour: bool) -> list[str]:
    """The lines of a contest by its format, and a sentence on who has won. The sentence comes first
    if a bracket has a winner. Without a ``width`` the lines may have any length."""
    room = ANY if width is None else width
    lines = [*_table(contest, room, colour)]
    goes_on = "" if contest.is_over else " The same command goes on with it."
    stands, most = how_it_stands(contest) + goes_on, min(room, WIDTH)
    if contest.bracket and contest.winner is not None:
        return [*painted(stands, Style.BOLD, colour, most), "", *lines]
    return [*lines, "", *wrap(stands, width=most)]


def place_columns(contest: ContestTable) -> list[Column[PlaceInFormat]]:
    """The columns of a contest's places: rank, name, and the columns of its format."""
    ranks, plan = [place.rank for place in contest.places], contest.plan

    def text(value: Callable[[PlaceInFormat, Plan], str]) -> Callable[[PlaceInFormat], str | None]:
        return lambda place: value(place, plan) or None

    return [
        Column("#", lambda place: ranked(place.rank, ranks)),
        Column(
            "bot",
            lambda place: clean(place.name),
            text_on_page=lambda place: place.name,
            is_name=True,
        ),
        *(
            Column(
                column.heading,
                text(column.drawn or column.value),
                column.on_page or None,
                text(column.value),
            )
            for column in contest.format.columns
        ),
    ]


def how_it_stands(contest: ContestTable, named: Callable[[str], str] = short_name) -> str:
    """A sentence on who has won, or on why nobody has won. ``named`` writes a name."""
    if not contest.is_over:
        return "The contest is not over."
    if contest.winner is not None:
        return f"{named(contest.winner)} has won."
    first = first_of(contest.places)
    names = in_a_list([*map(named, first)], NAMED, "bot")
    if not (lost := contest.format.lost_together):
        return f"{names} share the first place."
    when = "in one tie" if len(first) == 2 else "in the same round"
    return f"Nobody has won: {lost.format(names=names, when=when)}."


def in_brief(plan: Plan, rounds: int | None = None) -> str:
    """A plan's format and numbers, for a line of facts. ``rounds`` is the number of rounds that all
    bots have played. If the unit is a match, it is the number of matches that each pair has
    played."""
    unit = "game" if plan.match == 1 else "match"
    row, played = format_of(plan), ""
    if rounds:
        played = many(rounds, "round") if plan.match == 1 else f"{many(rounds, 'match')} a pair"
    own = row.brief_played if plan.match == 1 else ""
    told = own or f"{row.brief}, {{played}}" if played else row.brief
    return told.format(
        units=many(plan.units, unit),
        rounds=many(plan.rounds, "round"),
        pairs=many(plan.units // 2, "round"),
        lives=f"{plan.lives} {'life' if plan.lives == 1 else 'lives'}",
        bot=short_name(plan.bot or ""),
        seats=plan.seats,
        played=played,
    )


def isolated(name: str) -> str:
    """A short name in Unicode isolates, so that a name written from right to left does not reorder
    the text around it."""
    return f"\u2068{short_name(name)}\u2069"


def _table(contest: ContestTable, width: int, colour: bool) -> Iterator[str]:
    """The lines of a cross table with the places, of a bracket, or of pairs above the table of
    places."""
    drawing = contest.format.drawing
    if drawing is Drawing.CROSS:
        yield from _cross_table(contest, width, colour)
        return
    if drawing is Drawing.BRACKET:
        yield from _bracket(contest, width, colour)
        return
    stages = contest.stages if drawing is Drawing.ROUNDS else contest.stages[-1:]
    for stage in stages:
        yield paint(stage.name, Style.BOLD, colour)
        yield from _pairs(contest, stage, width)
    if stages or drawing is Drawing.ROUNDS:
        yield ""
    yield from terminal_table(place_columns(contest), contest.places, width, colour)[0]


def _cross_table(contest: ContestTable, width: int, colour: bool) -> Iterator[str]:
    """The table of places. If there is room, the table has a column for each bot, with the points
    of the row's bot against that bot; a tie is half a point."""
    names = [place.name for place in contest.places]
    points = {
        **{couple: total.points[0] for couple, total in contest.crossed.items()},
        **{couple[::-1]: total.points[1] for couple, total in contest.crossed.items()},
    }

    def against(number: int, other: str) -> Column[PlaceInFormat]:
        def text(place: PlaceInFormat) -> str:
            return "" if place.name == other else halves(points.get((place.name, other)))

        return Column(str(number), text)

    narrow = place_columns(contest)
    columns = [*narrow, *(against(*one) for one in enumerate(names, 1))]
    lines, _ = terminal_table(columns, contest.places, width, colour)
    if all(cells(clean(line)) <= width for line in lines):
        yield from lines
        return
    yield from terminal_table(narrow, contest.places, width, colour)[0]
    said = "The table of who beat whom needs a wider terminal."
    yield from painted(said, Style.DIM, colour, width)


def _pairs(contest: ContestTable, stage: Stage, width: int) -> Iterator[str]:
    """A line for each pair of a round, and for each bye."""
    names = _name_width([name for pair in stage.pairs for name in pair.bots], (width - 12) // 2)
    for pair in stage.pairs:
        one, other = map(clean, pair.bots)
        yield f"  {right(one, names)} {score(contest, pair):^7} {cut(other, names)}".rstrip()
    for bye in stage.byes:
        yield f"  {right(clean(bye), names)}   bye"


def _bracket(contest: ContestTable, width: int, colour: bool) -> Iterator[str]:
    """The bracket drawn from left to right, or listed round by round if the drawing does not fit,
    and notes on it."""
    rounds = contest.bracket
    if lines := drawn(rounds, contest.people, width):
        yield from lines
    else:
        for name, matches in listed(rounds, contest.people, width):
            yield paint(name, Style.BOLD, colour)
            yield from matches
    for said in bracket_notes(rounds, contest.format.by_seed, has_seeds=bool(lines)):
        yield from painted(said, Style.DIM, colour, width)


def score(contest: ContestTable, pair: Pair) -> str:
    """The present score of two bots that meet, such as 2-1; a dash before their first result."""
    if (found := pair.begun(contest.results)) is None:
        return "-"
    one, other = shown_score(contest.plan, found)
    return f"{halves(one)}-{halves(other)}"


def _name_width(names: Sequence[str], most: int) -> int:
    widest = max((cells(clean(name)) for name in names), default=0)
    return max(SHORTEST_NAME, min(widest, most, LONGEST_NAME))


# Leaderboards


def leaderboard(contest: ContestTable, after: str | None = None) -> str:
    """The text of the leaderboard after the last round that is over, with the first `LEADERS` bots.
    ``after`` is the name of that round, by default as the contest's format calls it."""
    counts, games = contest.counts()
    rows = [
        Leader(
            place.rank,
            place.name,
            *contest.people.get(place.name, Person()),
            counts[place.name].won,
            counts[place.name].lost,
            counts[place.name].tied,
            str(games[place.name]) if contest.plan.match > 1 else "",
            "" if contest.format.counts_wins else _stands(place),
        )
        for place in contest.places
    ]
    return "\n".join(leader_lines(f"After {after or _last_round(contest)}:", rows))


def _last_round(contest: ContestTable) -> str:
    """The name of the last round that is over, its first letter small; "no round" before that."""
    stage = next(
        (
            stage
            for stage in reversed(contest.stages)
            if all(pair.result(contest.results) is not None for pair in stage.pairs)
        ),
        None,
    )
    return f"{stage.name[:1].lower()}{stage.name[1:]}" if stage else "no round"


class Leader(NamedTuple):
    """A row of a leaderboard. ``games`` is the number of games won if ``won`` counts matches, else
    empty. ``stands`` says in words what decides the rank, or is empty."""

    rank: int
    name: str
    own_name: str
    authors: str
    won: int
    lost: int
    tied: int
    games: str
    stands: str


def _short_names(row: Leader) -> tuple[str, str]:
    named = cut(clean(row.name), _NAME)
    if row.own_name:
        named = cut(f"{named} ({clean(row.own_name)})", _BOTH_NAMES)
    return named, cut(clean(row.authors), _AUTHORS)


def leader_lines(title: str, rows: Sequence[Leader], most: int | None = LEADERS) -> list[str]:
    """The lines of a leaderboard: its title, headings, the first ``most`` rows (None for all), and
    the number of other rows. A column that is empty in all these rows is left out."""
    ranks = [row.rank for row in rows]
    grid = [
        ("#", "bot", "authors", "won", "lost", "tied", "games won", ""),
        *((ranked(row.rank, ranks), *_short_names(row), *map(str, row[4:])) for row in rows[:most]),
    ]
    told = [at for at in range(len(grid[0])) if any(line[at] for line in grid[1:])]
    columns = [[line[at] for line in grid] for at in told]
    placed = [
        [(left if at in _WORDS else right)(text, max(map(cells, column))) for text in column]
        for at, column in zip(told, columns, strict=True)
    ]
    lines = [title, *("  ".join(["", *line]).rstrip() for line in zip(*placed, strict=True))]
    if (more := len(rows) - (most or len(rows))) > 0:
        lines.append(f"  and {more} more")
    return lines


def ranked(rank: int, ranks: Sequence[int]) -> str:
    """A rank as text, with ``=`` if it stands in ``ranks`` more than once."""
    return f"{rank}{'=' if ranks.count(rank) > 1 else ''}"


def _stands(place: PlaceInFormat) -> str:
    """The reason for a bot's rank, in words: its lives or points, or that it is out."""
    if place.out is not None:
        return "out"
    if place.lives is not None:
        return "1 life" if place.lives == 1 else f"{place.lives} lives"
    return f"{whole_score(place.points)} point{'s' * (place.points != 1)}"
