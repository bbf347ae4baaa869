"""Games and fights of the library: what the command `fight` does."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from msgspec import structs

from judge.contest.fight import MOST_GAMES, FightRun, fight_of
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.ledger import Ledger
from judge.contest.no_ledger import NoLedger
from judge.contest.seeds import spelled
from judge.contest.setup import require_seats
from judge.contest.standings.fight_documents import played_records
from judge.contest.window import Fault
from judge.documents.game import GameRecord
from judge.documents.rules import Rules
from judge.errors import UsageError
from judge.library.arguments import arguments, in_python
from judge.library.games import (
    AnyPath,
    AnyRules,
    AnySeed,
    Options,
    drawn,
    path_of,
    settings,
    whole,
)
from judge.library.games import rules as rules_of
from judge.library.local_setup import require_kept, setup_of
from judge.library.players import AnyBot, is_local
from judge.process.bots.bot import require_apart
from judge.stats.sprt import Sprt, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from judge.contest.schedule import Fight, Pairing
    from judge.contest.settings import PlaySettings
    from judge.play.match import Watch


@arguments()
def play(
    *bots: AnyBot,
    rules: AnyRules = "brainjar",
    seed: AnySeed | None = None,
    first: int | None = None,
    watch: Watch | None = None,
    **options: Unpack[Options],
) -> GameRecord:
    """Play one game and return its record.

    The first of ``bots`` has seat 0. The seat ``first`` moves first; by default seat 0 does, or a
    drawn seat if the rules draw it. A seed is drawn by default. ``watch`` is called with the `Game`
    and each event. ``options`` are those of `judge.library.games.settings`.

    Raises `UsageError` for wrong arguments. Raises `JudgeFault` if the judge could not play.
    """
    of = rules_of(rules)
    _require_seats(of, bots)
    if first is not None and (type(first) is not int or not 0 <= first < len(bots)):
        raise UsageError(f"first={first!r}: the {len(bots)} bots sit in seats 0 to {len(bots) - 1}")
    seed = drawn(seed)
    (pairing,) = fight_of(of, len(bots), games=1, sprt=None, seed=seed)
    if first is not None:
        pairing = replace(pairing, first=first)
    play_settings = settings(of, **options)
    if watch and play_settings.cluster is not None:
        raise UsageError("watch is for games on this machine: leave out watch, or cluster")
    (record,) = FightGames(bots, [pairing], play_settings, seed=seed, watch=watch)
    return record


@arguments()
def fight(
    *bots: AnyBot,
    games: int | None = None,
    sprt: Sequence[float] | None = None,
    rules: AnyRules = "brainjar",
    seed: AnySeed | None = None,
    ledger: AnyPath | None = None,
    **options: Unpack[Options],
) -> FightGames:
    """Play games, and yield each record as soon as the game and those before it are over. The
    command `fight` plays the same games with this seed.

    In several games the bots take turns to move first: in a round each bot begins one game, all
    with the same seeds. By rules of matches, several games without ``sprt`` are one match instead.
    ``sprt`` is (elo0, elo1) or (elo0, elo1, alpha, beta); the fight ends once this test is decided.
    ``games`` is by default 1, or with ``sprt`` at most 100,000. With a path of a ``ledger``, a game
    is in the ledger before it is yielded. ``options`` are those of `judge.library.games.settings`.

    Raises `UsageError` at once for most wrong arguments. From the first ``next`` on, raises
    `UsageError` for bots that cannot be found or cannot play so and for a ledger of games under
    other conditions, `LedgerError` for a ledger that cannot be used, and `JudgeFault` if the judge
    could not play.
    """
    if games is not None:
        whole("games", games, most=MOST_GAMES)
    test = None if sprt is None else _test(sprt)
    play_settings = settings(rules, **options)
    _require_seats(play_settings.rules, bots)
    if test and len(bots) > 2:
        raise UsageError(f"sprt compares two bots, and {len(bots)} are named: leave it out")
    if test and games == 1:
        raise UsageError("sprt counts swapped pairs, and games=1 has none: leave out games")
    path = None if ledger is None else path_of("ledger", ledger)
    if path is not None:
        require_kept(bots)
    seed = drawn(seed)
    schedule = fight_of(play_settings.rules, len(bots), games=games, sprt=test, seed=seed)
    return FightGames(bots, schedule, play_settings, seed=seed, sprt=test, ledger=path)


def _require_seats(of: Rules, bots: Sequence[AnyBot]) -> None:
    """Raise `UsageError` for a list in the place of the bots, or for rules that do not allow as many
    bots."""
    if any(isinstance(bot, list | tuple) for bot in bots):
        raise UsageError("give the bots one by one, not in a list")
    require_seats(of, len(bots))


def _test(numbers: Sequence[float]) -> Sprt:
    """The test with these parameters. Raises `UsageError` if they are not those of a test."""
    given: object = numbers
    are_numbers = isinstance(given, Sequence) and {int, float} >= {*map(type, given)}
    if not are_numbers or len(numbers) not in {2, 4}:
        raise UsageError(f"sprt={numbers!r}: give (elo0, elo1) or (elo0, elo1, alpha, beta)")
    try:
        return Sprt(*numbers)
    except ValueError as error:
        raise UsageError(f"sprt={numbers!r}: {error}") from None


class FightGames(Iterator[GameRecord]):
    """An iterator of the records of a fight. It begins to play at the first ``next``."""

    def __init__(
        self,
        bots: Sequence[AnyBot],
        schedule: Fight | Sequence[Pairing],
        play_settings: PlaySettings,
        *,
        seed: int,
        sprt: Sprt | None = None,
        ledger: Path | None = None,
        watch: Watch | None = None,
    ) -> None:
        self.seed = spelled(seed)
        """The fight's seed as text. The same fight with this ``seed`` has the same games."""
        self.notices: list[str] = []
        """Sentences that the command prints as notes."""
        self._run: FightRun | None = None
        self._records = self._playing(
            bots, schedule, play_settings, sprt=sprt, path=ledger, watch=watch
        )

    def _notice(self, sentence: str) -> None:
        self.notices.append(in_python(sentence))

    def __next__(self) -> GameRecord:
        return next(self._records)

    def close(self) -> None:
        """End the fight and its bots now."""
        self._records.close()

    @property
    def verdict(self) -> Verdict | None:
        """The verdict of the test so far: H0, H1 or continue. None without a test, and before the
        first ``next``."""
        return None if self._run is None else self._run.verdict

    def _playing(
        self,
        bots: Sequence[AnyBot],
        schedule: Fight | Sequence[Pairing],
        play_settings: PlaySettings,
        *,
        sprt: Sprt | None,
        path: Path | None,
        watch: Watch | None,
    ) -> Generator[GameRecord, None, None]:
        is_held = not any(map(is_local, bots))
        with arguments(), ExitStack() as until:
            setup = setup_of(bots, play_settings, until, len(bots), self._notice)
            setup = setup.expecting(len(schedule))
            ledger: Ledger | NoLedger = NoLedger()
            if path is not None:
                require_apart(path, setup.bots)
                ledger = until.enter_context(Ledger(path))
                ledger.require(ConditionSet.of(setup.conditions))
                self.notices += ledger.notices
            until.enter_context(setup.learning(ledger))
            self._run = FightRun(setup, schedule, ledger, sprt)
            playing = self._run.playing(watch_of=lambda _: watch)
            for game in until.enter_context(closing(playing)):
                if isinstance(game, Fault):
                    played_records(game)  # raises its error
                elif is_held:
                    yield game.record
                else:
                    yield structs.replace(game.record, rated=False)
