"""A fight: plays the games of a schedule, adds them to a ledger, and counts them.

A `FightRun` prints nothing. It yields each game as soon as the game and those before it are over; a
game is in the ledger by then. If the user stops an unfinished fight, the iteration raises
`Interrupted` after the games that were over.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Protocol, TypeVar

from judge.contest.ledger.ledger import Ledger, Repeated
from judge.contest.no_ledger import NoLedger
from judge.contest.schedule import Fight, First, Pairing, opening
from judge.contest.setup import Setup
from judge.contest.standings.summary import FightSummary
from judge.contest.threads import keys, unwatched
from judge.contest.window import Fault, has_changed, taken
from judge.documents.game import GameRecord
from judge.documents.rules import Rules
from judge.errors import JudgeFault, UsageError
from judge.game.events import Event
from judge.game.game import Game
from judge.play.match import Watch
from judge.stats.sprt import Sprt, Verdict

MOST_GAMES = 1_000_000
LONGEST_SPRT = 100_000
MOST_VOID = 100  # void games that end a fight if no game counted before

T = TypeVar("T")


class Watcher(Protocol):
    """A watch that shows games to a user within a ``with`` block. The user may leave before the
    block ends."""

    def __enter__(self) -> object: ...

    def __exit__(self, kind: object, error: object, at: object, /) -> None: ...

    def __call__(self, game: Game, event: Event) -> None: ...

    def result(self, future: Future[T]) -> T:
        """Wait for another thread's future, and return its result. Games are shown meanwhile."""

    def leave(self) -> None:
        """Show nothing more."""


@dataclass(frozen=True, slots=True)
class Fought:
    """A game of a fight that was played and counted. ``played`` is its record as it was played.
    ``record`` is the record added to the ledger, or ``played`` if none was added. ``repeated`` is
    given if the ledger held the same game before."""

    played: GameRecord
    record: GameRecord
    repeated: Repeated | None


def fight_of(
    rules: Rules,
    seats: int,
    *,
    games: int | None,
    sprt: Sprt | None,
    seed: int,
    first: First | None = None,
) -> Fight:
    """The schedule of a fight. Without ``games`` the fight has one game, or `LONGEST_SPRT` games
    with a test. If the rules have matches, several games without a test are one match. Without
    ``first``, the rules say who moves first in one game or match, and the seats take turns in
    several games."""
    if games is None:
        games = 1 if sprt is None else LONGEST_SPRT
    is_match = rules.match > 1 and games > 1 and sprt is None
    if first is None and (games == 1 or is_match):
        first = opening(rules)
    return Fight(games, seed, first or First.ALTERNATE, seats, is_match)


class FightRun:
    """A fight of the bots of a setup by a schedule. The games are added to the ``ledger`` if it is
    a `Ledger`. A fight with a test ends once the test is decided.

    Raises `UsageError` if players keep what they learn and a game of the schedule is in the ledger:
    the game would be played with other data, and would not be added.
    """

    def __init__(
        self,
        setup: Setup,
        schedule: Fight | Sequence[Pairing],
        ledger: Ledger | NoLedger,
        sprt: Sprt | None = None,
    ) -> None:
        self._setup = setup
        self._schedule = schedule
        self._ledger = ledger if isinstance(ledger, Ledger) else None
        self._sprt = sprt
        self.summary = FightSummary([bot.name for bot in setup.bots])
        self.faults: list[Fault] = []
        """The faults of the games that the judge could not play."""
        self.repeats: list[Repeated] = []
        """The games that the ledger held before."""
        key_of = keys(setup.bots, setup.conditions, setup.data.digests)
        if setup.data.keeps and any(ledger.is_played(key_of(pairing)) for pairing in schedule):
            raise UsageError(
                "games of this seed are in the ledger already, and with --learning on no game is "
                "played twice; another --seed plays others"
            )

    @property
    def verdict(self) -> Verdict | None:
        """The present verdict of the test; None without a test."""
        return None if self._sprt is None else self._sprt.verdict(self.summary.pairs)

    def playing(
        self,
        following: Callable[[Iterable[Pairing]], Iterable[Pairing]] = iter,
        watcher: Watcher | None = None,
        watch_of: Callable[[Pairing], Watch | None] = unwatched,
    ) -> Generator[Fought | Fault, None, None]:
        """Play the games, and yield each once it is counted, or its fault. ``following`` passes the
        schedule on and sees each game before it begins. The block of the ``watcher`` ends before
        the last bots are ended. ``watch_of`` gives a further watch of a game. Raises `JudgeFault`
        if the first `MOST_VOID` games are all void, or as `OrderedResults` does."""
        schedule = following(self._schedule)
        shown: contextlib.AbstractContextManager[Any] = watcher or contextlib.nullcontext()
        with self._setup.playing(schedule, watcher, watch_of) as results, shown:
            if watcher:
                results.wait = watcher.result
            for result in taken(results, self._is_over, watcher.leave if watcher else bool):
                yield from self._counted(result)

    def _counted(self, result: Sequence[GameRecord] | Fault) -> Iterator[Fought | Fault]:
        if isinstance(result, Fault):
            self.faults.append(result)
            self._setup.settle(result, is_kept=False)
            yield result
            return
        added = self._ledger.add_all(result, numbered=True) if self._ledger else []
        for played, rated in zip_longest(result, added):
            record, repeated = played, None
            if isinstance(rated, Repeated):
                repeated = rated
                self.repeats.append(rated)
                self.summary.rate(rated.points, rated.points)
            elif rated is not None:
                record = rated.record
                self.summary.rate(rated.before, rated.after)
            self.summary.add(record)
            self._setup.settle(played, is_kept=True)
            yield Fought(played, record, repeated)

    def _is_over(self) -> bool:
        if self.summary.games == self.summary.void == MOST_VOID:
            raise JudgeFault(f"all {MOST_VOID} games were void: neither bot can place a fleet")
        return has_changed(self.faults) or self.verdict not in {None, Verdict.CONTINUE}
