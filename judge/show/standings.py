"""The standings as a table for a terminal, as CSV, in Markdown, and as a few lines during a
contest.

Pure. Names are cut so that the lines of a table fit the given width.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from operator import attrgetter

from judge.contest.deferrals import Deferral
from judge.contest.ledger.tally import Tally
from judge.contest.ledger.tally_table import TallyTable
from judge.contest.people import Person
from judge.contest.standings.contest_table import ContestTable
from judge.contest.standings.standings import Standings
from judge.documents.game import Termination
from judge.documents.ledger import Counts, VersionTally
from judge.documents.standings import Matches, Row, StandingsDocument
from judge.quoting import line as command_line
from judge.show import ledger as ledger_text
from judge.show.columns import Column, csv_table, escaped, left_out, markdown_table, terminal_table
from judge.show.contest import NAMED, contest_lines, how_it_stands, in_brief, place_columns
from judge.show.gauntlet import gauntlet_lines
from judge.show.match import in_words
from judge.show.one_game import short_name
from judge.show.text import (
    WIDTH,
    Style,
    cells,
    clean,
    in_a_list,
    left,
    many,
    paint,
    painted,
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


def _rank(row: Row, shared: AbstractSet[int]) -> str:
    """The rank of a row, with ``=`` if others share it; empty for an earlier version of a bot."""
    return f"{row.rank}{SHARED * (row.rank in shared)}" if row.current else ""


def _marked_rank(row: Row, shared: AbstractSet[int]) -> str:
    """The rank, padded so that marks align, with ``~`` if the bot is not shown to be ahead of the
    next. Empty for an earlier version."""
    if not row.current:
        return ""
    mark = MARK if row.order_supported is False else " "
    return f"{_rank(row, shared):{len(str(row.rank)) + bool(shared)}}{mark}"


def _name(row: Row) -> str:
    """The bot's name, with its version if it has had several. The row of an earlier version has
    only the version."""
    if not row.current:
        return f"  v{row.version}"
    return f"{clean(row.name)} v{row.version}" if row.versions > 1 else clean(row.name)


def _matches(row: Row) -> Matches:
    assert row.matches is not None, "the rules count matches"
    return row.matches


def score(of: Row | Counts) -> str:
    """The games won and lost, and those tied if there are any, as in ``3–2–1``."""
    return "–".join(map(str, (of.won, of.lost, *([of.tied] if of.tied else []))))


def _next(row: Row) -> str:
    return {False: f"{MARK} not shown yet", True: "yes", None: ""}[row.order_supported]


def causes(row: Row) -> str:
    """A row's forfeits by termination, in words."""
    return ", ".join(
        f"{row.forfeits[cause]} {cause}" for cause in Termination if cause in row.forfeits
    )


def _count(heading: str, field: str, count: Callable[[Row], int], spare: int = 0) -> Column[Row]:
    return Column(heading, lambda row: str(count(row)), fields={field: count}, spare=spare)


def _of_one(name: str) -> Callable[[Row], str]:
    """A function from a row to its points in the field ``name``, as text; empty for an earlier
    version."""
    return lambda row: _points(getattr(row, name)) if row.current else ""


def _mean(heading: str, name: str, meaning: str, spare: int) -> Column[Row]:
    value: Callable[[Row], float | None] = attrgetter(name)

    def text(row: Row) -> str | None:
        return None if (mean := value(row)) is None else f"{mean:.1f}"

    return Column(heading, text, fields={name: value}, meaning=meaning, sort="up", spare=spare)


_BOT = Column[Row](
    "bot",
    _name,
    fields={name: attrgetter(name) for name in ("name", "version", "versions", "current")},
    sort="up",
    is_name=True,
)
_ABOUT = tuple(  # a terminal and a page have both in one text, below the name
    Column[Row]("", attrgetter(field), heading, fields={field: attrgetter(field)}, is_name=True)
    for field, heading in (("own_name", "Calls itself"), ("author", "Author"))
)
_MEAN_POINTS = Column[Row](
    "mean",
    _of_one("points_shuffled"),
    on_page="Mean points",
    fields={"points_shuffled": attrgetter("points_shuffled")},
    meaning="The same games put into many random orders, and the points at the end averaged. If "
    "points and mean points disagree, the order of play made the difference.",
    spare=5,
)
_IN_GAMES = (
    _count("games", "games", attrgetter("games")),
    _count("won", "won", attrgetter("won")),
    _count("lost", "lost", attrgetter("lost"), spare=6),
    _count("tied", "tied", attrgetter("tied"), spare=2),
)
_IN_MATCHES = (
    _count("mat-|ches", "matches", lambda row: _matches(row).played),
    _count("won", "matches_won", lambda row: _matches(row).won),
    _count("lost", "matches_lost", lambda row: _matches(row).lost, spare=6),
    _count("tied", "matches_tied", lambda row: _matches(row).tied, spare=2),
    Column("in|games", score, spare=8),
)
_HOW = (
    Column[Row](
        "for-|feits",
        lambda row: str(sum(row.forfeits.values())) if row.forfeits else None,
        fields={
            f"forfeits_{cause}": partial(lambda cause, row: row.forfeits.get(cause, 0), cause)
            for cause in Termination
            if cause.is_forfeit
        },
        meaning="Games lost by a fault, such as a crash or a wrong reply, rather than by play; void "
        "games, in which both bots failed, are among them.",
        spare=9,
    ),
    Column[Row](
        "win|rate",
        lambda row: None if row.win_rate is None else f"{row.win_rate:.0%}",
        fields={"win_rate": attrgetter("win_rate")},
        spare=4,
    ),
    Column[Row](
        "Elo",
        lambda row: f"{round(row.elo):+d}",
        on_page="Elo ± 95%",
        text_on_page=lambda row: f"{row.elo:+.0f} ± {_reach(row):.0f}",
        fields={"elo": attrgetter("elo")},
        meaning="How strong a bot is, from who beat whom and how often, whatever the order. 0 is the "
        "average of the field; 100 more than another means to win 64% of the games against it, 200 "
        "more 76%, 400 more 91%. Behind ± stands how far off that may be; the bar beside it shows "
        "the same.",
    ),
    Column[Row](
        "±95%",
        lambda row: f"±{_reach(row):.0f}",
        on_page="",
        fields={
            "elo_95_low": lambda row: row.elo_95[0],
            "elo_95_high": lambda row: row.elo_95[1],
        },
        spare=10,
    ),
    Column[Row](
        "ranks|95%",
        lambda row: "–".join(map(str, dict.fromkeys(row.rank_95))),
        on_page="May be rank",
        fields={
            "rank_95_best": lambda row: row.rank_95[0],
            "rank_95_worst": lambda row: row.rank_95[1],
        },
        meaning="The places that a bot may really deserve: “1–3” says that it may be first, second or "
        "third.",
        sort="up",
        spare=3,
    ),
    Column[Row](
        "",
        _next,
        on_page="Ahead of the next?",
        fields={"order_supported": attrgetter("order_supported")},
    ),
    _mean(
        "shots|to win",
        "shots_to_win_mean",
        "How many shots it needed in the games that it won by sinking the whole fleet: the fewer, the "
        "better it shoots.",
        spare=7,
    ),
    _mean(
        "volleys|to win",
        "volleys_to_win_mean",
        "The same in volleys, the shots of one turn each. A bot that loses no ships fires more shots "
        "in a volley.",
        spare=1,
    ),
)


def _by_rank(standings: Standings) -> tuple[Column[Row], Column[Row]]:
    """The columns of ranks and points."""
    shared = standings.shared_ranks
    by_points = standings.document.ranked_by == "points"
    ranks = "by which the table is ranked" if by_points else "which does not rank this table"
    rank = Column[Row](
        "#" + " " * (1 + bool(shared)),  # above the numbers, not above the marks
        partial(_marked_rank, shared=shared),
        text_on_page=partial(_rank, shared=shared),
        fields={"rank": attrgetter("rank")},
        sort="up",
    )
    points = Column[Row](
        "points",
        _of_one("points"),
        fields={"points": attrgetter("points")},
        meaning=f"The percentage rule, {ranks}. Everyone starts with 10. Who wins gains 5% of what "
        "the loser had; the loser loses as much, but never falls below 10. Points never settle: they "
        "remember only the last dozen or so losses.",
    )
    return rank, points


def about_bot(row: Row) -> str:
    """The text below a bot's name: its program's own name and its author; empty for an earlier
    version."""
    return in_words(Person(row.own_name, row.author)) if row.current else ""


def columns(standings: Standings) -> list[Column[Row]]:
    """The columns of these standings. Ties and volleys have columns only if there are any."""
    rank, points = _by_rank(standings)
    is_tied = any((row.matches or row).tied for row in standings.rows)
    counts = _IN_MATCHES if standings.counts_matches else _IN_GAMES
    return [
        column
        for column in (rank, _BOT, points, _MEAN_POINTS, *counts, *_HOW)
        if (column.heading != "tied" or is_tied)
        and (column.key != "volleys_to_win_mean" or standings.has_salvos)
    ]


def first_columns(standings: Standings) -> tuple[list[str], list[list[str]], list[str]]:
    """The headings and rows of the columns that are never left out, and the text below each row's
    name."""
    chosen = [column for column in columns(standings) if column.words and not column.spare]
    rows = [[column.page_text(row) for column in chosen] for row in standings.rows]
    return [column.page_heading for column in chosen], rows, [*map(about_bot, standings.rows)]


def as_csv(standings: Standings) -> str:
    """The table as CSV: a line of names, then a line for each row. Each cause of forfeits has a
    column, and an interval has two. The last columns are those of matches and of a contest's
    format, if there are any, the bot's own name and its author, and what ranks the table."""
    rank, points = _by_rank(standings)
    matches = _IN_MATCHES if standings.counts_matches else ()
    every = (rank, _BOT, points, _MEAN_POINTS, *_IN_GAMES, *_HOW, *matches)
    by = Column[Row](
        "", lambda _: None, fields={"ranked_by": lambda _: standings.document.ranked_by}
    )
    return csv_table([*every, *_of_contest(standings.contest), *_ABOUT, by], standings.rows)


def _of_contest(contest: ContestTable | None) -> Iterator[Column[Row]]:
    """The columns of a contest's format, as in the ``standings`` document; none without a contest.
    They are empty for a bot's earlier versions."""
    places = {place.name: place for place in contest.places} if contest else {}
    for name in ("points", "tie_break", "lives", "out", "byes") if contest else ():

        def value(row: Row, name: str = name) -> object:
            return getattr(places.get(row.name), name, None) if row.current else None

        yield Column("", lambda _: None, fields={f"contest_{name}": value})


def as_markdown(standings: Standings) -> str:
    """The table in Markdown, what ranks it, the clause of `two_leaders`, and a line with the number
    of games. The places by a contest's format, and who has won, stand above the table."""
    rank, name, *others = columns(standings)
    about = [column for column in _ABOUT if any(map(column.text, standings.rows))]
    every = [rank, name, *about, *others]
    lines = []
    if standings.rows:
        if (contest := standings.contest) is not None:
            lines += [markdown_table(place_columns(contest), contest.places)]
            lines += [how_it_stands(contest, escaped)]
        lines += [markdown_table(every, standings.rows), ranked_by(standings)]
    if split := two_leaders(standings, escaped):
        lines.append(f"{split}.")
    return "\n\n".join([*lines, f"{total(standings)}."])


def ranked_by(standings: Standings) -> str:
    """A sentence on what ranks the bots of these standings."""
    if standings.document.ranked_by == "elo":
        return "Ranked by Elo, and not by points."
    contest = standings.contest
    return "Ranked by points, by the 5% rule." if contest is None else contest.format.ranked_by


def two_leaders(standings: Standings, named: Callable[[str], str]) -> str:
    """A clause on who leads by points and who by Elo, if these are different bots. Empty if one bot
    leads by both, and without bots. ``named`` writes a name."""
    rows = [row for row in standings.rows if row.current]
    points, elo = (
        [row.name for row in rows if value(row) == max(map(value, rows))]
        for value in (attrgetter("points"), attrgetter("elo"))
    )
    if not rows or set(points) & set(elo):
        return ""
    first, other = (in_a_list([*map(named, names)], NAMED, "bot") for names in (points, elo))
    leads = "leads" if len(points) == 1 else "lead"
    return f"{first} {leads} by points, {other} by Elo"


def table(
    standings: Standings,
    *,
    width: int | None = WIDTH,
    colour: bool = False,
    ledger: str | None = None,
    not_in_run: Mapping[str, str] | None = None,
    mends: Mapping[str, str] | None = None,
    deferrals: Sequence[Deferral] = (),
) -> str:
    """The standings as text: the table, its legend, the forfeits, and the number of games. Without
    a ``width`` the table has all columns and whole names.

    ``ledger`` is the path of the ledger, for the command that shows the evidence of a forfeit. By
    the bot's name, ``not_in_run`` has the reason why a bot was left out of this run, and ``mends``
    what to do about a bot's forfeits. ``deferrals`` are the bots whose games the run has put off.
    """
    text_width = WIDTH if width is None else min(width, WIDTH)
    if not standings.rows:
        found = standings.document
        absent = found.retired or found.disqualified or found.without_games
        nobody = "No bot is in the table." if absent else "No game has been played."
        return "\n".join([nobody, *(_absent(standings, text_width) if absent else ())])
    lines, missing = terminal_table(columns(standings), standings.rows, width, colour, about_bot)
    lines.append("")
    shared = standings.shared_ranks
    contest = standings.contest
    by_points = standings.document.ranked_by == "points"
    for text in (
        *(LEGEND if by_points else (ranked_by(standings), POINTS, LEGEND[1])),
        *([SHARED_LEGEND] if shared else []),
        *(() if all(row.current for row in standings.rows) else (VERSIONS_LEGEND,)),
    ):
        lines += painted(text, Style.DIM, colour, text_width)
    lines += left_out(missing, text_width, colour)
    if any(row.forfeits for row in standings.rows):
        lines += ["", *_forfeits(standings.rows, text_width, colour, ledger, mends or {})]
    lines += ["", *_absent(standings, text_width)]
    for row in standings.rows:
        if row.current and (why := (not_in_run or {}).get(row.name)):
            said = f"{row.name} v{row.version} was left out of this run: {why.partition(': ')[0]}."
            lines += wrap(clean(said), width=text_width)
    for bot in deferrals:
        said = f"{bot.name} is put off after {bot.row} forfeits in a row."
        lines += wrap(clean(said), width=text_width)
    games = total(standings)
    if put_off := sum(bot.games for bot in deferrals):
        games += f"; {many(put_off, 'more game')} put off"
    own = [] if contest is None else [*contest_lines(contest, width, colour), ""]
    if (gauntlet := standings.document.gauntlet) is not None:
        own = [*gauntlet_lines(gauntlet, standings.unit, width, colour), ""]
    if split := two_leaders(standings, short_name):
        own += [*painted(f"{split}.", Style.BOLD, colour, text_width), ""]
    return "\n".join([*own, *lines, *wrap(f"{games}.", width=text_width)])


def _forfeits(
    rows: Iterable[Row],
    width: int,
    colour: bool,
    ledger: str | None,
    mends: Mapping[str, str],
) -> list[str]:
    """A line for each row with forfeits, by cause, with what to do if ``mends`` has it. With a
    ``ledger`` the last line has the command that shows the evidence."""
    lines: list[str] = []
    mended: dict[str, str] = {}  # the bot with which a mend of several bots is said
    names = []
    for row in rows:
        if row.forfeits:
            names.append(row.name)
            version = f" v{row.version}" if row.versions > 1 else ""
            said = f"{clean(row.name)}{version} forfeited: {causes(row)}"
            if mend := mends.get(row.name):
                like = mended.setdefault(mend, row.name)
                way = f": {mend}" if like == row.name else f", see {like}"
                said = f"{said}; to mend it{clean(way)}"
            first, *more = wrap(f"{said}.", "  ", width)
            lines += [first.lstrip(), *more]
    if ledger is not None:  # unbroken, so that it can be copied
        one, which = (names[0], "") if len(set(names)) == 1 else ("BOT", " a bot forfeited")
        command = command_line(["judge", "ledger", "show", ledger, one])
        lines.append(f"`{command}` shows why{which}.")
    return [paint(line, Style.RED, colour) for line in lines]


def _absent(standings: Standings, width: int) -> Iterator[str]:
    """The lines on the table's conditions, its contest, and bots that have played but are not in
    the table."""
    found = standings.document
    if found.conditions is not None:
        yield from wrap(f"Under {clean(ledger_text.conditions(found.conditions))}.", width=width)
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
    """The orders by which games do not count, in words."""
    if standings.voided:
        yield "taken out of the count"
    if standings.disqualified_games:
        yield "with a disqualified bot"


def total(standings: Standings) -> str:
    """A clause with the numbers of games and bots, and of the games that do not count."""
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


# A contest under way


def leaders(tally: Tally, most: int = 5, width: int = WIDTH) -> str:
    """A line for each of the first ``most`` bots by points, and the number of all others."""
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


def _score(bot: VersionTally, table: TallyTable) -> str:
    forfeits = sum(bot.counts.forfeits.values())
    games = bot.units.games
    won = f"won {bot.units.won} of {many(games, 'match') if table.counts_matches else games}"
    return won + (f", {many(forfeits, 'forfeit')}" if forfeits else "")


# Words and numbers


def _points(points: float) -> str:
    return f"{points:.2f}" if points < 1000 else f"{points:.0f}"


def _reach(row: Row) -> float:
    return (row.elo_95[1] - row.elo_95[0]) / 2
