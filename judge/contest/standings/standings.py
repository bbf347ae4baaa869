"""The standings: the ranks of the bots by a tally of games, and how far the games support the
order.

Pure. Points rank the bots, unless the contest's format does or Elo is asked for. The points follow
the percentage rule: the winner of a game gains 5% of the loser's points, and the loser pays them.
Bots with exactly the same points, such as the least possible 10, share a rank and are ordered by
name. The other columns of a row help to judge the order: the mean points over shuffled orders of
play, the strength with its interval, the interval of the rank, and whether the games show the bot
to be stronger than the next.

Points belong to a bot. Results and strength belong to one version of a bot, by default the version
that played last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain, combinations, islice, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, NamedTuple

from judge.contest.formats.registry import format_of
from judge.contest.ledger.tally import Tally
from judge.contest.ledger.tally_table import Pairs, TallyTable, each_pair
from judge.contest.people import Person
from judge.contest.standings.contest_table import ContestTable, contest_table, plan_of
from judge.contest.standings.summary import mean
from judge.documents.ledger import Plan
from judge.documents.standings import Disqualified, Matches, Row, StandingsDocument
from judge.stats.percentage_rule import START, shuffled_points
from judge.stats.strength import BradleyTerry, bradley_terry, worth_of_pairs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RankedBy = Literal["points", "elo"]

MOST_FITTED = 2000  # versions in one fit; memory takes their square, time their cube


class Version(NamedTuple):
    """A version of a bot; the number counts from 1."""

    name: str
    number: int


@dataclass(frozen=True, slots=True)
class Standings:
    """The standings of a ledger as a ``document``, with further facts. ``contest`` is the table by
    the contest's format, if the format ranks the bots. ``plan`` is the contest's plan, if the games
    are of a contest. ``rounds`` is the number of rounds that all bots have played, or None as in
    `_rounds_played`."""

    document: StandingsDocument
    contest: ContestTable | None = None
    plan: Plan | None = None
    rounds: int | None = None

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.document.bots

    @property
    def people(self) -> dict[str, Person]:
        """The bots' own names and their authors."""
        return {row.name: Person(row.own_name, row.author) for row in self.rows}

    @property
    def counts_matches(self) -> bool:
        """Whether the unit is a match and not a game."""
        return self.document.matches is not None

    @property
    def unit(self) -> str:
        """The word for the unit, "game" or "match"."""
        return "match" if self.counts_matches else "game"

    @property
    def has_salvos(self) -> bool:
        """Whether some bot's mean number of shots to win differs from that of volleys."""
        return any(row.volleys_to_win_mean != row.shots_to_win_mean for row in self.rows)

    @property
    def shared_ranks(self) -> frozenset[int]:
        """The ranks that several bots share."""
        ranks = Counter(row.rank for row in self.rows if row.current)
        return frozenset(rank for rank, bots in ranks.items() if bots > 1)

    @property
    def bots(self) -> int:
        """The number of bots in the table."""
        return sum(row.current for row in self.rows)


def standings(
    tally: Tally,
    *,
    every_version: bool = False,
    playing: Mapping[str, str | None] | None = None,
    by: RankedBy = "points",
) -> Standings:
    """The standings of a tally. The same tally gives the same standings to the last bit.

    A bot has a row for its version that played last, and with ``every_version`` one for each
    version. ``playing`` maps bots to the digests of their files. If it is given, only these bots
    are in the table, each in the version with this digest if that version has played. With ``by``
    "points" the contest's format or the points rank the bots, with "elo" their Elo.
    """
    table = tally.table
    has_games = table.conditions is not None
    current = current_versions(tally, table, playing)
    plan = plan_of(tally) if has_games else None
    contest = contest_table(tally, current) if has_games else None
    rows: tuple[Row, ...] = ()
    if has_games:
        rows = tuple(_rows(tally, current, contest, by, every_version=every_version))
    order = [row.name for row in rows if row.current]
    document = StandingsDocument(
        conditions=table.conditions,
        games=table.games,
        matches=sum(version_tally.units.games for version_tally in table.version_tallies) // 2
        if table.counts_matches
        else None,
        void=table.void,
        voided=table.voided,
        disqualified_games=table.disqualified,
        unfinished=table.unfinished,
        ranked_by="format" if contest and by == "points" else by,
        bots=rows,
        retired=tuple(tally.orders.retired),
        disqualified=tuple(
            Disqualified(name, tally.orders.reason(order))
            for name, order in tally.orders.disqualified.items()
        ),
        without_games=_without_games(tally, playing),
        contest=contest.document() if contest else None,
        gauntlet=format_of(plan).gauntlet(plan, table, current, order) if plan else None,
    )
    return Standings(document, contest, plan, _rounds_played(plan, table, current))


def _rows(
    tally: Tally,
    current: Mapping[str, int],
    contest: ContestTable | None,
    by: RankedBy,
    *,
    every_version: bool,
) -> Iterator[Row]:
    """The rows of the bots in their ``current`` versions. With ``every_version`` the rows of a
    bot's other versions follow its row."""
    table = tally.table
    shuffled = _shuffled(tally, table)
    own_rank = {place.name: place.rank for place in contest.places} if contest else {}
    order = sorted(
        current,
        key=lambda name: (
            own_rank.get(name, len(current) + len(own_rank)),
            0.0 if name in own_rank else -table.points_of(name),
            name,  # no game decides between bots that share a rank
        ),
    )
    versions = {name: [Version(name, current[name])] for name in order}
    for name in order if every_version else ():
        others = {*table.versions_of(name)} - {current[name]}
        versions[name] += [Version(name, number) for number in sorted(others, reverse=True)]
    fitted = [*chain.from_iterable(versions.values())]
    strength = strength_of(table, fitted)
    places = {version: place for place, version in enumerate(fitted)}
    own = {name: places[versions[name][0]] for name in order}
    value = table.points_of
    if by == "elo":
        own_rank, contest = {}, None

        def value(name: str) -> float:
            return strength.elo[own[name]]

        order.sort(key=lambda name: (-value(name), name))
    below = {own[name]: own[other] for name, other in pairwise(order)}
    ranks: dict[str, int] = {}
    by_value: dict[float, int] = {}
    for at, name in enumerate(order, 1):
        shared = by_value.setdefault(value(name), at)
        ranks[name] = shared if contest is None else own_rank.get(name, at)
    for version in chain.from_iterable(versions[name] for name in order):
        (name, number), place = version, places[version]
        results = table.results_of(name, number)
        units, counts = results.units, results.counts
        yield Row(
            rank=ranks[name],
            name=name,
            version=number,
            versions=len(tally.versions[name]),
            current=number == current[name],
            **tally.people.get(name, Person())._asdict(),
            points=table.points_of(name),
            points_shuffled=shuffled.get(name, START),
            games=counts.games,
            won=counts.won,
            lost=counts.lost,
            tied=counts.tied,
            matches=Matches(units.games, units.won, units.lost, units.tied)
            if table.counts_matches
            else None,
            forfeits=dict(sorted(counts.forfeits.items())),
            win_rate=mean(units.points, 2 * units.games),
            elo=strength.elo[place],
            elo_95=strength.elo_95[place],
            rank_95=strength.rank_95[place],
            order_supported=strength.order_supported(place, below[place])
            if place in below
            else None,
            shots_to_win_mean=counts.shots_to_win_mean,
            volleys_to_win_mean=counts.volleys_to_win_mean,
        )


def _rounds_played(plan: Plan | None, table: TallyTable, current: Mapping[str, int]) -> int | None:
    """The number of rounds, or of matches if they are the unit, that every two bots have played in
    their ``current`` versions. In a gauntlet only its bot's games are looked at. None if this
    number is 0 or not whole, or differs between couples. None without a plan, for a format that
    ranks the bots, and for games of more than two."""
    if plan is None or format_of(plan).has_places or plan.seats > 2:
        return None
    units = (
        sum(table.met(one, other))
        for one, other in combinations(current.items(), 2)
        if plan.bot in (None, one[0], other[0])
    )
    count = next(units, 0)
    rounds, rest = divmod(count, 1 if table.counts_matches else 2)
    return rounds if rounds and not rest and all(more == count for more in units) else None


def _without_games(tally: Tally, playing: Mapping[str, str | None] | None) -> tuple[str, ...]:
    """The bots that have no game left, because orders took all their games out of the count.
    Retired and disqualified bots are left out; with ``playing`` all bots that are not in it,
    too."""
    known = tally.orders.out_of_table | tally.table.bots.keys()
    return tuple(
        name
        for name in tally.versions
        if name not in known and (playing is None or name in playing)
    )


def current_versions(
    tally: Tally, table: TallyTable, playing: Mapping[str, str | None] | None = None
) -> dict[str, int]:
    """The bots in the table, each with the version that its row is about. ``playing`` is as in
    `standings`."""
    out = tally.orders.out_of_table
    current = {bot.name: bot.version for bot in table.bots.values() if bot.name not in out}
    if playing is None:
        return current
    for name, digest in playing.items():
        version = tally.version_of(name, digest) or 0
        if name in current and version in table.versions_of(name):
            current[name] = version
    return {name: version for name, version in current.items() if name in playing}


def strength_of(table: TallyTable, shown: Sequence[Version]) -> BradleyTerry:
    """The strength of the ``shown`` versions by all games of the table.

    If the table has more than `MOST_FITTED` versions, the oldest versions that are not ``shown``
    are left out with their games.
    """
    # A version without games gets a row of zeros.
    versions = [
        *(
            Version(version_tally.name, version_tally.version)
            for version_tally in table.version_tallies
        ),
        *shown,
    ]
    players = _Players(versions, set(shown))
    wins = players.wins(table.pairs)
    for group in table.groups.values():
        worth = worth_of_pairs(group.seats, ranked=group.ranked)
        wins += worth * players.wins(group.pairs)
    return bradley_terry(wins, [players.number[version] for version in shown])


def strength_among(
    tally: Tally, names: Sequence[str], digests: Mapping[str, str | None]
) -> BradleyTerry:
    """The strength of the bots of these ``names``, in this order. ``digests`` names the version of
    each bot. The strength of a version without games is unknown."""
    shown = [Version(name, tally.version_of(name, digests[name]) or 0) for name in names]
    return strength_of(tally.table, shown)


def _shuffled(tally: Tally, table: TallyTable) -> dict[str, float]:
    """The mean points of each bot over shuffled orders of all games. A bot's games before its last
    reset count as another player's, with the number 0."""
    now = {Version(name, 1) for name in table.bots}
    lives = [
        Version(
            version_tally.name, int(version_tally.version > tally.resets.get(version_tally.name, 0))
        )
        for version_tally in table.version_tallies
    ]
    players = _Players(lives, now)
    won = players.wins(table.pairs, tie=0)
    for group in table.groups.values():
        # A winner gains from each loser as many points as in a game of these two.
        won += players.wins(group.pairs, ("first_won", "other_won"), tie=0)
    points = shuffled_points(won)
    return {life.name: points[number] for life, number in players.number.items() if life in now}


class _Players:
    """The versions in a fit. ``number`` has the index of each, in the order of their first games.
    They are the ``wanted`` versions and the newest others, at most `MOST_FITTED` in all unless more
    are wanted."""

    def __init__(self, of_stints: Sequence[Version], wanted: AbstractSet[Version]) -> None:
        every = list(dict.fromkeys(of_stints))
        over = max(0, len(every) - max(MOST_FITTED, len(wanted)))
        left_out = set(islice((one for one in every if one not in wanted), over))
        self.number = {
            one: at for at, one in enumerate(one for one in every if one not in left_out)
        }
        self._of_stints = [self.number.get(of_stint, -1) for of_stint in of_stints]

    def wins(
        self,
        pairs: Pairs,
        counted: tuple[str, str] = ("won", "lost"),
        *,
        tie: float = 0.5,
    ) -> NDArray[np.float64]:
        """A square table: the number of wins of each player over each other. ``counted`` names the
        fields of a pair with the wins of the first and of the other. A tie is ``tie`` of a win for
        both."""
        import numpy as np

        counts = attrgetter(*counted, "tied")
        rows = ((one, other, *counts(pair)) for one, other, pair in each_pair(pairs))
        cells = np.fromiter(chain.from_iterable(rows), np.int64).reshape(-1, 5).T
        one, other = np.array(self._of_stints, np.int64)[cells[:2]]
        kept = (one >= 0) & (other >= 0)
        one, other, (won, lost, tied) = one[kept], other[kept], cells[2:, kept]
        wins = np.zeros((len(self.number),) * 2)
        np.add.at(wins, (one, other), won + tie * tied)
        np.add.at(wins, (other, one), lost + tie * tied)
        return wins
