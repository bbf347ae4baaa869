"""The examination of a player whose protocol keeps state, by whole games; `game_checks` has which.

Such a player cannot be asked about one position: all that it knows it has been told in its game.
So it plays against opponents that are scripted for a claim each.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from random import Random

from msgspec import structs

from judge.check import conformance
from judge.check.conformance import FORGETFUL, PARTING, SAMENESS, Finding
from judge.check.game_checks import (
    FIRST,
    HELD,
    WASTE,
    GamesCheck,
    GameSetting,
    checks_for,
    seed_of_game,
)
from judge.check.opponents import Opponent, misses
from judge.check.questions import CLAIMS
from judge.check.relocated import elsewhere, unmoved
from judge.check.selection import Selection
from judge.contest.futures import RetryingPool
from judge.documents.game import GameRecord, Termination
from judge.documents.rules import Cell
from judge.errors import (
    BadOutput,
    BotError,
    Crashed,
    IllegalFleet,
    IllegalMove,
    TimedOut,
)
from judge.game.events import Event
from judge.game.game import Game
from judge.play.asking import Question, Reply, told_beside
from judge.play.deal import Deal
from judge.play.player import Player
from judge.play.referee import play_match
from judge.play.run import Run, spoken
from judge.process.bots.bot import Bot
from judge.wire.interface import Transport
from judge.wire.messages import Placed

MOST_LATE = 3  # games lost by it, after which a player is too slow to be asked on

_FAULTS: dict[Termination, type[BotError]] = {
    Termination.BAD_OUTPUT: BadOutput,
    Termination.ILLEGAL_FLEET: IllegalFleet,
    Termination.ILLEGAL_MOVE: IllegalMove,
    Termination.TIMEOUT: TimedOut,
    Termination.CRASH: Crashed,
}


@dataclass(frozen=True, slots=True)
class CheckedGame:
    """A game that was played for a check."""

    reply: Reply
    record: GameRecord
    seat: int


def play(run: Run, bot: Bot, setting: GameSetting) -> CheckedGame:
    """Play one game; raises `JudgeFault`, and `Interrupted` on a stop."""
    seat, rules = setting.seat, setting.rules or run.conditions.rules
    drawn = [rules.drawn(Random(setting.seed + number)) for number in range(setting.games)]
    rules, seats = drawn[0], rules.players[0]
    conditions = replace(run.conditions, rules=rules)
    opponents = [
        Opponent(setting.name, other, seat, rules, setting.shoot, Random(f"{setting.seed}:{other}"))
        for other in range(seats)
        if other != seat
    ]

    def watch(game: Game, event: Event) -> None:
        for opponent in opponents:
            opponent.watch(game, event)

    with run.seat(bot, seat, setting.seed, rules=rules, seats=seats, lang=setting.lang) as player:
        players: list[Player] = [*opponents[:seat], player, *opponents[seat:]]
        deals = [Deal(id="check", seed=setting.seed, first=0, rules=each) for each in drawn]
        *_, record = play_match(conditions, players, deals, match_id="check", watch=watch)
        evidence = next((one for one in record.evidence), None) or player.evidence(seat)
    assert evidence is not None, "a program that was asked has run"
    wire, _ = spoken(bot, rules)
    dialect = record.seats[seat].dialect or ""
    question = Question(None, setting.seed, dialect, setting.lang)
    fleet = record.seats[seat].fleet
    times = [shot.ms for shot in record.shots if shot.seat == seat]
    reply = Reply(
        question=question,
        answer=None if fleet is None else Placed(fleet),
        fault=_fault(record, seat),
        run=evidence,
        folder=str(bot.folder),
        variables=told_beside(bot, rules, question),
        answer_ms=max([record.seats[seat].ms or 0.0, *times]),
        wire=wire,
    )
    return CheckedGame(reply, record, seat)


def _fault(record: GameRecord, seat: int) -> BotError | None:
    outcome = record.outcome
    if outcome.loser != seat or not outcome.termination.is_forfeit:
        return None
    return _FAULTS.get(outcome.termination, Crashed)(outcome.detail)


class GamesExamination:
    """Plays the games of every check, several at once."""

    def __init__(
        self,
        bot: Bot,
        run: Run,
        *,
        seed: int,
        pool: RetryingPool,
        told: Callable[[str, int, int], None],
        selection: Selection,
    ) -> None:
        self.replies: list[Reply] = []
        self._played: list[CheckedGame] = []
        self._wire, _ = spoken(bot, run.conditions.rules)
        self._bot = bot
        self._run = run
        self._seed = seed
        self._pool = pool
        self._told = told
        self._selection = selection
        self._checks = checks_for(self._wire)
        self._settings = {
            check: check.settings(self._wire, bot.name, seed)
            for check in selection.of((FIRST, *self._checks))
        }
        self._expected = 2 * selection.asks(SAMENESS) + sum(map(len, self._settings.values()))

    def findings(self) -> Iterator[Finding]:
        is_everything = self._selection.is_everything
        yield from self._checked(self._selection.of([FIRST]))
        if is_everything and all(reply.fault for reply in self.replies):
            for claim in (SAMENESS, *(check.claim for check in self._checks), PARTING, WASTE):
                yield Finding(claim, None, "not tried: it does not place a fleet yet")
        else:
            if self._selection.asks(SAMENESS):
                yield self._sameness()
            yield from self._checked(self._selection.of(self._checks))
            if not is_everything:
                return
            yield self._parting()
            yield self._waste()
        yield conformance.held(
            self.replies,
            self._run.conditions.isolation,
            claim=HELD,
            place="in its working folder",
        )
        yield conformance.in_time(self.replies, self._run.conditions.limits)
        yield conformance.in_memory(self.replies, self._run.conditions.limits)
        yield conformance.quiet(self.replies)
        tried = {check.claim for check in self._checks}
        untried = (claim for claim in CLAIMS if claim not in tried)
        others = (FORGETFUL, *untried)
        told = "not for a player, who is told a game and not asked about positions: "
        yield Finding("other checks", None, told + "; ".join(others))

    def _checked(self, checks: Sequence[GamesCheck]) -> Iterator[Finding]:
        with contextlib.ExitStack() as stack:
            asked: dict[GamesCheck, list[Future[CheckedGame]]] = {}
            for check in checks:
                bot = stack.enter_context(elsewhere(self._bot)) if check.elsewhere else self._bot
                if bot is not None:
                    asked[check] = [
                        self._pool.submit(play, self._run, bot, setting)
                        for setting in self._settings[check]
                    ]
            for check in checks:
                if check not in asked:
                    yield Finding(check.claim, None, unmoved(self._bot))
                    continue
                played = [self._took(one, check.claim) for one in asked[check]]
                replies = [one.reply for one in played if one]
                if not replies:
                    yield Finding(check.claim, None, "not tried: it is too slow")
                    continue
                yield check.verdict(check.claim, replies)

    def _took(self, future: Future[CheckedGame], claim: str) -> CheckedGame | None:
        """The game, unless the player is too slow for any more of them."""
        if sum(isinstance(reply.fault, TimedOut) for reply in self.replies) >= MOST_LATE:
            future.cancel()
            return None
        played = self._pool.result(future)
        self.replies.append(played.reply)
        self._played.append(played)
        self._told(claim, len(self.replies), self._expected)
        return played

    def _sameness(self) -> Finding:
        """A player may have luck of its own, but then none of its games can be played again."""
        setting = GameSetting(0, misses, seed_of_game(Random(f"{self._seed}:{SAMENESS}")))
        games = []
        for _ in range(2):  # one after the other: at once, one could tell the other what it does
            future = self._pool.submit(play, self._run, self._bot, setting)
            if game := self._took(future, SAMENESS):
                games.append(game)
        moves = {
            (game.reply.answer, *(structs.replace(shot, ms=0) for shot in game.record.shots))
            for game in games
        }
        unlike = [games[0].reply.question] if len(moves) > 1 else []
        return conformance.sameness([game.reply for game in games], unlike)

    def _parting(self) -> Finding:
        """What it answers to the last question, which costs it nothing, and whether it then
        ends."""
        replies = [game.reply for game in self._played]
        closed = "stdin" if self._wire.transport is Transport.PIPES else "the connection"
        if not (due := self._wire.last_word):
            return conformance.parting(replies, closed)
        ended = [one for one in replies if not one.fault]
        odd = [one for one in ended if one.run.exchanges[-1].received.strip() != due]
        if odd:
            got = " ".join(odd[0].run.exchanges[-1].received.split())[:60] or "nothing"
            told = f"{len(odd)} of {len(ended)} last words were not {due} but {got}"
            return Finding(PARTING, True, told, warning=True, asked=len(ended))
        return conformance.parting(replies, closed, f"with {due}, and exits")

    def _waste(self) -> Finding:
        """A repeat is legal, and a shot less, unless there is no fresh cell."""
        own = wasted = 0
        for game in self._played:
            cells = game.record.rules.columns * game.record.rules.rows
            seen: set[Cell] = set()
            for shot in (one for one in game.record.shots if one.seat == game.seat):
                own += 1
                wasted += shot.cell in seen and len(seen) < cells
                seen.add(shot.cell)
        if not own:
            return Finding(WASTE, None, "not tried: it has fired none")
        told = f"{wasted} of {own} shots were at cells that it had shot at before"
        return Finding(WASTE, True, told if wasted else f"{own} shots", warning=bool(wasted))
