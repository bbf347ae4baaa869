"""A contest: plays the games that its ledger lacks, adds them to the ledger, and yields events.

A `Contest` prints nothing. Iterating over a contest plays it and yields each event as soon as it
has happened; an added game is in the ledger by then. If the user stops an unfinished contest, the
iteration raises `Interrupted` after the events of the games that were over.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from judge.contest.contest_run import ContestRun
from judge.contest.deferrals import Deferral, Deferrals
from judge.contest.ledger.ledger import Ledger, Rated, Repeated
from judge.contest.ledger.tally import Tally
from judge.contest.no_ledger import NoLedger
from judge.contest.plan import Asked, Where
from judge.contest.schedule import Pairing, without
from judge.contest.seeds import spelled
from judge.contest.setup import Setup, Tell
from judge.contest.standings.contest_table import ContestTable
from judge.contest.standings.fight_documents import under
from judge.contest.standings.standings import RankedBy, Standings, standings
from judge.contest.threads import unwatched
from judge.contest.window import Fault, OrderedResults, taken
from judge.documents.game import GameRecord
from judge.documents.standings import (
    ContestBot,
    LeftOutOfContest,
    PlanInBrief,
    RankStart,
    brief_fields,
)
from judge.errors import Interrupted, PlaysNoMore
from judge.play.match import Watch
from judge.process.bots.bot import Bot, LeftOut

Couples = Callable[["Contest"], Iterator[tuple[str, str]]]
"""A function that yields the couples, the two bots that meet next, in a contest without an end. The
names of a couple are sorted."""

Following = Callable[[Iterable[Pairing], Callable[[Pairing], bool]], Iterator[Pairing]]


@dataclass(frozen=True, slots=True)
class Added:
    """A game was added to the ledger."""

    rated: Rated


@dataclass(frozen=True, slots=True)
class NotAdded:
    """A game was not added to the ledger: meanwhile a bot's games were put off, a bot of the game
    left or got a new version, or another judge added the same game."""

    result: GameRecord | Fault
    is_known: bool
    """Whether the ledger had the same game already."""


@dataclass(frozen=True, slots=True)
class GameOver:
    """A game of a contest without an end is over, and is not added yet. It is added only if its
    bots still play after a `Contest.take_up` that comes now."""


@dataclass(frozen=True, slots=True)
class RoundOver:
    """A round is over, and another round follows."""

    table: ContestTable
    last_round: str | None
    """The name of the round; None if it is the name of the table's last stage that is over."""


ContestEvent = Added | NotAdded | Deferral | Fault | RoundOver


class Contest:
    """A contest of the bots of a setup, by the options asked for and the plan in its ledger."""

    def __init__(
        self,
        setup: Setup,
        ledger: Ledger | NoLedger,
        asked: Asked,
        where: Where,
        *,
        tell: Tell,
        clock: Callable[[], float],
        left_out: Sequence[LeftOut] = (),
        insist: bool = False,
        couples: Couples | None = None,
    ) -> None:
        """The constructor writes the contest's entry into the ledger. ``left_out`` are the bots of
        the folder that do not take part, with the reasons. With ``insist`` forfeits put off no
        games. ``tell`` and errors are as in `ContestRun`. A time budget begins now; ``clock`` gives
        seconds. With ``couples`` the contest has no end, and goes on after a game that could not be
        played."""
        self._ledger = ledger
        self._asked = asked
        self._where = where
        self._tell = tell
        self._clock = clock
        self._end = None if asked.budget_ms is None else clock() + asked.budget_ms / 1000
        self._couples = couples
        # Only for a contest without an end:
        self._met: Counter[tuple[str, str]] = Counter()  # the last meeting of each couple
        self._roster: list[Bot] = []  # the bots that pairings name by index
        self._dropped: set[int] = set()  # the seeds of pairs that were dropped before they began
        self._insist = insist
        self._next: tuple[Setup, Sequence[LeftOut]] | None = None
        self.faults: list[Fault] = []
        """The faults of the games that the judge could not play."""
        self.added = 0
        """The number of games that this contest has added to the ledger."""
        self._take(setup, left_out)

    def _take(self, setup: Setup, left_out: Sequence[LeftOut]) -> None:
        self.left_out = left_out
        is_endless = self._couples is not None
        self.run = run = ContestRun(
            self._ledger,
            setup,
            self._asked,
            self._where,
            is_endless=is_endless,
            tell=self._tell,
        )
        has_end = self._asked.budget_ms is None and not is_endless
        games = run.plan.seats * run.missing() / len(setup.bots) if has_end else math.inf
        self.setup = setup.expecting(games)
        self.digests = digests_of(setup.bots, left_out)
        """The digest of each bot in the folder; None for a bot that is left out or has no files."""
        playing = {bot.name for bot in setup.bots}
        reasons = _reasons(left_out).items()
        self.not_in_run = {name: why for name, why in reasons if name not in playing}
        """The reasons why bots are left out, by the names that these bots may have."""
        insist = self._insist or not run.may_put_off
        self.deferrals = Deferrals(
            lambda name: self.tally.streak(name, self.digests[name]),
            run.left_of,
            insist=insist,
            is_endless=is_endless,
        )
        self.at_once = [*self.deferrals.look(bot.name for bot in setup.bots)]
        """The deferrals that follow from the games already in the ledger."""

    def take_up(self, setup: Setup, left_out: Sequence[LeftOut] = ()) -> None:
        """Go on with the bots of this setup; some may be new or have new versions. At most one more
        game or match of the earlier bots is added. Their other games under way are dropped, and are
        played again if they are still missing. In a contest without an end games under way are
        played to their end if `_may_go_on_with` allows it. Such a game, or the game of a
        `GameOver`, is added if its bots' versions still play. The iteration, not this method,
        raises an error if the bots cannot be taken up."""
        self._next = replace(setup, proofs=self.setup.proofs), left_out

    @property
    def tally(self) -> Tally:
        """The tally of the contest's ledger so far."""
        return self._ledger.tally

    def start_event(self) -> RankStart:
        """The first line of ``--jsonl``: the contest with its number of games and the number of
        missing games. If the numbers depend on results, they are the largest possible. Both numbers
        are null in a contest with a time budget."""
        is_timed = self._asked.budget_ms is not None
        return RankStart(
            bots=tuple(ContestBot(bot.name, bot.digest) for bot in self.setup.bots),
            left_out=tuple(
                LeftOutOfContest(left_out.name, left_out.reason) for left_out in self.left_out
            ),
            format=PlanInBrief(**brief_fields(self.run.plan)),
            seed=spelled(self.run.seed),
            games=None if is_timed else self.run.most,
            missing=None if is_timed else self.run.missing(),
            **under(self.setup.conditions),
        )

    @property
    def budget_left(self) -> float | None:
        """The seconds that are left of the time budget; None without a time budget."""
        return None if self._end is None else max(0.0, self._end - self._clock())

    def standings(self, by: RankedBy = "points") -> Standings:
        """The standings of the bots in the folder."""
        return standings(self.tally, playing=self.digests, by=by)

    def gone(self) -> list[str]:
        """The bots that have played and are not in the folder any more, without those that an order
        takes out of the table."""
        known = self.digests.keys() | self.tally.orders.out_of_table
        return [name for name in self.tally.table.bots if name not in known]

    def __iter__(self) -> Iterator[ContestEvent]:
        return self.playing()

    def playing(
        self,
        following: Following = without,
        watch_of: Callable[[Pairing], Watch | None] = unwatched,
    ) -> Iterator[ContestEvent]:
        """Play the missing games, and yield the events. ``following`` filters a schedule by a
        function that says whether a game is played already or put off. ``watch_of`` gives the watch
        of a game."""
        with closing(self.playing_on(following, watch_of)) as events:
            for event in events:
                if not isinstance(event, GameOver):
                    yield event

    def playing_on(
        self,
        following: Following = without,
        watch_of: Callable[[Pairing], Watch | None] = unwatched,
    ) -> Generator[ContestEvent | GameOver, None, None]:
        """As `playing`. In a contest without an end, a `GameOver` comes before the events of each
        game."""
        while True:
            yield from self.at_once
            yield from self._all(following, watch_of)
            if self._next is None:
                return
            (setup, left_out), self._next = self._next, None
            self._take(setup, left_out)

    def _all(
        self, following: Following, watch_of: Callable[[Pairing], Watch | None]
    ) -> Iterator[ContestEvent | GameOver]:
        is_timed = self._asked.budget_ms is not None
        run = self.run
        self._met, self._roster, self._dropped = Counter(), [*self.setup.bots], set()
        batches = (
            [self._without_end(self._couples, following)]
            if self._couples
            else run.spending(self.deferrals.concerns)
            if is_timed
            else run.batches()
        )
        stops: list[bool] = []
        for games in batches:
            left = games if self._couples else following(games, self._is_over)
            with self.setup.playing(left, watch_of=watch_of, bots=self._roster) as results:
                results.in_order = self._couples is None
                for result in taken(results, self._is_done, lambda: stops.append(True)):
                    if self._couples:
                        yield GameOver()
                        yield from self._taken_up(results)
                    yield from self._done(result)
                    yield from self._taken_up(results)
            if stops and run.has_another_round:  # a batch was over at the stop
                raise Interrupted
            if self.faults or self._is_done():
                return  # after a fault the next batch is not known
            if run.has_another_round and (table := run.table()) is not None:
                yield RoundOver(table, run.last_round)

    def _without_end(self, couples: Couples, following: Following) -> Iterator[Pairing]:
        """Yield games couple by couple, without games that are played, dropped or put off."""
        run: ContestRun | None = None
        while True:
            if run is not self.run:
                run = self.run
                chosen = run.endless(couples(self), self._met)
            if (games := next(chosen, None)) is None:
                return
            numbers = {bot.name: number for number, bot in enumerate(self._roster)}
            for pairing in [*following(games, self._is_over)]:
                seats = tuple(numbers[name] for name in pairing.names)
                numbered = replace(pairing, seats=seats)
                is_off = pairing.seed in self._dropped or self.deferrals.concerns(pairing.names)
                if not is_off and self._is_of_these_versions(numbered):
                    yield numbered

    def _taken_up(self, results: OrderedResults[Sequence[GameRecord]]) -> Iterator[Deferral]:
        """Take up a new setup if one waits and games under way may go on; yield its deferrals."""
        if self._next is not None and self._may_go_on_with(self._next[0]):
            self._join(*self._next)
            self._dropped |= results.forget(self._is_of_these_versions)
            yield from self.at_once

    def _may_go_on_with(self, setup: Setup) -> bool:
        """Whether games under way may go on when this setup is taken up: the contest has no end, no
        player keeps data, and the players bring the same data as before."""
        if self._couples is None or self.setup.data.keeps:
            return False
        before, after = (
            {name: digest for name, digest in one.data.digests.items() if digest}
            for one in (self.setup, setup)
        )
        return before == after

    def _join(self, setup: Setup, left_out: Sequence[LeftOut]) -> None:
        """Take up the bots of a new setup while games are under way. If the roster has several bots
        of a name, the last of them plays."""
        self._next = None
        now = {(bot.name, bot.digest) for bot in self.setup.bots}
        self._roster += [bot for bot in setup.bots if (bot.name, bot.digest) not in now]
        self._take(replace(setup, conditions=self.setup.conditions), left_out)

    def _is_of_these_versions(self, game: GameRecord | Pairing) -> bool:
        """Whether all bots of a game still play, in the versions that they had in the game."""
        bots = (
            [self._roster[number] for number in game.seats]
            if isinstance(game, Pairing)
            else game.seats
        )
        return all(self.digests.get(bot.name) == bot.digest for bot in bots)

    def _is_done(self) -> bool:
        is_spent = self._end is not None and self._clock() >= self._end
        return self._next is not None or is_spent

    def _is_over(self, pairing: Pairing) -> bool:
        return self.run.is_played(pairing) or self.deferrals.concerns(pairing.names)

    def _done(self, result: Sequence[GameRecord] | Fault) -> Iterator[ContestEvent]:
        """Add the games of a result to the ledger if they still count, and yield the events."""
        games = [result] if isinstance(result, Fault) else result
        game = result.pairing if isinstance(result, Fault) else result[0]
        is_old = self._couples is not None and not self._is_of_these_versions(game)
        if is_old or self.deferrals.concerns(names_of(games[0])):  # put off meanwhile
            for one in games:
                self.setup.settle(one, is_kept=False)
                yield NotAdded(one, is_known=False)
        elif isinstance(result, Fault):
            self.setup.settle(result, is_kept=False)
            self.faults.append(result)
            if isinstance(result.error, PlaysNoMore):
                self.deferrals.leave_out(result.error.name)
            yield result
        else:
            added = self._ledger.add_all(result)
            for record, rated in zip(result, added, strict=True):
                yield from self._added(record, rated)

    def _added(self, record: GameRecord, rated: Rated | Repeated) -> Iterator[ContestEvent]:
        self.setup.settle(record, is_kept=isinstance(rated, Rated))
        if isinstance(rated, Repeated):
            yield NotAdded(record, is_known=True)
            return
        self.added += 1
        put_off = [*self.deferrals.look(names_of(record), rated.record)]
        yield Added(rated)
        yield from put_off


def digests_of(bots: Sequence[Bot], left_out: Sequence[LeftOut]) -> dict[str, str | None]:
    """The digest of each bot in a folder; None for a bot that is left out or has no files."""
    return {**dict.fromkeys(_reasons(left_out)), **{bot.name: bot.digest or None for bot in bots}}


def _reasons(left_out: Sequence[LeftOut]) -> dict[str, str]:
    """The reasons why bots were left out, by the names that these bots may have."""
    # The name of a bot that was left out is known only from its file.
    return {
        name: one.reason
        for one in left_out
        for name in ([one.bot] if one.bot else [one.name, one.name.rpartition(".")[0] or one.name])
    }


def names_of(result: GameRecord | Fault) -> Sequence[str]:
    """The bots' names, seat by seat, in a game's record or in the pairing of a fault."""
    if isinstance(result, Fault):
        return result.pairing.names
    return [seat.name for seat in result.seats]
