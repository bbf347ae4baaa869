"""Contests and ledgers of the library: what the commands `rank`, `standings` and `ledger` do."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Unpack, get_args

from judge.contest import contest as contests
from judge.contest.contest import ContestEvent
from judge.contest.entrants import able, taking_part_by
from judge.contest.formats.registry import FORMATS
from judge.contest.ledger import ledger as ledgers
from judge.contest.ledger import order_entries
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.entries import games_in, record_of
from judge.contest.ledger.files import require_ledger
from judge.contest.ledger.tally import Tally
from judge.contest.no_ledger import NoLedger
from judge.contest.plan import MOST, Asked, Where, seats_of
from judge.contest.seeds import spelled
from judge.contest.settings import LONGEST_MS, PlaySettings
from judge.contest.setup import Setup
from judge.contest.standings.standings import RankedBy, Standings, standings
from judge.documents.game import GameRecord
from judge.documents.ledger import MOST_SEATS, Order
from judge.errors import UsageError
from judge.game.variants import undrawn
from judge.library.arguments import arguments, in_python
from judge.library.games import (
    YES_OR_NO,
    AnyPath,
    AnyRules,
    AnySeed,
    Options,
    drawn,
    one_of,
    path_of,
    settings,
    whole,
)
from judge.library.local_setup import Objects, held, require_kept
from judge.library.local_setup import found as found_bots
from judge.library.players import AnyBot
from judge.process.bots.bot import Bot, LeftOut, contestants, require_apart
from judge.process.sandbox.isolation import holdable

Field = AnyPath | Sequence[AnyBot]
"""A folder of bots, or a list of bots as they are given to `judge.fight`."""


class Contest:
    """A contest of bots. Iterating over a `Contest` plays the games that its ledger lacks, and
    yields events.

    ``ledger`` is a path; a contest that the ledger holds goes on. Without a ``ledger`` no game is
    written to disk, and functions and objects may be among the bots; their games count in the
    standings. Such games have no key, since their bots cannot be known again. Iterating again plays
    these games again, except in matches and in the formats swiss, knockout and lives. ``format`` is
    by default the ledger's, or rounds. ``seconds`` limits the time of a contest in rounds: after a
    few games of each bot, the couples with the least decided ranks play. With ``check`` each
    program is checked before its first game, and left out if it does not conform. ``options`` are
    those of `judge.library.games.settings`.

    Raises `UsageError` for wrong arguments, a contest that cannot be played and a second iterator
    beside a running one. Raises `LedgerError` for a ledger that cannot be used.
    """

    @arguments()
    def __init__(
        self,
        bots: Field,
        *,
        format: str | None = None,  # noqa: A002 - as the option is called
        rounds: int | None = None,
        games: int | None = None,
        lives: int | None = None,
        bot: str | None = None,
        seats: int | None = None,
        seconds: float | None = None,
        ledger: AnyPath | None = None,
        rules: AnyRules = "brainjar",
        seed: AnySeed | None = None,
        final: bool = False,
        insist: bool = False,
        check: bool = False,
        **options: Unpack[Options],
    ) -> None:
        self._settings = settings(rules, **options)
        one_of("format", format, [None, *FORMATS])
        numbers = {"rounds": rounds, "games": games, "lives": lives}
        for name, number in numbers.items():
            if number is not None:
                whole(name, number, most=MOST[name])
        if seats is not None:
            whole("seats", seats, least=2, most=MOST_SEATS)
        if bot is not None:
            _text("bot", bot)
        for name, value in {"final": final, "insist": insist, "check": check}.items():
            one_of(name, value, YES_OR_NO)
        longest = LONGEST_MS // 1000
        if seconds is not None and (
            type(seconds) not in {int, float} or not 0.001 <= seconds <= longest
        ):
            raise UsageError(f"seconds={seconds!r}: give a number from 0.001 to {longest:,}")
        own_seed = drawn(seed)
        self._asked = Asked(
            format=format,
            rounds=rounds,
            games=games,
            lives=lives,
            bot=bot,
            seats=seats,
            budget_ms=None if seconds is None else round(seconds * 1000),
            seed=None if seed is None else own_seed,
            drawn=own_seed,
            final=final,
            typed=frozenset(
                name for name, given in {**numbers, "bot": bot}.items() if given is not None
            ),
        )
        self._ledger = None if ledger is None else path_of("ledger", ledger)
        self._insist = insist
        self._check = check
        self._passed: set[tuple[str, str]] = set()  # programs that conform, with their digests
        self._unkept = NoLedger()
        self._running: contests.Contest | None = None
        self._until = ExitStack()  # closes at the end of the iteration
        self.notices: list[str] = []
        """Sentences that the command prints as notes."""
        self.take_up(bots)

    @arguments()
    def take_up(self, bots: Field) -> None:
        """Go on with these bots, which may be new bots or new versions. At most one more game or
        match of the earlier bots is added. Their other games under way are dropped, and are played
        again if the contest still needs them.

        Raises `UsageError` if ``bots`` cannot be used, or if fewer than two of them can play.
        """
        tally = self._tally()
        self.seed = spelled(self._asked.drawn) if tally is None or not tally.seed else tally.seed
        """The contest's seed as text."""
        self._seats = seats_of(self._asked, tally)
        self._where, found, self._objects, left_out = self._found(bots)
        if tally is not None:
            found, taken_out = taking_part_by(tally, found, self._ledger)
            left_out = (*left_out, *taken_out)
        self._require_two(found)
        self._bots = found
        self.left_out = left_out
        """The bots that do not take part, with the reasons. Bots that fail a test are added before
        the first event."""
        self._setup = self._held(self._settings) if self._settings.cluster is None else None
        if self._running:
            if self._check:
                self._require_conforming()
            self._running.take_up(self._setup or self._held(self._settings), self.left_out)

    def _held(self, play_settings: PlaySettings) -> Setup:
        """The setup of the bots. The connection to a cluster ends with the iteration."""
        return held(
            self._bots,
            self._objects,
            play_settings,
            self._seats,
            tell=self._notice,
            open_until=self._until,
        )

    def _notice(self, sentence: str) -> None:
        sentence = in_python(sentence)
        if sentence not in self.notices:
            self.notices.append(sentence)

    def _is_to_be_woken(self) -> bool:
        """Whether the format starts bots before the contest, and the contest has not begun."""
        tally, name = self._tally(), self._asked.format
        is_begun = tally is not None and tally.contest is not None
        return name is not None and FORMATS[name].is_for_ais and not is_begun

    def _wake(self) -> None:
        """Leave out the bots that do not start. Raises `UsageError` if fewer than two are left."""
        from judge.check.entry import awake  # imported here, since few contests are for AIs

        setup = self._setup or self._held(replace(self._settings, cluster=None))
        self._leave_out(*awake(self._bots, setup, seed=drawn(None)))

    def _require_conforming(self) -> None:
        """Leave out the programs that do not conform. Raises `UsageError` if fewer than two bots are
        left."""
        # Imported here, since few contests check bots.
        from judge.check.entry import conforming
        from judge.show.check import first_cause

        setup = self._setup or self._held(replace(self._settings, cluster=None))
        tried = tuple(
            bot for bot in setup.bots if bot.digest and (bot.name, bot.digest) not in self._passed
        )
        if not tried:
            return
        seed = drawn(None)
        found, failed = conforming(self._bots, replace(setup, bots=tried), first_cause, seed=seed)
        names = {bot.name for bot in found}
        self._passed |= {(bot.name, bot.digest) for bot in tried if bot.name in names}
        self._leave_out(found, failed)

    def _leave_out(self, passing: tuple[Bot, ...], failed: tuple[LeftOut, ...]) -> None:
        self._require_two(passing)
        self._bots, self._setup = passing, None
        self.left_out = (*self.left_out, *failed)

    def _require_two(self, bots: Sequence[Bot]) -> None:
        if len(bots) < 2:
            raise UsageError(f"{self._where} holds {len(bots)} bots that can play; it takes two")

    def _found(self, bots: Field) -> tuple[str, tuple[Bot, ...], Objects, tuple[LeftOut, ...]]:
        play_settings = self._settings
        objects: Objects = {}
        if isinstance(bots, str | PathLike):
            where = fspath(bots)
            found, left_out = contestants(Path(bots), **play_settings.finding)
        elif isinstance(bots, Sequence):
            where = "the list of bots"
            if self._ledger is not None:
                require_kept(bots)
            (found, objects), left_out = found_bots(bots, play_settings), ()
        else:
            raise UsageError(f"{bots!r} is neither a folder of bots nor a list of them")
        programs = tuple(bot for bot in found if bot.name not in objects)
        refused: tuple[LeftOut, ...] = ()
        if programs and play_settings.cluster is None:  # each worker says what it can hold
            programs, refused = holdable(play_settings.isolation, play_settings.limits, programs)
        programs, unable = able(programs, play_settings.rules, self._seats)
        taking_part = tuple(bot for bot in found if bot.name in objects or bot in programs)
        left_out = (*left_out, *refused, *unable)
        return where, taking_part, objects, tuple(map(_worded, left_out))

    def _tally(self) -> Tally | None:
        is_there = self._ledger is not None and self._ledger.exists()
        return ledgers.read(self._ledger) if self._ledger is not None and is_there else None

    def __iter__(self) -> Iterator[ContestEvent]:
        if self._running:
            raise UsageError("this contest is being played by another iterator: close that first")
        with arguments(), ExitStack() as until:
            self._until = until
            if self._check:
                self._require_conforming()
            elif self._is_to_be_woken():
                self._wake()
            setup = self._setup or self._held(self._settings)
            conditions = setup.conditions
            ledger: ledgers.Ledger | NoLedger = self._unkept
            if self._ledger is not None:
                require_apart(self._ledger, setup.bots)
                ledger = until.enter_context(ledgers.Ledger(self._ledger))
                ledger.require(ConditionSet(undrawn(conditions.rules), conditions.limits))
                self.notices += ledger.notices
            until.enter_context(setup.learning(ledger))
            self._running = contests.Contest(
                setup,
                ledger,
                self._asked,
                Where(str(self._ledger), self._where),
                left_out=self.left_out,
                tell=self._notice,
                clock=time.monotonic,
                insist=self._insist,
            )
            until.callback(setattr, self, "_running", None)
            yield from self._running

    def standings(self, by: RankedBy = "points") -> Standings:
        """The present standings of the contest's bots, by points or by Elo; may be called between
        two events. Raises `UsageError` for another ``by``."""
        one_of("by", by, get_args(RankedBy))
        if self._running:
            return self._running.standings(by)
        playing = contests.digests_of(self._bots, self.left_out)
        return standings(self._tally() or self._unkept.tally, playing=playing, by=by)


class Ledger:
    """A ledger on the disk: its games, its standings and its orders."""

    @arguments()
    def __init__(self, path: AnyPath) -> None:
        """Raises `UsageError` if there is no ledger at that path, and `LedgerError` if only the
        ledger's journal is missing."""
        self.path, self._journal = require_ledger(path_of("path", path))

    def games(self) -> Iterator[GameRecord]:
        """The record of every game, in the order of the journal. Raises `RecordError` for a damaged
        record."""
        for game in games_in(self._journal):
            yield record_of(game)

    def standings(self, by: RankedBy = "points", *, every_version: bool = False) -> Standings:
        """The standings by points or by Elo, of the newest version of each bot or of every version.
        Raises `LedgerError` for a damaged ledger, and `UsageError` for another ``by``."""
        one_of("by", by, get_args(RankedBy))
        return standings(ledgers.read(self.path), every_version=every_version, by=by)

    @property
    def orders(self) -> tuple[Order, ...]:
        """The orders that were not undone, the oldest first."""
        given = ledgers.read(self.path).orders.given
        return tuple(one.order for one in given if not one.undone)

    def void(self, *games: int, reason: str) -> int:
        """Void games, given by number: they do not count. Returns the number of the order."""
        for game in games:
            whole("game", game)
        return self._order(partial(order_entries.void, games=games, reason=_text("reason", reason)))

    def disqualify(self, bot: str, *, reason: str) -> int:
        """Void all games of a bot, later games too. Returns the number of the order."""
        give = partial(order_entries.disqualify, bot=self._bot(bot), reason=_text("reason", reason))
        return self._order(give)

    def retire(self, bot: str) -> int:
        """Take a bot out of the standings and the contest; its games still count. Returns the
        order's number."""
        return self._order(partial(order_entries.retire, bot=self._bot(bot)))

    def undo(self, order: int | None = None) -> None:
        """Undo the order of this number, or by default the last order that is not undone."""
        if order is not None:
            whole("order", order)
        self._order(partial(order_entries.undo, number=order))

    def _bot(self, name: str) -> str:
        """The name, if a bot of that name has played or takes part. Raises `UsageError` if not."""
        return order_entries.bot_of(ledgers.read(self.path), _text("bot", name), self.path)

    @arguments()
    def _order(self, give: Any) -> int:
        with ledgers.Ledger(self.path) as ledger:
            ledger.order(give)
            return len(ledger.tally.orders.given)


def _worded(one: LeftOut) -> LeftOut:
    return replace(one, reason=in_python(one.reason))


def _text(name: str, value: str) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{name}={value!r}: give a text")
    return value
