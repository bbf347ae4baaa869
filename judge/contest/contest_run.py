"""The course of a contest: its games in batches; each batch follows from the ledger."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, cycle, islice, takewhile
from typing import NamedTuple, Self

from judge.contest.formats.every_pair import Meetings, circle
from judge.contest.formats.least_decided import least_decided
from judge.contest.formats.registry import Progress, format_of
from judge.contest.formats.units import Meeting, UnitResult, UnitResults
from judge.contest.games import GameId, meeting_of
from judge.contest.ledger.ledger import Ledger
from judge.contest.ledger.tally import Tally
from judge.contest.no_ledger import NoLedger
from judge.contest.people import Person
from judge.contest.plan import Asked, entry_for, planned, require_all
from judge.contest.schedule import Games, Pairing, contest_key, escape, without
from judge.contest.seeds import parsed
from judge.contest.setup import Setup, Tell
from judge.contest.standings.contest_table import ContestTable, contest_table
from judge.contest.standings.standings import strength_among
from judge.contest.threads import keys
from judge.documents.ledger import Contest, Plan
from judge.documents.rules import Turn
from judge.errors import UsageError


def no_results(_: Meeting) -> UnitResult | None:
    """Stands in for the results of a contest before its first game."""
    return None


class Where(NamedTuple):
    """The names of the ledger of a contest, and of the folder of its bots, in sentences."""

    ledger: str
    folder: str


@dataclass(frozen=True, slots=True)
class ContestRun:
    """The played part of a contest, and what comes next.

    ``key_of`` gives the key of a game. If the field is fixed, or the unit is a match, a unit is
    known by who met for how many times; otherwise a game is known by its key, so that a new version
    of a bot plays anew. ``new`` are the bots that are not the first version of their name; the seeds
    of their games are others.
    """

    plan: Plan
    seed: int
    _ledger: Ledger | NoLedger
    _setup: Setup
    _key_of: Callable[[Pairing], bytes | None]
    _digests: Mapping[str, str]
    _new: frozenset[str]
    _final: bool

    @classmethod
    def begun(
        cls,
        ledger: Ledger | NoLedger,
        setup: Setup,
        asked: Asked,
        where: Where,
        *,
        seed: int | None,
        drawn: int,
        final: bool,
        is_endless: bool,
        tell: Tell,
    ) -> Self:
        """The contest that is asked for; the ledger then knows of it. Its seed is the one that is
        given, or else ``drawn`` where the ledger has none. All versions are new in one that
        ``is_endless``, for people see games there that the ledger does not hold yet. Raises
        `UsageError`, with nothing written, if it is not the contest that the ledger holds, or cannot
        be held."""
        names = [bot.name for bot in setup.bots]
        rules = setup.conditions.rules
        held: list[tuple[Plan, int]] = []

        def give(tally: Tally) -> Contest | None:
            its_own = drawn if tally.seed is None else parsed(tally.seed)
            plan = planned(asked, tally, names, rules, seed=its_own, where=where.ledger)
            require_all(plan, names, tally, where.folder)
            if seed not in (None, its_own):
                raise UsageError(
                    f"the contest in {where.ledger} has another seed; without --seed that contest "
                    "goes on, and --ledger OTHER.json begins another"
                )
            held.append((plan, its_own))
            return entry_for(plan, tally, contest_key(rules, its_own), its_own)

        had_seed = ledger.tally.seed is not None
        give(ledger.tally)  # an error in what is typed is told before anything is written
        ledger.order(give)
        plan, _ = held[-1]
        if had_seed and not ledger.tally.recorded:
            tell(
                f"{where.ledger} holds the seed of a contest and no game of it; if you did not "
                "begin that contest yourself, somebody knows its seed: name a new --ledger"
            )
        if final and format_of(plan).is_closed:
            raise UsageError(f"--final: the format {plan.format} needs the result of every game")
        its_seed = ledger.contest_seed(drawn)
        known = keys(setup.bots, setup.conditions, setup.data.digests)
        digests = {bot.name: bot.digest for bot in setup.bots}
        versions = ledger.tally.versions
        new = frozenset(
            name
            for name, digest in digests.items()
            if is_endless or versions.get(name, [digest])[0] != digest
        )
        return cls(plan, its_seed, ledger, setup, known, digests, new, final)

    @property
    def contest_key(self) -> str:
        """How the ids of its games end before the numbers."""
        return contest_key(self._setup.conditions.rules, self.seed)

    @property
    def most(self) -> int:
        """How many games the contest has, or can have at most."""
        return format_of(self.plan).most(self.plan) * self.plan.match

    def missing(self) -> int:
        """How many of them are not played yet, or can still be at most."""
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
        """Whether games of hopeless bots may be put off: formats that look at results need every
        game, and where more than two play the others want it."""
        return not format_of(self.plan).has_places and self.plan.seats == 2

    @property
    def has_another_batch(self) -> bool:
        """Whether the results so far bring about more games."""
        return self._is_closed and not Progress(self.plan, self._results).is_over

    @property
    def has_another_round(self) -> bool:
        """Whether a round is to be played, in a contest that is held round by round."""
        return self.has_another_batch or self._rounds_over() < len(self._rounds)

    def spending(self, is_out: Callable[[Sequence[str]], bool]) -> Iterator[Iterable[Pairing]]:
        """Games of a contest in rounds, in batches, where ranks are least decided by those before;
        without end, as long as two bots play. First everyone meets a few others, so that there is
        something to go by. Who meets plays a pair of games, or a match where that is the unit. Who
        ``is_out`` plays no more."""
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
            if not chosen:  # every rank is decided: everyone meets everyone as ever
                playing = (couple for couple in in_turn if not is_out(couple))
                chosen = [*islice(playing, len(names) // 2)]
            yield [*chain.from_iterable(map(next_of, chosen))]

    def endless(
        self, couples: Iterable[tuple[str, str]], met: Counter[tuple[str, str]]
    ) -> Iterator[Games]:
        """The next games of each couple, which is asked for when a job is free. ``met`` has how often
        each has been given games, and goes on."""
        return map(self._next_games(met), couples)

    def _next_games(self, number: Counter[tuple[str, str]]) -> Callable[[tuple[str, str]], Games]:
        """Gives the next games of two bots that are not played yet, others each time. ``number`` is of
        the last time that each couple met."""

        def next_of(couple: tuple[str, str]) -> Games:
            while True:
                number[couple] += 1
                games = self._nth_games(couple, number[couple])
                if not all(map(self.is_played, games)):
                    return games

        return next_of

    def _nth_games(self, couple: tuple[str, str], number: int) -> Games:
        """The games of the time of this number that two bots meet: a pair, or a match where that is
        the unit."""
        units = 1 if self.plan.match > 1 else 2
        last = units * number
        return self._games([Meeting(*couple, unit) for unit in range(last - units + 1, last + 1)])

    def batches(self) -> Iterator[Iterable[Pairing]]:
        """The games that are to be played, in batches of such as may be played at once. Ends, too,
        if a game of a batch has not been played."""
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
        """The rounds of a contest whose pairs are known and that is held round by round, which a
        tournament of matches is."""
        return format_of(self.plan).rounds(self.plan)

    def _rounds_over(self) -> int:
        """How many of these rounds are over before the first that is not."""
        return sum(takewhile(bool, (all(map(self._is_over, one)) for one in self._rounds)))

    @property
    def last_round(self) -> str | None:
        """The name of the last round that is over, if the contest's stages do not say it."""
        return f"round {self._rounds_over()} of {len(self._rounds)}" if self._rounds else None

    def table(self) -> ContestTable | None:
        """The contest as it stands; None where the percentage rule alone ranks. The authors of bots
        that have not played are those of their manifests."""
        table = contest_table(self._ledger.tally, self.plan.bots)
        if table is None:
            return None
        authors = {bot.name: Person(author=bot.author) for bot in self._setup.bots}
        return replace(table, people={**authors, **table.people})

    def left_of(self, name: str) -> Iterator[Pairing]:
        """The games between two known bots that a bot has not played yet."""
        if (meetings := self._meetings) is None:
            return iter(())
        couples = [(min(name, other), max(name, other)) for other in self._names if other != name]
        its_own = replace(
            meetings, couples=[couple for couple in couples if couple in meetings.couples]
        )
        return without(self._games(its_own), self.is_played)

    def is_played(self, pairing: Pairing) -> bool:
        """Whether a game, or a match, is in the ledger."""
        if not self._is_closed and self.plan.match == 1:
            return self._ledger.is_played(self._key_of(pairing), final=self._final)
        game = GameId.read(pairing.id)
        assert game is not None, "it is a contest's"
        return self._is_over(meeting_of(game, (pairing.names[0], pairing.names[1]), self.plan))

    def _is_over(self, meeting: Meeting) -> bool:
        """Whether a unit is in the ledger, for formats that know their units."""
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
        tally = self._ledger.tally  # which may be another one after each game
        return tally.results or no_results

    def games(self) -> Iterable[Pairing]:
        """Every game of a contest in which results do not say who meets, in the order in which one
        machine plays them."""
        return self._games(self._meetings)

    def begun_games(self) -> Iterable[Pairing]:
        """Every game of `games` that the ledger may hold: those whose ids it has, for to look up
        all of millions takes minutes. A match counts as one."""
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
        """The meetings of a contest in which results do not say who meets; None where more than two
        play a game."""
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
        return tuple(self._digests[name] for name in names)
