"""The tally: the running totals of a journal's games, with its orders applied.

Standings are computed from the tally.

Pure. `Tally.enter` says what each entry of a journal means. A tally has no times and no paths, so
the same journal gives the same tally to the last byte.

A *version* of a bot has the same files in all its games; after a reset of the bot the same files
are a new version. The versions of a bot are numbered from 1 in the order of their first games.
`judge.contest.ledger.tally_table` has the results of the games.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import msgspec

from judge.contest.formats.ledger_contest import LedgerContest
from judge.contest.formats.units import UnitResults
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.orders import Orders
from judge.contest.ledger.tally_table import TallyTable
from judge.contest.people import Person, Speaker, speakers
from judge.documents.game import RecordedSeat
from judge.documents.ledger import (
    AnyEntry,
    Begun,
    Contest,
    Description,
    Disqualify,
    Game,
    GameResult,
    GivenOrder,
    Header,
    HeldContest,
    LedgerDocument,
    Order,
    Reset,
    Undo,
    Void,
)
from judge.stats.percentage_rule import START

NOTHING_SAID = Description()
MOST_BOTS = 2000  # bots of a ledger; standings take their square in memory, their cube in time
MOST_VERSIONS = 10_000  # versions of all bots of a ledger, which X.json names


@dataclass(slots=True)
class Tally:
    """The running totals of a journal. ``seed`` is the contest's seed as text, since it may have
    128 bits. ``contest`` is None until an entry has a plan. ``entries`` is the number of lines
    counted, ``recorded`` the number of games, and ``last`` the id of the last game. ``passed`` is
    the number of ``orders`` whose lines are counted. ``description`` is the organiser's last
    description. ``versions`` has the digests of each bot's versions, and ``resets`` the number of
    versions before each bot's last reset. ``people`` has each bot's author and its program's own
    name, by the latest games. ``table`` has the results of the games."""

    seed: str | None = None
    contest: LedgerContest | None = None
    description: Description = NOTHING_SAID
    entries: int = 0
    recorded: int = 0
    last: str | None = None
    orders: Orders = field(default_factory=Orders)
    passed: int = 0
    versions: dict[str, list[str | None]] = field(default_factory=dict)
    resets: dict[str, int] = field(default_factory=dict)
    people: dict[str, Person] = field(default_factory=dict)
    table: TallyTable = field(default_factory=TallyTable)

    def enter(self, entry: AnyEntry, conditions: ConditionSet | None = None) -> bool:
        """Count the next entry of the journal, and return True. The first game needs its
        ``conditions``, which become the conditions of all games.

        Return False, with nothing changed, for an order or undo that is not among the ``orders``
        and may change the count of earlier games. The caller then makes a new tally, which is given
        all orders before the first entry. Raises ValueError with the reason, with nothing changed,
        for an entry that cannot be counted. Raises `UsageError` for an unknown format.
        """
        match entry:
            case Game(result=result):
                self._count(result, conditions)
                self.hear(speakers(entry.record))
            case Begun():
                pass  # the game counts by its own entry, once it is over
            case Contest():
                self.contest = LedgerContest.after(self.contest, entry)
                self.seed = entry.seed if self.seed is None else self.seed
            case Description():
                self.description = entry
            case Undo(order=number):
                if number > self.passed:
                    raise ValueError(f"it takes back order {number}, which is not before it")
                if not self.orders.given[number - 1].undone:
                    return False
            case Header():
                if self.entries:
                    raise ValueError("it is the first line of another journal")
            case order:
                if not self._order(order):
                    return False
        self.entries += 1
        return True

    @property
    def results(self) -> UnitResults | None:
        """A function from a meeting of the contest to its result; None if no entry has a plan."""
        contest, orders = self.contest, self.orders
        return contest.results(orders.disqualified, orders.retired) if contest else None

    def problem_with(self, bots: Collection[tuple[str, str | None]]) -> str | None:
        """The reason why a game of these bots, names with digests, cannot be counted: it is a game
        of a bot against itself, or brings too many bots or versions. None if it can be counted."""
        names = [name for name, _ in bots]
        if len({*names}) < len(names):
            return f"it is a game of {max(names, key=names.count)} against itself, which moves no points"
        new = [name for name in names if name not in self.versions]
        if new and len(self.versions) + len(new) > MOST_BOTS:
            return f"it brings more than {MOST_BOTS:,} bots into one ledger"
        if any(self.version_of(*bot) is None for bot in bots) and (
            sum(map(len, self.versions.values())) + len(bots) > MOST_VERSIONS
        ):
            return f"it brings more than {MOST_VERSIONS:,} versions of bots into one ledger"
        return None

    def version_of(self, name: str, digest: str | None) -> int | None:
        """The number of a bot's version with this digest; None if that version has not played since
        the bot's last reset."""
        versions, before = self.versions.get(name, []), self.resets.get(name, 0)
        if digest not in versions[before:]:
            return None
        return versions.index(digest, before) + 1

    def streak(self, name: str, digest: str | None) -> int:
        """The number of games in a row that this version of a bot has forfeited by time-out or
        crash, up to its last game."""
        version = self.version_of(name, digest)
        return 0 if version is None else self.table.results_of(name, version).counts.streak

    def hear(self, seats: Iterable[RecordedSeat | Speaker]) -> None:
        """Note the author and the reported name of each player of a game."""
        for seat in seats:
            if seat.name in self.versions:
                before = self.people.get(seat.name, Person())
                self.people[seat.name] = Person.of(seat).or_else(before)

    def pass_over(self, game: GameResult) -> None:
        """Give a game its number without counting it."""
        self.entries += 1
        self.recorded += 1
        self.last = game.id

    def _count(self, game: GameResult, conditions: ConditionSet | None) -> None:
        bots = [*zip(game.names, game.digests, strict=True)]
        if why := self.problem_with(bots):
            raise ValueError(why)
        self.table.conditions = self.table.conditions or conditions
        self.recorded += 1
        self.last = game.id
        versions = [self._version(*bot) for bot in bots]
        if self.recorded in self.orders.voided:
            self.table.voided += 1
        elif self.orders.out(self.recorded, game.names):
            self.table.disqualified += 1
        else:
            self.table.count(game, versions)
            if self.contest is not None and len(bots) == 2:
                self.contest.count(game, (versions[0], versions[1]))

    def _version(self, name: str, digest: str | None) -> int:
        """The number of a bot's version with this digest; the next number for a new version."""
        version = self.version_of(name, digest)
        if version is None:
            self.versions.setdefault(name, []).append(digest)
            version = len(self.versions[name])
        return version

    def _order(self, order: Order) -> bool:
        """Count an order. Return False, with nothing changed, if it is not among the ``orders`` and
        may change the count of earlier games. Raises ValueError for an order that voids a later
        game."""
        if isinstance(order, Void) and (last := max(order.games)) > self.recorded:
            raise ValueError(f"it voids game {last}, and {self.recorded} games stand before it")
        if self.passed == len(self.orders.given):
            if isinstance(order, Void | Disqualify):
                return False
            self.orders = Orders([*self.orders.given, GivenOrder(order, undone=False)])
        self.passed += 1
        if isinstance(order, Reset) and not self.orders.given[self.passed - 1].undone:
            if order.bot in self.versions:
                self.resets[order.bot] = len(self.versions[order.bot])
            if order.bot in self.table.bots:
                self.table.bots[order.bot].points = START
        return True


def written(tally: Tally) -> bytes:
    """The bytes of ``X.json``."""
    return msgspec.json.encode(document_of(tally)) + b"\n"


def document_of(tally: Tally) -> LedgerDocument:
    """The content of ``X.json``."""
    table, conditions, contest = tally.table, tally.table.conditions, tally.contest
    return LedgerDocument(
        seed=tally.seed,
        entries=tally.entries,
        recorded=tally.recorded,
        last=tally.last,
        orders=tuple(tally.orders.given),
        versions={name: tuple(digests) for name, digests in tally.versions.items()},
        description=tally.description,
        contest=None
        if contest is None
        else HeldContest(contest.plan, contest.contest_key, tuple(contest.units.values())),
        rules=conditions.rules if conditions else None,
        limits=conditions.limits if conditions else None,
        games=table.games,
        void=table.void,
        voided=table.voided,
        disqualified=table.disqualified,
        bots=tuple(table.bots.values()),
        results=tuple(table.version_tallies),
        pairs=table.pairs,
        groups=tuple(table.groups.values()),
        open_matches=tuple(table.open.values()),
    )
