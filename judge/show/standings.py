"""The standings as a table for a terminal, as CSV, and as the few lines of a contest under way.

Pure. Every line of the table fits the width that is given, as far as names can be cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from judge.contest.ledger.condition_set import in_words
from judge.contest.ledger.tally import Tally
from judge.contest.ledger.tally_table import Stint, Table
from judge.contest.standings.contest_table import ContestTable
from judge.contest.standings.standings import Standings
from judge.documents.game import Termination
from judge.documents.standings import Matches, Row, StandingsDocument
from judge.quoting import line as command_line
from judge.show.columns import kept, left_out
from judge.show.comma_separated import comma_separated
from judge.show.contest import contest_lines, in_brief
from judge.show.gauntlet import gauntlet_lines
from judge.show.text import (
    WIDTH,
    Style,
    cells,
    clean,
    left,
    many,
    paint,
    right,
    wrap,
)

MARK = "~"
SHARED = "="
VERSIONS_LEGEND = (
    "Elo is 0 at the mean of the rows, so each version has another Elo here than in the table of the "
    "newest versions."
)
SHARED_LEGEND = f"{SHARED} shares its rank: these stand in the order of their names."

LEGEND = (
    "Points rank, by the 5% rule; mean points: the same games in shuffled orders.",
    f"Elo, ranks: what the games support; {MARK} not shown to be stronger than the next.",
)

POINTS = "Points: by the 5% rule; mean points: the same games in shuffled orders."

_SHORTEST_NAME = 8

# The columns that are left out where there is no room for all, the first of them first.
_LEAST_WANTED = (
    "volleys to win",
    "tied",
    "ranks 95%",
    "win rate",
    "mean points",
    "lost",
    "shots to win",
    "in games",
    "forfeits",
    "±95%",
)


@dataclass(frozen=True, slots=True)
class _Column:
    """A heading of two lines, and what stands below it."""

    top: str
    heading: str
    value: Callable[[Row], str]


class Figure(NamedTuple):
    """A mean of a `Row` that all outputs have: by the name of its ``field`` in CSV, under a heading
    of two lines in a terminal, and in one line on a page, which says what it means."""

    field: str
    top: str
    heading: str
    meaning: str

    @property
    def on_page(self) -> str:
        return f"{self.top} {self.heading}".capitalize()


FIGURES = (
    Figure(
        "shots_to_win_mean",
        "shots",
        "to win",
        "How many shots it needed in the games that it won by sinking the whole fleet: the fewer, the "
        "better it shoots.",
    ),
    Figure(
        "volleys_to_win_mean",
        "volleys",
        "to win",
        "The same in volleys, the shots of one turn each. A bot that loses no ships fires more shots "
        "in a volley.",
    ),
)


def figures(standings: Standings) -> list[Figure]:
    """Those that have something to say."""
    return [one for one in FIGURES if one.top != "volleys" or standings.has_salvos]


def _rank(row: Row, shared: AbstractSet[int]) -> str:
    """The rank, and whether others share it, if there are such ``shared`` ranks in the table."""
    if not row.current:
        return ""
    mark = SHARED if row.rank in shared else " " * bool(shared)
    return f"{row.rank}{mark}{MARK if row.order_supported is False else ' '}"


def _name(row: Row) -> str:
    """The bot's name, and which version of it where it has had several."""
    if not row.current:
        return f"  v{row.version}"
    return f"{clean(row.name)} v{row.version}" if row.versions > 1 else clean(row.name)


def _matches(row: Row) -> Matches:
    assert row.matches is not None, "the rules count matches"
    return row.matches


def _score_in_games(row: Row) -> str:
    """The games won and lost, and those tied if there are any."""
    return "–".join(map(str, (row.won, row.lost, *([row.tied] if row.tied else []))))


_WHO = (
    _Column("", "bot", _name),
    _Column("", "points", lambda row: _points(row.points) if row.current else ""),
    _Column("mean", "points", lambda row: _points(row.points_shuffled) if row.current else ""),
)
_IN_GAMES = (
    _Column("", "games", lambda row: str(row.games)),
    _Column("", "won", lambda row: str(row.won)),
    _Column("", "lost", lambda row: str(row.lost)),
    _Column("", "tied", lambda row: str(row.tied)),
)
_IN_MATCHES = (
    _Column("mat-", "ches", lambda row: str(_matches(row).played)),
    _Column("", "won", lambda row: str(_matches(row).won)),
    _Column("", "lost", lambda row: str(_matches(row).lost)),
    _Column("", "tied", lambda row: str(_matches(row).tied)),
    _Column("in", "games", _score_in_games),
)
_HOW = (
    _Column("for-", "feits", lambda row: str(sum(row.forfeits.values()) or "-")),
    _Column("win", "rate", lambda row: "-" if row.win_rate is None else f"{row.win_rate:.0%}"),
    _Column("", "Elo", lambda row: f"{round(row.elo):+d}"),
    _Column("", "±95%", lambda row: f"±{_reach(row):.0f}"),
    _Column("ranks", "95%", lambda row: "–".join(map(str, dict.fromkeys(row.rank_95)))),
    *(
        _Column(
            one.top, one.heading, partial(lambda name, row: _mean(getattr(row, name)), one.field)
        )
        for one in FIGURES
    ),
)
_RANK, _NAME = 0, 1


def _columns(standings: Standings) -> list[_Column]:
    """The columns that have something to say."""
    is_tied = any((row.matches or row).tied for row in standings.rows)
    counts = _IN_MATCHES if standings.counts_matches else _IN_GAMES
    rank = _Column("", "#", partial(_rank, shared=standings.shared_ranks))
    return [
        column
        for column in (rank, *_WHO, *counts, *_HOW)
        if (column.heading != "tied" or is_tied)
        and (column.top != "volleys" or standings.has_salvos)
    ]


def table(
    standings: Standings,
    *,
    width: int | None = WIDTH,
    colour: bool = False,
    ledger: str | None = None,
    not_in_run: Mapping[str, str] | None = None,
) -> str:
    """The table, what its columns mean, and who forfeited how often and why; without a ``width``
    with all columns and whole names.

    ``ledger`` is where the games are kept, for the command that shows the evidence of a forfeit.
    ``not_in_run`` says of bots in the table why they were left out of the run that it is of.
    """
    text_width = WIDTH if width is None else min(width, WIDTH)
    if not standings.rows:
        found = standings.document
        absent = found.retired or found.disqualified or found.without_games
        nobody = "No bot is in the table." if absent else "No game has been played."
        return "\n".join([nobody, *(_absent(standings, text_width) if absent else ())])
    columns = _columns(standings)
    grid = [
        [column.top for column in columns],
        [column.heading for column in columns],
        *([column.value(row) for column in columns] for row in standings.rows),
    ]
    shared = standings.shared_ranks
    grid[1][_RANK] += " " * (1 + bool(shared))  # above the numbers, not above the marks
    fits, missing = _fitting(grid, width)
    grid = [[row[place] for place in fits] for row in grid]
    heading, *body = _aligned(grid, width)
    lines = [*(paint(line, Style.DIM, colour) for line in (heading, body[0])), *body[1:], ""]
    contest = standings.contest
    legend = [
        line
        for text in (
            *(LEGEND if contest is None else (contest.format.ranked_by, POINTS, LEGEND[1])),
            *([SHARED_LEGEND] if shared else []),
            *(() if all(row.current for row in standings.rows) else (VERSIONS_LEGEND,)),
        )
        for line in wrap(text, width=text_width)
    ]
    lines += [paint(line, Style.DIM, colour) for line in legend]
    lines += left_out(missing, text_width, colour)
    if any(row.forfeits for row in standings.rows):
        lines += ["", *_forfeits(standings.rows, text_width, colour, ledger)]
    lines += ["", *_absent(standings, text_width)]
    for row in standings.rows:
        if row.current and (why := (not_in_run or {}).get(row.name)):
            said = f"{row.name} v{row.version} was left out of this run: {why.partition(': ')[0]}."
            lines += wrap(clean(said), width=text_width)
    own = [] if contest is None else [*contest_lines(contest, width, colour), ""]
    if (gauntlet := standings.document.gauntlet) is not None:
        own = [*gauntlet_lines(gauntlet, standings.unit, width, colour), ""]
    return "\n".join([*own, *lines, *wrap(f"{total(standings)}.", width=text_width)])


def _fitting(grid: Sequence[Sequence[str]], width: int | None) -> tuple[list[int], list[str]]:
    """The columns that fit, with names cut if need be, and the headings of the others."""
    widths = [max(map(cells, column)) + 1 for column in zip(*grid, strict=True)]
    widths[_NAME] = min(widths[_NAME], _SHORTEST_NAME + 1)
    widths[_RANK] -= 1  # no gap before the first
    headings = [
        " ".join(filter(None, map(str.strip, both))) for both in zip(*grid[:2], strict=True)
    ]
    headings = [one.replace("- ", "") for one in headings]
    least = [headings.index(one) for one in _LEAST_WANTED if one in headings]
    fits = kept(widths, least, width)
    return fits, [one for place, one in enumerate(headings) if place not in fits]


def _aligned(grid: Sequence[Sequence[str]], width: int | None) -> list[str]:
    """The rows of a grid with all but the names at the right; names are cut to what is left."""
    widths = [max(map(cells, column)) for column in zip(*grid, strict=True)]
    rest = sum(widths) - widths[_NAME]
    gap = 2 if width is None or rest + widths[_NAME] + 2 * (len(widths) - 1) <= width else 1
    if width is not None:
        room = max(_SHORTEST_NAME, width - rest - gap * (len(widths) - 1))
        widths[_NAME] = min(widths[_NAME], room)
    lines = []
    for row in grid:
        placed = [right(text, wide) for text, wide in zip(row, widths, strict=True)]
        placed[_NAME] = left(row[_NAME], widths[_NAME])
        lines.append((" " * gap).join(placed).rstrip())
    return lines


def _forfeits(rows: Iterable[Row], width: int, colour: bool, ledger: str | None) -> list[str]:
    """Forfeits by cause, a bot a line; the first has the command that shows the evidence."""
    lines: list[str] = []
    for row in rows:
        if row.forfeits:
            causes = ", ".join(
                f"{row.forfeits[cause]} {cause}" for cause in Termination if cause in row.forfeits
            )
            version = f" v{row.version}" if row.versions > 1 else ""
            said = f"{clean(row.name)}{version} forfeited: {causes}"
            shows = ""
            if ledger is not None and not lines:
                command = command_line(["judge", "ledger", "show", ledger, row.name])
                shows = f"; `{command}` shows why"
            if cells(said) + cells(shows) < width:
                lines.append(f"{said}{shows}.")
                continue
            first, *more = wrap(f"{said}{';' if shows else '.'}", "  ", width)
            lines += [first.lstrip(), *more]
            if shows:  # whole: it is there to be copied
                lines.append(f"  {shows.removeprefix('; ')}.")
    return [paint(line, Style.RED, colour) for line in lines]


def _absent(standings: Standings, width: int) -> Iterator[str]:
    """The conditions of the table, and which bots are not in it though they have played."""
    found = standings.document
    if found.conditions is not None:
        yield from wrap(f"Under {clean(in_words(found.conditions))}.", width=width)
    if standings.plan is not None:
        yield from wrap(f"The contest: {in_brief(standings.plan, standings.rounds)}.", width=width)
    if found.retired:
        yield from wrap(f"Retired: {', '.join(map(clean, found.retired))}.", width=width)
    for bot in found.disqualified:
        yield from wrap(f"Disqualified: {clean(bot.name)} ({clean(bot.reason)}).", width=width)
    if found.without_games:
        names = ", ".join(map(clean, found.without_games))
        why = " or ".join(_out_of_the_count(found))
        said = f"Without a game that counts: {names}{why and f' (all are {why})'}."
        yield from wrap(said, width=width)


def _out_of_the_count(standings: StandingsDocument) -> Iterator[str]:
    """Why games of the table do not count by orders."""
    if standings.voided:
        yield "taken out of the count"
    if standings.disqualified_games:
        yield "with a disqualified bot"


def total(standings: Standings) -> str:
    """How many games there are, of how many bots, and how many of them do not count; a clause."""
    found = standings.document
    matches = "" if found.matches is None else f" in {many(found.matches, 'match')}"
    said = f"{many(found.games, 'game')}{matches} of {many(standings.bots, 'bot')}"
    if found.retired:
        said += f" and {len(found.retired)} retired"
    if found.unfinished:
        said += f", and {found.unfinished} of matches that are not over"
    if found.void:
        said += f", and {found.void} void"
    if found.voided:
        said += f", and {found.voided} taken out of the count"
    if found.disqualified_games:
        said += f", and {found.disqualified_games} with a disqualified bot"
    return said


# CSV

_FIELDS: dict[str, Callable[[Row], object]] = {
    "rank": lambda row: row.rank,
    "name": lambda row: clean(row.name),
    "version": lambda row: row.version,
    "versions": lambda row: row.versions,
    "current": lambda row: row.current,
    "points": lambda row: row.points,
    "points_shuffled": lambda row: row.points_shuffled,
    "games": lambda row: row.games,
    "won": lambda row: row.won,
    "lost": lambda row: row.lost,
    "tied": lambda row: row.tied,
    **{
        f"forfeits_{cause}": partial(lambda cause, row: row.forfeits.get(cause, 0), cause)
        for cause in Termination
        if cause.is_forfeit
    },
    "win_rate": lambda row: row.win_rate,
    "elo": lambda row: row.elo,
    "elo_95_low": lambda row: row.elo_95[0],
    "elo_95_high": lambda row: row.elo_95[1],
    "rank_95_best": lambda row: row.rank_95[0],
    "rank_95_worst": lambda row: row.rank_95[1],
    "order_supported": lambda row: row.order_supported,
    **{one.field: attrgetter(one.field) for one in FIGURES},
}


_FIELDS_OF_MATCHES: dict[str, Callable[[Row], object]] = {
    "matches": lambda row: _matches(row).played,
    "matches_won": lambda row: _matches(row).won,
    "matches_lost": lambda row: _matches(row).lost,
    "matches_tied": lambda row: _matches(row).tied,
}


def _fields_of_contest(contest: ContestTable | None) -> dict[str, Callable[[Row], object]]:
    """What the format of a contest says of each bot, as in the ``standings`` document; nothing in
    the rows of its earlier versions."""
    if contest is None:
        return {}
    places = {place.name: place for place in contest.places}

    def field(name: str) -> Callable[[Row], object]:
        return lambda row: getattr(places.get(row.name), name, None) if row.current else None

    names = ("points", "tie_break", "lives", "out", "byes")
    return {f"contest_{name}": field(name) for name in names}


def as_csv(standings: Standings) -> str:
    """The table for a spreadsheet: a line of names, then a line a bot; a column a cause of
    forfeits, intervals in two columns, nothing where there is nothing to say, and in the last
    columns the matches where the rules count these, and what a format of its own ranks by."""
    fields = {
        **_FIELDS,
        **(_FIELDS_OF_MATCHES if standings.counts_matches else {}),
        **_fields_of_contest(standings.contest),
    }
    rows = [[value(row) for value in fields.values()] for row in standings.rows]
    return comma_separated([fields, *rows])


# A contest under way


def leaders(tally: Tally, most: int = 5, width: int = WIDTH) -> str:
    """The first few by points, a line each: what is cheap to say after every game."""
    table = tally.table
    bots = sorted(table.bots.values(), key=lambda bot: (-bot.points, bot.name))
    names = min(24, max((cells(clean(bot.name)) for bot in bots[:most]), default=0))
    points = [bot.points for bot in bots]
    lines = [
        f"{1 + points.index(bot.points):>3}{SHARED if points.count(bot.points) > 1 else ' '} "
        f"{left(clean(bot.name), names)}  {_points(bot.points):>8}  "
        f"{_score(table.results_of(bot.name, bot.version), table)}"
        for bot in bots[:most]
    ]
    if len(bots) > most:
        lines.append(f"     and {many(len(bots) - most, 'bot')} more")
    return "\n".join(line[:width] for line in lines)


def _score(bot: Stint, table: Table) -> str:
    forfeits = sum(bot.counts.forfeits.values())
    games = bot.units.games
    won = f"won {bot.units.won} of {many(games, 'match') if table.counts_matches else games}"
    return won + (f", {many(forfeits, 'forfeit')}" if forfeits else "")


# Words and numbers


def _points(points: float) -> str:
    return f"{points:.2f}" if points < 1000 else f"{points:.0f}"


def _reach(row: Row) -> float:
    return (row.elo_95[1] - row.elo_95[0]) / 2


def _mean(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
