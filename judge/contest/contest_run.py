"""Finds the games of a contest that are still to be played, in batches. Each batch depends on the
results in the ledger."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, cycle, islice, takewhile

from judge.contest.formats.every_pair import Meetings, circle
from judge.contest.formats.least_decided import least_decided
from judge.contest.formats.registry import Progress, format_of
from judge.contest.formats.units import Meeting, UnitResult, UnitResults, pair_of
from judge.contest.games import GameId, meeting_of
from judge.contest.ledger.ledger import Ledger
from judge.contest.ledger.tally import Tally
from judge.contest.no_ledger import NoLedger
from judge.contest.people import Person
from judge.contest.plan import Asked, Where, entry_for, planned
from judge.contest.schedule import Games, MatchSoFar, Pairing, contest_key, escape, without
from judge.contest.setup import Setup, Tell
from judge.contest.standings.contest_table import ContestTable, contest_table
from judge.contest.standings.standings import strength_among
from judge.contest.threads import keys
from judge.documents.ledger import Contest
from judge.documents.rules import Turn


def no_results(_: Meeting) -> UnitResult | None:
    """The result of any meeting before a contest's first game: None."""
    return None


class ContestRun:
    """A contest's plan, what is played of it, and what comes next.

    A unit is a game, or a match if the rules have matches; a meeting names a unit by its two bots
    and a number. The field, the set of bots, is fixed or open. If the field is fixed or units are
    matches, a unit is looked up by its meeting. Otherwise a game is looked up by its key, so a new
    version of a bot plays its games anew. A bot that is not the first version of its name gets
    other seeds than the first version.
    """

    def __init__(
        self,
        ledger: Ledger | NoLedger,
        setup: Setup,
        asked: Asked,
        where: Where,
        *,
        is_endless: bool,
        tell: Tell,
    ) -> None:
        """The constructor writes the entry of the contest by the options that are ``asked`` into
        the ledger. Raises `UsageError`, with nothing written, as `planned` does. In a contest that
        ``is_endless`` all versions count as new, since people see its games before the ledger has
        them. ``tell`` gets a note if the ledger has a seed and no game."""
        self._ledger, self._setup, self._final = ledger, setup, asked.final
        rules = setup.conditions.rules

        def give(tally: Tally) -> Contest | None:
            self.plan, seed = planned(asked, tally, self._names, rules, where)
            return entry_for(self.plan, tally, contest_key(rules, seed), seed)

        had_seed = ledger.tally.seed is not None
        give(ledger.tally)  # so that an error is raised before anything is written
        ledger.order(give)
        if had_seed and not ledger.tally.recorded:
            tell(
                f"{where.ledger} holds the seed of a contest and no game of it, as after a stop in "
                "the first game; if somebody else began that contest, they know its seed: name a "
                "new --ledger"
            )
        self.seed = ledger.contest_seed(asked.drawn)
        self._key_of = keys(setup.bots, setup.conditions, setup.data.digests)
        self._digests = {bot.name: bot.digest or None for bot in setup.bots}
        versions = ledger.tally.versions
        self._new = frozenset(
            name
            for name, digest in self._digests.items()
            if is_endless or versions.get(name, [digest])[0] != digest
        )

    @property
    def contest_key(self) -> str:
        """The part of the games' ids before the numbers: the rules' id and the contest's name."""
        return contest_key(self._setup.conditions.rules, self.seed)

    @property
    def most(self) -> int:
        """The number of the contest's games; if results decide it, the largest number possible."""
        return format_of(self.plan).most(self.plan) * self.plan.match

    def missing(self) -> int:
        """The number of the contest's games that are not played yet; if results decide it, the
        largest number possible."""
        if not self._ledger.tally.recorded:
            return self.most
        if not self._is_closed:
            return self.most - self.plan.match * sum(map(self.is_played, self.begun_games()))
        progress = Progress(self.plan, self._results)
        if progress.is_over:
            return 0
        over = sum(
            self._results(meeting) is not None
            for stage in progress.stages
            for meeting in stage.meetings
        )
        return self.most - over * self.plan.match

    @property
    def may_put_off(self) -> bool:
        """Whether games of deferred bots may be put off. A format that `has_places` needs the
        result of every game, and in a game of more than two seats the other bots need the game."""
        return not format_of(self.plan).has_places and self.plan.seats == 2

    @property
    def has_another_batch(self) -> bool:
        """Whether the field is fixed and the results so far lead to more games."""
        return self._is_closed and not Progress(self.plan, self._results).is_over

    @property
    def has_another_round(self) -> bool:
        """Whether another round or batch follows; false for an open field without `_rounds`."""
        return self.has_another_batch or self._rounds_over() < len(self._rounds)

    def spending(self, is_out: Callable[[Sequence[str]], bool]) -> Iterator[Iterable[Pairing]]:
        """Yield batches of games for a contest with a time budget, as long as two bots are left. In
        the first batch every bot meets a few others. A later batch has the couples whose ranks are
        least decided, or couples in turn if all ranks are decided. A couple plays a pair of games,
        or a match if units are matches. Bots for which ``is_out`` is true are in no later batch."""
        names = sorted(bot.name for bot in self._setup.bots)
        every = [*circle(names)]
        next_of = self._next_games(Counter())
        first = islice(every, len(names) // 2 * max(1, math.ceil(math.log2(len(names)))))
        yield chain.from_iterable(self._nth_games(couple, 1) for couple in first)
        in_turn = cycle(every)
        while len(names := [name for name in names if not is_out([name])]) > 1:
            found = strength_among(self._ledger.tally, names, self._digests)
            couples = least_decided(found, max(self._setup.jobs, len(names) // 4))
            chosen = [(names[one], names[other]) for one, other in couples]
            if not chosen:  # every rank is decided, so all couples take turns
                playing = (couple for couple in in_turn if not is_out(couple))
                chosen = [*islice(playing, len(names) // 2)]
            yield [*chain.from_iterable(map(next_of, chosen))]

    def endless(
        self, couples: Iterable[tuple[str, str]], met: Counter[tuple[str, str]]
    ) -> Iterator[Games]:
        """The next games of each of the ``couples``, which are taken one by one as games are
        needed. ``met`` counts the pairs of games or the matches of each couple, and is changed."""
        return map(self._next_games(met), couples)

    def _next_games(self, number: Counter[tuple[str, str]]) -> Callable[[tuple[str, str]], Games]:
        """A function that gives at each call a couple's next pair of games, or next match, that is
        not fully played. ``number`` is as ``met`` in `endless`."""

        def next_of(couple: tuple[str, str]) -> Games:
            while True:
                number[couple] += 1
                games = self._nth_games(couple, number[couple])
                if not all(map(self.is_played, games)):
                    return games

        return next_of

    def _nth_games(self, couple: tuple[str, str], number: int) -> Games:
        """The pair of games of two bots with this ``number``, from 1; if units are matches, the
        match with it."""
        units = 1 if self.plan.match > 1 else 2
        last = units * number
        return self._games([Meeting(*couple, unit) for unit in range(last - units + 1, last + 1)])

    def batches(self) -> Iterator[Iterable[Pairing]]:
        """The contest's games in batches; some may be played already. The games of a batch may be
        under way together. No batch follows if a game of the batch before was not played."""
        if self._rounds:
            while (over := self._rounds_over()) < len(self._rounds):
                yield self._games(self._rounds[over])
                if self._rounds_over() == over:
                    return
            return
        if not self._is_closed:
            yield self.games()
            return
        while not (progress := Progress(self.plan, self._results)).is_over:
            meetings = [*progress.missing]
            yield self._games(meetings)
            if any(self._results(meeting) is None for meeting in meetings):
                return

    @property
    def _rounds(self) -> Sequence[Meetings]:
        """The rounds of a contest that is held round by round although its couples are known from
        the start. Empty for other contests."""
        return format_of(self.plan).rounds(self.plan)

    def _rounds_over(self) -> int:
        """The number of `_rounds` that are over, counted up to the first that is not over."""
        return sum(takewhile(bool, (all(map(self._is_over, one)) for one in self._rounds)))

    @property
    def last_round(self) -> str | None:
        """The name of the last round that is over, such as ``round 2 of 5``; None if there are no
        `_rounds`."""
        return f"round {self._rounds_over()} of {len(self._rounds)}" if self._rounds else None

    def table(self) -> ContestTable | None:
        """The table of the contest so far; None if the percentage rule ranks the bots or the ledger
        has no plan. A bot that has not played has the author in its manifest."""
        table = contest_table(self._ledger.tally, self.plan.bots)
        if table is None:
            return None
        authors = {bot.name: Person(author=bot.author) for bot in self._setup.bots}
        return replace(table, people={**authors, **table.people})

    def match_so_far(self, pairing: Pairing) -> MatchSoFar | None:
        """The match that a single game belongs to. None if the field is not fixed, if two bots meet
        for one game only, or if a unit is a match by itself."""
        plan = self.plan
        game = GameId.read(pairing.id)
        if not self._is_closed or plan.units == 1 or plan.match > 1 or game is None:
            return None
        one, other, number = meeting_of(game, (pairing.names[0], pairing.names[1]), plan)
        numbers = format_of(plan).numbers_of_pair(plan, number)
        pair = pair_of(one, other, numbers)
        over = sum(self._results(meeting) is not None for meeting in pair.meetings)
        won = pair.so_far(self._results).won
        return MatchSoFar((one, other, numbers.start), plan.units, won, over)

    def left_of(self, name: str) -> Iterator[Pairing]:
        """The games of the contest that a bot has not played yet; nothing if games have more than
        two seats or the field is fixed."""
        if (meetings := self._meetings) is None:
            return iter(())
        couples = [(min(name, other), max(name, other)) for other in self._names if other != name]
        its_own = replace(
            meetings, couples=[couple for couple in couples if couple in meetings.couples]
        )
        return without(self._games(its_own), self.is_played)

    def is_played(self, pairing: Pairing) -> bool:
        """Whether a game or a match is in the ledger, and is not to be played again."""
        if not self._is_closed and self.plan.match == 1:
            return self._ledger.is_played(self._key_of(pairing), final=self._final)
        game = GameId.read(pairing.id)
        assert game is not None, "it is a contest's"
        return self._is_over(meeting_of(game, (pairing.names[0], pairing.names[1]), self.plan))

    def _is_over(self, meeting: Meeting) -> bool:
        """Whether a unit has a result in the ledger. If the field is not fixed, the bots must have
        played it in their present versions."""
        if self._results(meeting) is None:
            return False
        return self._is_closed or self._is_of_these_versions(meeting)

    def _is_of_these_versions(self, meeting: Meeting) -> bool:
        tally = self._ledger.tally
        assert tally.contest is not None, "matches are kept by their units"
        return tally.contest.units[meeting].versions == tuple(
            tally.version_of(name, self._digests[name]) for name in (meeting.one, meeting.other)
        )

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(bot.name for bot in self._setup.bots)

    @property
    def _is_closed(self) -> bool:
        return format_of(self.plan).is_closed

    @property
    def _results(self) -> UnitResults:
        tally = self._ledger.tally  # may be another object after each game
        return tally.results or no_results

    def games(self) -> Iterable[Pairing]:
        """Every game of a contest whose field is not fixed, in the order of the schedule."""
        return self._games(self._meetings)

    def begun_games(self) -> Iterable[Pairing]:
        """The games of `games` that have an id in the ledger; looking up millions of other games
        would take minutes. A match is one pairing, given if one of its games is in the ledger. If
        games have more than two seats, all games are given."""
        if (meetings := self._meetings) is None:
            return self.games()
        bots = {escape(name): name for name in self._names}
        found: set[Meeting] = set()
        for game in map(GameId.read, self._ledger.ids()):
            if game is None or game.contest_key != self.contest_key:
                continue
            one, other = (bots.get(name, "") for name in game.bots.split(":"))
            meeting = meeting_of(game, (one, other), self.plan)
            if meeting in meetings:
                found.add(meeting)
        return self._games(found)

    @property
    def _meetings(self) -> Meetings | None:
        """The meetings of a contest whose field is not fixed; None if the field is fixed or games
        have more than two seats."""
        if self._is_closed or self.plan.seats > 2:
            return None
        (stage,) = format_of(self.plan).stages(self.plan, no_results)
        assert isinstance(stage.meetings, Meetings), "every two bots meet"
        return stage.meetings

    def _games(self, meetings: Collection[Meeting] | None) -> Games:
        both = self._setup.conditions.rules.turn is Turn.BOTH
        return Games(
            self._names, self.contest_key, self.seed, self.plan, meetings, both, self._salt
        )

    def _salt(self, names: Sequence[str]) -> tuple[str, ...]:
        if self._new.isdisjoint(names):
            return ()
        return tuple(self._digests[name] or "" for name in names)
