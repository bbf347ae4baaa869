"""A ledger as pages: the standings, alone or with a page for each bot and each game behind them.

Pure but for reading its templates. Pages do not depend on a clock or a machine, so the same ledger
gives the same pages. Names of bots and games may have any characters. `file_name` turns a name into
one that every file system and server takes.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from judge.contest.ledger.tally import NOTHING_SAID
from judge.contest.ledger.tally_table import TallyTable, each_pair
from judge.contest.standings.history import History, PastGame
from judge.contest.standings.standings import Standings
from judge.contest.standings.time_series import TimeSeries
from judge.documents.game import Termination
from judge.documents.history import OpponentCounts, Opponents
from judge.documents.ledger import Counts, Description
from judge.documents.standings import Row
from judge.show import ledger as ledger_text
from judge.show.columns import on_page
from judge.show.contest import in_brief, isolated
from judge.show.gauntlet import gauntlet_page
from judge.show.match import in_words
from judge.show.opponents import opponent_columns
from judge.show.pages import chart, html
from judge.show.pages.format_page import format_page, headline, shared_lead
from judge.show.pages.match_page import MatchSeen
from judge.show.standings import causes, columns, ranked_by, score, total, two_leaders
from judge.show.text import clean, cut

CROSS = 30  # bots in the cross table, if scores are short; of more, a page shows the first
NARROW = 12  # bots in the cross table; of more, cells are narrow and a score has two lines
_DIGITS = 3  # digits of a number of games that fits a narrow cell
LATEST = 20  # games on the page of the standings
ON_A_PAGE = 1_000  # games on a bot's page; it has several if there are more
FORFEITS = 40  # bots whose forfeits are listed by cause; of more, the bots with the most forfeits
VOIDS = 100  # games listed that do not count

_CAUSES = [termination.value for termination in Termination if termination.is_forfeit]
_OTHER = re.compile("[^a-z0-9.]+")
_PLAIN = re.compile("[a-z0-9]+(?:[-_][a-z0-9]+)*")
_LONGEST = 40  # most characters of a name that stands for itself
_SCALE = 240  # units of the picture of an interval
_EDGE = 5
_FENCE = 3


@lru_cache(4096)  # each game of a bot needs the bot's file name
def file_name(text: str, page: int = 1) -> str:
    """The name of a file for a bot's or game's name, different for every ``text`` and ``page``.

    Short words of small letters and digits, joined by - or _, stand for themselves. Any other text
    has a digest of 16 digits after its readable letters. A text that ends like such a digest does
    not stand for itself.
    """
    stem = text
    looks_digested = text[-17:-16] == "-"
    if len(text) > _LONGEST or looks_digested or not _PLAIN.fullmatch(text):
        readable = _OTHER.sub("-", text.lower())[:60].strip("-.")
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        stem = f"{readable or 'x'}-{digest}"
    return f"{stem}.html" if page == 1 else f"{stem}.{page}.html"


class Reach(NamedTuple):
    """An Elo interval as a picture: where it begins, how long it is, and the estimate in it."""

    start: float
    length: float
    middle: float


class Forfeits(NamedTuple):
    """The forfeits of one bot. ``segments`` are the parts of its bar: each has a cause, its start
    and its length, in percent of the longest bar."""

    name: str
    games: int
    share: float
    causes: str
    segments: list[tuple[str, float, float]]


@dataclass(frozen=True, slots=True)
class LedgerPages:
    """The data of the pages of a ledger. ``name`` is the ledger's name. ``head_to_head`` has the
    results of each bot against each other bot, by both names."""

    name: str
    standings: Standings
    table: TallyTable | None
    series: TimeSeries
    description: Description = NOTHING_SAID
    head_to_head: Mapping[tuple[str, str], Counts] = field(init=False)

    @classmethod
    def of(cls, name: str, standings: Standings, history: History) -> LedgerPages:
        """The pages of a ledger whose whole ``history`` has been read."""
        tally = history.tally
        return cls(name, standings, tally.table, history.series, tally.description)

    def __post_init__(self) -> None:
        object.__setattr__(self, "head_to_head", _head_to_head(self.standings, self.table))

    @property
    def title(self) -> str:
        """The title of the ledger's pages."""
        return clean(self.description.title) or f"Standings of \u2068{clean(self.name)}\u2069"

    @property
    def names(self) -> list[str]:
        return [row.name for row in self.standings.rows]


def standings_page(
    ledger: LedgerPages,
    games: Sequence[PastGame],
    *,
    linked: bool,
    matches: Sequence[MatchSeen] = (),
) -> str:
    """The page of the standings, with the latest games and ``matches``, and the latest games that
    do not count. ``games`` are all games, the oldest first. ``matches`` are the matches that have
    pages.

    If ``linked``, the page has links to the pages of bots and games, in ``bots/`` and ``games/``.
    """
    found, series = ledger.standings.document, ledger.series
    rows = found.bots
    crossed = _crossed(ledger)
    counted, voids = _newest_first(games)
    return _render(
        "standings.html",
        ledger,
        title=_tab(ledger, 60),
        root="" if linked else None,
        ledger=clean(ledger.name),
        is_titled=bool(ledger.description.title),
        about=html.rendered(ledger.description.about),
        form=_form(ledger.standings),
        played=_last_played(games),
        standings=ledger.standings,
        conditions=found.conditions and ledger_text.conditions(found.conditions),
        voided=found.voided + found.disqualified_games,
        headline=_headline(ledger.standings),
        contest=format_page(ledger.standings.contest),
        gauntlet=gauntlet_page(found.gauntlet, ledger.standings.unit),
        lead=_lead(ledger.standings),
        rows=rows,
        reaches=_reaches(rows),
        zero=_scaled(rows)(0.0) if rows else 0,
        scale=_SCALE,
        ties=any((row.matches or row).tied for row in rows),
        undecided=_undecided(rows),
        points=chart.chart(
            [(row.name, series.points.get(row.name, [])) for row in rows], series.games
        ),
        elo=chart.chart(
            [(row.name, series.elo.get(row.name, [])) for row in rows], series.games, signed=True
        ),
        cross=_cross(ledger, crossed),
        shade=_shade,
        score=score,
        narrow=len(crossed) > NARROW,
        of_more=ledger.table is not None and bool(ledger.table.groups),
        cross_names=[cut(clean(name), 18) for name in crossed],
        forfeits=list(_forfeits(rows)),
        more_forfeits=max(0, sum(1 for row in rows if row.forfeits) - FORFEITS),
        latest=counted[:LATEST],
        matches=matches[: -LATEST - 1 : -1],
        more_matches=len(matches[:-LATEST]),
        voids=voids[:VOIDS],
        more_voids=len(voids[VOIDS:]),
    )


def bot_pages(
    ledger: LedgerPages, place: int, games: Sequence[PastGame]
) -> Iterator[tuple[str, str]]:
    """The file names and texts of the pages of a bot; ``place`` is the bot's row of the table.

    ``games`` are all games of the bot, the oldest first. Links lead to ``../`` and ``../games/``.
    """
    row = ledger.standings.rows[place]
    opponents = _opponents(ledger, row, games)
    ranks: dict[Opponents, int] = {other.name: other.rank for other in ledger.standings.rows}
    counted, voids = _newest_first(games)
    pages = [counted[at : at + ON_A_PAGE] for at in range(0, len(counted) or 1, ON_A_PAGE)]
    for page, shown in enumerate(pages, 1):
        yield (
            file_name(row.name, page),
            _render(
                "bot.html",
                ledger,
                title=f"{cut(clean(row.name), 40)} – {_tab(ledger, 40)}",
                root="../",
                row=row,
                field=len(ledger.standings.rows),
                points=_own(place, row.name, ledger.series.points, ledger.series.games),
                elo=_own(place, row.name, ledger.series.elo, ledger.series.games, signed=True),
                opponents=opponents,
                against=opponent_columns(opponents, ledger.standings.unit, ranks),
                games=[_seen(row.name, past_game) for past_game in shown],
                voids=voids[:VOIDS] if page == 1 else [],
                more_voids=len(voids[VOIDS:]),
                page=page,
                pages=[(part[0].number, part[-1].number) for part in pages if part],
            ),
        )


def _render(template: str, ledger: LedgerPages, /, **more: Any) -> str:
    """A page of the ledger, with the values that all its pages have."""
    return html.render(
        template,
        html.LEDGER,
        called=ledger.title,
        people=ledger.standings.people,
        in_words=in_words,
        paged=frozenset(ledger.names),
        columns=on_page(columns(ledger.standings)),
        ranked_by=ranked_by(ledger.standings),
        causes=causes,
        why_not=why_not,
        chart=chart,
        file_name=file_name,
        **more,
    )


def _newest_first(games: Sequence[PastGame]) -> tuple[list[PastGame], list[PastGame]]:
    """The games that count and the games that do not, each the newest first."""
    newest = games[::-1]
    return [past_game for past_game in newest if past_game.counts], [
        past_game for past_game in newest if not past_game.counts
    ]


def why_not(past_game: PastGame) -> str:
    """The reason why a game does not count."""
    if past_game.voided is not None:
        return f"taken out: \u2068{clean(past_game.voided)}\u2069"
    if past_game.game.termination == Termination.VOID:
        return "both forfeited"
    return "broken off" if past_game.game.termination == Termination.ABORTED else "not rated"


def _tab(ledger: LedgerPages, most: int) -> str:
    """`LedgerPages.title` for a browser's tab, its title or ledger's name cut to ``most`` cells."""
    if ledger.description.title:
        return cut(clean(ledger.description.title), most)
    return f"Standings of {cut(clean(ledger.name), most)}"


def _form(standings: Standings) -> str:
    """The contest's format with its numbers, such as those of games and lives; empty without a
    contest."""
    return "" if standings.plan is None else in_brief(standings.plan, standings.rounds)


def _last_played(games: Sequence[PastGame]) -> str:
    """The time at which the last game was over, to the minute; empty if not known."""
    last = max((past_game.finished for past_game in games), default="")
    return clean(last)[:16].replace("T", " ")


# The table


def _headline(standings: Standings) -> str:
    """The headline of the page. Without a game that counts no bot leads, unless the contest is
    over."""
    rows, contest = standings.rows, standings.contest
    if not standings.document.games and not (contest and contest.is_over):
        return "No game counts so far" if rows else "No game has been played"
    if said := [*filter(None, (headline(contest), two_leaders(standings, isolated)))]:
        return "; ".join(said)
    if shared := shared_lead([row.name for row in rows if row.rank == 1 and row.current]):
        return shared
    name = isolated(rows[0].name)
    return f"{name} leads" if len(rows) < 2 or rows[0].order_supported else f"{name} leads, for now"


def _lead(standings: Standings) -> str:
    rows = standings.rows
    if not rows:
        return ""
    said = f"{total(standings)}."
    if len(rows) < 2 or not standings.document.games:
        return said
    first, second = (isolated(row.name) for row in rows[:2])
    if rows[1].rank == rows[0].rank:
        return said
    if rows[0].order_supported:
        return f"{said} They show that {first} is stronger than {second}, which comes next."
    contest = standings.contest
    if contest is not None and contest.is_over:
        return f"{said} They do not show that {first} is stronger than {second}, which comes next."
    return (
        f"{said} They do not yet show that {first} is stronger than {second}, which comes next: "
        "more games will tell."
    )


def _undecided(rows: Sequence[Row]) -> list[tuple[int, int] | None]:
    """The group of each row, as its first and last row; None for a row without a group. A group is
    neighbouring rows whose order the games do not support."""
    groups: list[tuple[int, int] | None] = []
    first = 0
    for place, row in enumerate(rows):
        if row.order_supported is not False:  # this is the last row of its group
            groups += [(first, place) if place > first else None] * (place + 1 - first)
            first = place + 1
    return groups


def _scaled(rows: Sequence[Row]) -> Callable[[float], float]:
    """A function from an Elo to its place in the picture. The scale has all ends of intervals
    except outliers, or one bot would make all others a dot. Outliers lie outside of the middle half
    by over three times its width (Tukey's outer fence), and are drawn at the edge."""
    ends = sorted(end for row in rows for end in row.elo_95)
    lower, upper = ends[len(ends) // 4], ends[-1 - len(ends) // 4]
    fence = _FENCE * (upper - lower)
    low, high = max(ends[0], lower - fence), min(ends[-1], upper + fence)
    span = high - low

    def at(elo: float) -> float:
        within = min(max(elo, low), high)
        return round(_EDGE + (_SCALE - 2 * _EDGE) * (within - low) / span, 1)

    return at


def _reaches(rows: Sequence[Row]) -> list[Reach]:
    at = _scaled(rows) if rows else None
    return [
        Reach(at(low), round(at(high) - at(low), 1), at(row.elo))
        for row in rows
        if at is not None
        for low, high in (row.elo_95,)
    ]


# Who beat whom


def _head_to_head(standings: Standings, table: TallyTable | None) -> dict[tuple[str, str], Counts]:
    """The results of each two bots of the table, as the first of the two sees them. Only versions
    in the table count. In a game of more than two players, a player who came before another has won
    against that player."""
    shown = {(row.name, row.version) for row in standings.rows}
    counts: dict[tuple[str, str], Counts] = {}
    if table is None:
        return {}
    for one, other, pair in each_pair(*table.all_pairs):
        first, second = table.version_tallies[one], table.version_tallies[other]
        if not {(first.name, first.version), (second.name, second.version)} <= shown:
            continue
        names = first.name, second.name
        counts.setdefault(names, Counts()).score(won=pair.won, lost=pair.lost, tied=pair.tied)
        counts.setdefault(names[::-1], Counts()).score(won=pair.lost, lost=pair.won, tied=pair.tied)
    return {names: one for names, one in counts.items() if one.games}


def _shade(counts: Counts) -> int:
    """The colour of a result: from 0, all lost, to 8, all won."""
    return round(4 * counts.points / counts.games)


def _crossed(ledger: LedgerPages) -> list[str]:
    """The bots in the cross table: as many of the first bots as fit a wide screen."""
    most = max(
        (max(one.won, one.lost, one.tied) for one in ledger.head_to_head.values()), default=0
    )
    room = CROSS * (_DIGITS + 1) // (max(_DIGITS, len(str(most))) + 1)
    return ledger.names[:room]


def _cross(ledger: LedgerPages, names: Sequence[str]) -> list[list[Counts | None]]:
    return [[ledger.head_to_head.get((name, other)) for other in names] for name in names]


def _opponents(ledger: LedgerPages, own: Row, games: Iterable[PastGame]) -> list[OpponentCounts]:
    """The results of a bot against each other bot of the table, in the order of the table. Only
    versions in the table count."""
    shown = {(row.name, row.version) for row in ledger.standings.rows}
    void, forfeited = Counter[str](), Counter[str]()
    for past_game in games:
        game = past_game.game
        bots = shown.intersection(zip(game.names, past_game.versions, strict=True))
        if past_game.voided is None and (own.name, own.version) in bots:
            others = [name for name, _ in bots if name != own.name]
            void.update(() if game.rated else others)
            forfeited.update(others if game.names.index(own.name) in game.forfeits else ())
    results = ((name, ledger.head_to_head.get((own.name, name), Counts())) for name in ledger.names)
    return [
        OpponentCounts(name, counts.won, counts.lost, counts.tied, void[name], forfeited[name])
        for name, counts in results
        if counts.games or void[name] or forfeited[name]
    ]


# Forfeits


def _forfeits(rows: Sequence[Row]) -> Iterator[Forfeits]:
    """The bots that forfeited a game, the most forfeits first; at most `FORFEITS` bots."""
    counts = [(sum(row.forfeits.values()), row) for row in rows]
    most = max((count for count, _ in counts), default=0)
    for count, row in sorted(counts, key=lambda one: -one[0])[:FORFEITS]:
        if count:
            edges = [0]
            for cause in _CAUSES:
                edges.append(edges[-1] + row.forfeits.get(cause, 0))
            segments = [
                (cause, round(100 * start / most, 1), round(100 * (end - start) / most, 1))
                for cause, (start, end) in zip(_CAUSES, pairwise(edges), strict=True)
                if end > start
            ]
            # Games that both forfeited are void, and ``row.games`` does not count them.
            share = count / max(row.games, count)
            yield Forfeits(row.name, count, share, causes(row), segments)


# One bot


class SeenGame(NamedTuple):
    """A game that counts, as one of its bots sees it."""

    number: int
    opponents: list[str]
    result: str
    termination: str
    forfeited: bool
    shots: int
    points: float
    gain: float


def _seen(name: str, past_game: PastGame) -> SeenGame:
    game = past_game.game
    seat = game.names.index(name)
    result = "tied" if game.winner is None else "won" if game.winner == seat else "lost"
    return SeenGame(
        number=past_game.number,
        opponents=[other for other in game.names if other != name],
        result=result,
        termination=game.termination,
        forfeited=seat in game.forfeits,
        shots=past_game.shots,
        points=past_game.after[seat],
        gain=past_game.after[seat] - past_game.before[seat],
    )


def _own(
    place: int,
    name: str,
    curves: Mapping[str, list[tuple[int, float]]],
    games: int,
    *,
    signed: bool = False,
) -> chart.Chart | None:
    """The chart of the bot in row ``place`` of the table, from the bot's own first game on."""
    curve = curves.get(name, [])
    first = curve[0][0] if curve else 0
    return chart.chart([(name, curve)], games, first=first, signed=signed, place=place)
