"""The tally: running totals over all games of a journal, with its orders applied.

Standings are computed from it.

Pure, and the one meaning of a journal: whatever computes standings, from the whole journal or
from its tail, does so by `Tally.enter`. It holds nothing that a clock or a place could change, so
the same games give the same bytes.

A *version* of a bot is a digest of its files; the versions of a name are counted in the order in
which they first appear. What the games come to stands in `judge.contest.ledger.tally_table`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from judge.contest.formats.units import KeptGame, UnitResults
from judge.contest.journal.orders import (
    UNDO,
    Order,
    OrderKind,
    Orders,
    is_order,
    order_in,
    undone_by,
)
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.played import Played, played
from judge.contest.ledger.tally_table import Table
from judge.contest.seeds import parsed
from judge.contest.standings.description import KIND as DESCRIPTION
from judge.contest.standings.description import NOTHING, Description
from judge.game.record import VERSION
from judge.stats.percentage_rule import START

if TYPE_CHECKING:
    from judge.contest.formats.kept import KeptContest

MOST_BOTS = 2000  # of a ledger: a table takes their square in memory, and their cube in time
MOST_VERSIONS = 10_000  # of all bots of a ledger: X.json names each
MOST_CONDITIONS = 100
BEGUN = "begun"  # the kind of the entry that holds a game of which nothing is known yet


@dataclass(slots=True)
class Tally:
    """All of it. ``recorded`` counts every game in the journal, ``last`` is the id of the last one,
    and ``notes`` counts the entries after it. ``description`` is what the organiser said last.
    ``versions`` has the number of each digest of each bot, ``tables`` one table for each set of
    conditions, those of the first game first. ``contest`` is None where it is held in rounds, and
    none has ever been asked for by another name."""

    seed: int | None = None
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
            case {"version": 1, "kind": "contest", "seed": str(seed), "format": _}:
                from judge.contest.formats.kept import from_entry  # here, for few are held so

                contest = from_entry(entry)
                kept, found = self.contest, parsed(seed)
                self.seed = found if self.seed is None else self.seed
                self.contest = contest if kept is None else kept.follow(contest)
            case {"version": 1, "kind": "contest", "seed": str(seed)}:
                found = parsed(seed)
                self.seed = found if self.seed is None else self.seed
            case {"version": 1, "kind": "begun", "game": {"id": str()}}:
                pass  # it counts once it is over, as an entry of its own
            case {"version": 1, "kind": kind, "title": str(), "about": str()} if (
                kind == DESCRIPTION
            ):
                self.description = Description.from_entry(entry)
            case {"version": 1, "id": str()} if "kind" not in entry:
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
    version = entry.get("version")
    return isinstance(version, int) and version > VERSION
