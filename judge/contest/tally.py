"""The tally: running totals over all games of a journal, from which standings are computed.

Pure, and the one meaning of a journal: whatever computes standings, from the whole journal or
from its tail, does so by `Tally.enter`. It holds nothing that a clock or a place could change, so
the same games give the same bytes.

A *version* of a bot is a digest of its files; the versions of a name are counted in the order in
which they first appear. Games are counted by *stints*: those of one version of a bot between two
resets of it. Points go on by name.

Points, and what strength is computed from, count *units*: games, or whole matches where the rules
say so. A match counts with its last game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from judge.contest.condition_set import ConditionSet
from judge.contest.description import KIND as DESCRIPTION
from judge.contest.description import NOTHING, Description
from judge.contest.formats.units import (
    LOST,
    TIED,
    WON,
    KeptGame,
    UnitResult,
    UnitResults,
    UnitTally,
)
from judge.contest.group_tally import GroupKey, GroupTally
from judge.contest.orders import (
    NEWEST,
    UNDO,
    Order,
    OrderKind,
    Orders,
    is_order,
    order_in,
    undone_by,
    void_by_id,
)
from judge.contest.played import Played, played
from judge.contest.seeds import ContestSeed
from judge.game.outcome import Termination
from judge.game.record import SCHEMAS as GAME_SCHEMAS
from judge.game.record import OfMatch
from judge.stats.percentage_rule import START, percentage_rule

if TYPE_CHECKING:
    from judge.contest.formats.kept import KeptContest

MOST_BOTS = 2000  # of a ledger: a table takes their square in memory, and their cube in time
MOST_VERSIONS = 10_000  # of all bots of a ledger: X.json names each
MOST_CONDITIONS = 100
BEGUN = "begun"  # the kind of the entry that holds a game of which nothing is known yet
NEWEST_CONTEST = 3  # of the entry that holds a contest's seed, and its format
HOPELESS = frozenset({Termination.TIMEOUT, Termination.CRASH})


@dataclass(slots=True)
class BotTally:
    """A bot's points in a table, and the ``version`` of it that played last."""

    name: str
    version: int
    points: float = START


@dataclass(slots=True)
class Stint:
    """The results of a version of a bot between two resets; ``life`` is how often it had been
    reset. ``won``, ``lost`` and ``tied`` count units, and ``games_won`` and so on the games that
    these are made of. ``shots_to_win`` and ``volleys_to_win`` are sums over ``played_out`` games
    that it won by destroying the fleet. ``streak`` is how many games it has forfeited in a row by
    time-out or crash, up to its last."""

    name: str
    version: int
    life: int
    won: int = 0
    lost: int = 0
    tied: int = 0
    played_out: int = 0
    shots_to_win: int = 0
    volleys_to_win: int = 0
    streak: int = 0
    forfeits: dict[str, int] = field(default_factory=dict)
    games_won: int = 0
    games_lost: int = 0
    games_tied: int = 0

    @property
    def units(self) -> int:
        return self.won + self.lost + self.tied

    @property
    def games(self) -> int:
        return self.games_won + self.games_lost + self.games_tied

    def add(self, other: Stint) -> None:
        """Count the results of a later stint in as well."""
        self.won += other.won
        self.lost += other.lost
        self.tied += other.tied
        self.games_won += other.games_won
        self.games_lost += other.games_lost
        self.games_tied += other.games_tied
        self.played_out += other.played_out
        self.shots_to_win += other.shots_to_win
        self.volleys_to_win += other.volleys_to_win
        self.streak = other.streak
        for how, count in other.forfeits.items():
            self.forfeits[how] = self.forfeits.get(how, 0) + count


@dataclass(slots=True)
class PairTally:
    """The units of two stints, as the first of them sees it. ``text`` is the row of the ``ledger``
    document, as long as it is right: to write it anew for every pair would make the saving of a
    large ledger slow."""

    won: int = 0
    lost: int = 0
    tied: int = 0
    text: str | None = field(default=None, compare=False, repr=False)

    def write(self, one: int, other: int) -> str:
        """Its row, where ``one`` and ``other`` are the numbers of the stints."""
        self.text = f"[{one},{other},{self.won},{self.lost},{self.tied}]"
        return self.text


class MatchKey(NamedTuple):
    """A match by its id and its two bots, with the version of each; ``one`` is the bot whose name
    sorts first. An id by itself may be that of other bots' match."""

    id: str
    one: str
    one_version: int
    other: str
    other_version: int


@dataclass(slots=True)
class Table:
    """The games of one ledger that were played under the same conditions.

    ``games`` are those that count; ``void`` those that count for nobody by how they ended, and
    ``voided`` and ``disqualified`` those that an order takes out of the count. ``open`` are the
    matches that are not over, as where one of their games was taken out of the count. ``pairs`` has
    each two stints that played a unit of two once, by their numbers among the ``stints``, first the
    one that sat in seat 0 when they first met; ``groups`` has the games of more than two.
    """

    conditions: ConditionSet
    games: int = 0
    void: int = 0
    voided: int = 0
    disqualified: int = 0
    bots: dict[str, BotTally] = field(default_factory=dict)
    stints: list[Stint] = field(default_factory=list)
    pairs: dict[tuple[int, int], PairTally] = field(default_factory=dict)
    open: dict[MatchKey, UnitTally] = field(default_factory=dict)
    groups: dict[GroupKey, GroupTally] = field(default_factory=dict)
    # By name and version, the numbers of its stints by life.
    _numbers: dict[str, dict[int, dict[int, int]]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        for number, stint in enumerate(self.stints):
            self._stints_of(stint.name, stint.version)[stint.life] = number

    @property
    def recorded(self) -> int:
        return self.games + self.void + self.voided + self.disqualified + self.unfinished

    @property
    def unfinished(self) -> int:
        """The games of matches that are not over."""
        return sum(match.games for match in self.open.values())

    @property
    def counts_matches(self) -> bool:
        """Whether the unit is a match by these rules."""
        return self.conditions.rules.match > 1

    def points_of(self, name: str) -> float:
        return self.bots[name].points if name in self.bots else START

    def versions_of(self, name: str) -> list[int]:
        """The versions of a bot that have played here."""
        return list(self._numbers.get(name, ()))

    def results_of(self, name: str, version: int) -> Stint:
        """The results of one version of a bot, in all its lives."""
        results = Stint(name, version, 0)
        for number in self._numbers.get(name, {}).get(version, {}).values():
            results.add(self.stints[number])
        return results

    def streak(self, name: str, version: int, life: int) -> int:
        number = self._numbers.get(name, {}).get(version, {}).get(life)
        return 0 if number is None else self.stints[number].streak

    def count(self, game: Played, versions: Sequence[int], lives: Sequence[int]) -> None:
        """Count a game that no order takes out of the count."""
        numbers = [self._stint(*key) for key in zip(game.names, versions, lives, strict=True)]
        stints = [self.stints[number] for number in numbers]
        for name, version in zip(game.names, versions, strict=True):
            self.bots.setdefault(name, BotTally(name, version)).version = version
        for seat, stint in enumerate(stints):
            how = game.forfeits.get(seat)
            if how is not None:
                stint.forfeits[how] = stint.forfeits.get(how, 0) + 1
            if how in HOPELESS:
                stint.streak += 1
            elif game.rated:
                stint.streak = 0
        if game.rated and game.winner is not None and game.shots is not None:
            stint = stints[game.winner]
            stint.played_out += 1
            stint.shots_to_win += game.shots
            stint.volleys_to_win += game.volleys or 0
        if len(numbers) > 2:
            self._count_group(game, numbers, stints)
            return
        result = self._result(game, versions, stints)
        if result is None:
            return
        pair, first = self._pair(numbers[0], numbers[1])
        if result.points[0] == result.points[1]:
            pair.tied += 1
            for stint in stints:
                stint.tied += 1
            return
        won = int(result.points[0] < result.points[1])
        if won == first:
            pair.won += 1
        else:
            pair.lost += 1
        stints[won].won += 1
        stints[1 - won].lost += 1
        winner, loser = (self.bots[game.names[seat]] for seat in (won, 1 - won))
        winner.points, loser.points = percentage_rule(winner.points, loser.points)

    def _result(
        self, game: Played, versions: Sequence[int], stints: Sequence[Stint]
    ) -> UnitResult | None:
        """What the unit comes to, seat by seat, that is over with this game; None if none is, or if
        it counts for nobody."""
        if game.match is not None:
            return self._result_of_match(game, game.match, versions, stints)
        if not game.rated:
            self.void += 1
            return None
        self.games += 1
        if game.winner is None:
            for stint in stints:
                stint.games_tied += 1
            return TIED
        stints[game.winner].games_won += 1
        stints[1 - game.winner].games_lost += 1
        return LOST if game.winner else WON

    def _result_of_match(
        self, game: Played, of: OfMatch, versions: Sequence[int], stints: Sequence[Stint]
    ) -> UnitResult | None:
        turned = game.names[1] < game.names[0]
        (one, first), (other, second) = sorted(zip(game.names, versions, strict=True))
        match = MatchKey(of.id, one, first, other, second)
        unit = self.open.setdefault(match, UnitTally((first, second)))
        unit.add(game.winner, game.forfeits, rated=game.rated, turned=turned)
        if (result := unit.result(of.games)) is None:
            return None
        del self.open[match]
        self.void += unit.void
        self.games += unit.games - unit.void
        by_name = stints[::-1] if turned else stints
        for stint, won, lost in zip(
            by_name, (unit.won, unit.lost), (unit.lost, unit.won), strict=True
        ):
            stint.games_won += won
            stint.games_lost += lost
            stint.games_tied += unit.tied
        if not any(result.points):
            return None
        return result.turned if turned else result

    def _count_group(self, game: Played, numbers: Sequence[int], stints: Sequence[Stint]) -> None:
        """Count a game of more than two: a win over each of the others, in the order of their
        seats; or a tie of those who share the best mark, and of all if there are no marks."""
        if not game.rated:
            self.void += 1
            return
        self.games += 1
        key = GroupKey(len(numbers), ranked=game.marks is not None)
        self.groups.setdefault(key, GroupTally()).count(numbers, game.marks, game.winner)
        marks = game.marks or (0,) * len(numbers)
        for seat, stint in enumerate(stints):
            if seat == game.winner:
                stint.won += 1
                stint.games_won += 1
            elif game.winner is None and marks[seat] == max(marks):
                stint.tied += 1
                stint.games_tied += 1
            else:
                stint.lost += 1
                stint.games_lost += 1
        if game.winner is not None:
            bots = [self.bots[name] for name in game.names]
            winner = bots[game.winner]
            for loser in bots:
                if loser is not winner:
                    winner.points, loser.points = percentage_rule(winner.points, loser.points)

    def _stint(self, name: str, version: int, life: int) -> int:
        """The number of a stint, which begins with its first game."""
        number = self._stints_of(name, version).setdefault(life, len(self.stints))
        if number == len(self.stints):
            self.stints.append(Stint(name, version, life))
        return number

    def _stints_of(self, name: str, version: int) -> dict[int, int]:
        return self._numbers.setdefault(name, {}).setdefault(version, {})

    def _pair(self, one: int, other: int) -> tuple[PairTally, int]:
        """The tally of these two, and which of the seats its first stint has."""
        if (pair := self.pairs.get((other, one))) is not None:
            pair.text = None
            return pair, 1
        pair = self.pairs.setdefault((one, other), PairTally())
        pair.text = None
        return pair, 0


@dataclass(slots=True)
class Tally:
    """All of it. ``recorded`` counts every game in the journal, ``last`` is the id of the last one,
    and ``notes`` counts the entries after it. ``description`` is what the organiser said last.
    ``versions`` has the number of each digest of each bot, ``tables`` one table for each set of
    conditions, those of the first game first. ``contest`` is None where it is held in rounds, and
    none has ever been asked for by another name."""

    seed: ContestSeed | None = None
    contest: KeptContest | None = None
    description: Description = NOTHING
    recorded: int = 0
    last: str | None = None
    notes: int = 0
    orders: Orders = field(default_factory=Orders)
    versions: dict[str, dict[str | None, int]] = field(default_factory=dict)
    tables: dict[ConditionSet, Table] = field(default_factory=dict)

    def enter(self, entry: Mapping[str, Any]) -> bool:
        """Take in the next entry of the journal, and return True.

        Or False, with nothing changed, if it is an order about games that are counted already: the
        journal has to be folded anew, by a tally that knows all its orders from the start. Raises
        ValueError, with nothing changed and the reason, for an entry that cannot be counted. It
        looks at no more than it counts; what else an entry must be is the ``journal-entry``
        schema's to say.
        """
        match entry:
            case {"version": 1, "kind": "contest", "seed": int(seed)} | {
                "version": 2,
                "kind": "contest",
                "seed": str(seed),
            }:
                self.seed = self.seed or ContestSeed.from_json(seed)
            case {"version": 3, "kind": "contest", "seed": str(seed)}:
                from judge.contest.formats.kept import from_entry  # here, for few are held so

                contest = from_entry(entry)
                kept = self.contest
                self.seed = self.seed or ContestSeed.from_json(seed)
                self.contest = contest if kept is None else kept.follow(contest)
            case {"version": 1, "kind": "begun", "game": {"id": str()}}:
                pass  # it counts once it is over, as an entry of its own
            case {"version": 1, "kind": kind, "title": str(), "about": str()} if (
                kind == DESCRIPTION
            ):
                self.description = Description.from_json(entry)
            case {"version": int(version), "id": str()} if (
                "kind" not in entry and version in GAME_SCHEMAS
            ):
                self._count(played(entry))
                return True
            case {"version": version} if is_newer(entry):
                raise ValueError(f"it is of version {version}, written by a newer judge than this")
            case {"kind": str()} if is_order(entry):
                if not self._order(entry):
                    return False
            case _:
                raise ValueError("it is no entry of a journal")
        self.notes += 1
        return True

    @property
    def results(self) -> UnitResults | None:
        """What came of each meeting of the contest; None where nobody has asked for that."""
        if self.contest is None:
            return None
        return self.contest.results(self.orders.disqualified, self.orders.retired)

    @property
    def games(self) -> int:
        """The games that count, under whatever conditions."""
        return sum(table.games for table in self.tables.values())

    @property
    def conditions(self) -> ConditionSet | None:
        """The conditions of the first game; None before that."""
        return next(iter(self.tables), None)

    @property
    def first_table(self) -> Table | None:
        return next(iter(self.tables.values()), None)

    def problem_with(self, bots: Mapping[str, str | None]) -> str | None:
        """Why a game of bots with these digests cannot be counted, if so: there are too many bots
        or versions already."""
        new = [name for name in bots if name not in self.versions]
        if new and len(self.versions) + len(new) > MOST_BOTS:
            return f"it brings more than {MOST_BOTS:,} bots into one ledger"
        if any(digest not in self.versions.get(name, ()) for name, digest in bots.items()) and (
            sum(map(len, self.versions.values())) + len(bots) > MOST_VERSIONS
        ):
            return f"it brings more than {MOST_VERSIONS:,} versions of bots into one ledger"
        return None

    def points_of(self, name: str, conditions: ConditionSet) -> float:
        table = self.tables.get(conditions)
        return START if table is None else table.points_of(name)

    def counts(self, number: int, names: Iterable[str]) -> bool:
        """Whether no order takes the game of that number, of these bots, out of the count."""
        return self.orders.out(number, names) is None

    def streak(self, name: str, digest: str | None, conditions: ConditionSet) -> int:
        """How many games in a row this version of a bot has forfeited by time-out or crash, up to
        its last one since it was reset."""
        table = self.tables.get(conditions)
        version = self.versions.get(name, {}).get(digest)
        if table is None or version is None:
            return 0
        return table.streak(name, version, self.orders.lives[name])

    def pass_over(self, game: Played) -> None:
        """Take in a game as if it had not been played; it keeps its number."""
        self.recorded += 1
        self.last = game.id
        self.notes = 0

    def _count(self, game: Played) -> None:
        bots = dict(zip(game.names, game.digests, strict=True))
        if why := self.problem_with(bots):
            raise ValueError(why)
        if game.conditions not in self.tables and len(self.tables) == MOST_CONDITIONS:
            raise ValueError(
                f"it is the first under more than {MOST_CONDITIONS} sets of conditions"
            )
        self.pass_over(game)
        versions = [self._version(name, digest) for name, digest in bots.items()]
        table = self.tables.get(game.conditions)
        if table is None:
            table = self.tables[game.conditions] = Table(game.conditions)
        match self.orders.out(self.recorded, game.names):
            case OrderKind.VOID:
                table.voided += 1
            case OrderKind.DISQUALIFY:
                table.disqualified += 1
            case _:
                lives = self.orders.lives
                table.count(game, versions, [lives[name] for name in game.names])
                if self.contest is not None and len(game.names) == 2:
                    one, other = game.names
                    self.contest.count(
                        KeptGame(
                            game.id,
                            (one, other),
                            (versions[0], versions[1]),
                            game.winner,
                            game.forfeits,
                            game.rated,
                        )
                    )

    def _version(self, name: str, digest: str | None) -> int:
        """The number of a version, which is new with its first game."""
        digests = self.versions.setdefault(name, {})
        return digests.setdefault(digest, len(digests) + 1)

    def _order(self, entry: Mapping[str, Any]) -> bool:
        """Take in an order; False, with nothing changed, if games counted otherwise without it."""
        orders = self.orders
        if entry["kind"] == UNDO:
            number = undone_by(entry, orders.passed)
            taken_back = orders.given[number - 1]
            if not taken_back.undone:
                if taken_back.kind is not OrderKind.RETIRE:
                    return False
                orders.release(number)
            return True
        if orders.passed == len(orders.given):
            if void_by_id(entry) is not None:
                return False
            order = order_in(entry, self.recorded)
            if self._concerns_counted_games(order):
                return False
            orders.add(order)
        order = orders.pass_next()
        if order.kind is OrderKind.RESET and order.bot is not None and not order.undone:
            for table in self.tables.values():
                if order.bot in table.bots:
                    table.bots[order.bot].points = START
        return True

    def _concerns_counted_games(self, order: Order) -> bool:
        if order.kind is OrderKind.VOID:
            return not self.orders.voided.keys() >= set(order.games)
        return (
            order.kind is OrderKind.DISQUALIFY
            and order.bot in self.versions
            and order.bot not in self.orders.disqualified
        )


def is_newer(entry: Mapping[str, Any]) -> bool:
    """Whether a newer judge wrote an entry of a journal in a way that this one does not know."""
    known = max(GAME_SCHEMAS)
    if "kind" in entry:
        known = _NEWEST.get(str(entry["kind"]), 1)
    version = entry.get("version")
    return isinstance(version, int) and version > known


_NEWEST: dict[str, int] = {**NEWEST, "contest": NEWEST_CONTEST}
