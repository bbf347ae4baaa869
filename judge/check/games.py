"""Checks of players whose protocol keeps state: whole games, and how the player behaves in them.

Such a player cannot be asked about one position: all that it knows it has been told in its game.
So it plays against opponents that are scripted for a claim each.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from random import Random

from judge.check import conformance
from judge.check.conformance import FORGETFUL, LOCALES, SAMENESS, Finding, obeyed
from judge.check.entrants import RULEBOOKS
from judge.check.opponents import (
    Opponent,
    Shoot,
    at_random,
    breaks_off,
    hits,
    leaves,
    longest_first,
    misses,
    shortest_first,
    sinking,
    twice,
)
from judge.check.questions import CHECKS
from judge.check.relocated import elsewhere
from judge.check.selection import Selection
from judge.contest.futures import awaited
from judge.contest.seeds import SEED_LIMIT
from judge.errors import (
    BadOutput,
    BotError,
    Crashed,
    IllegalFleet,
    IllegalMove,
    TimedOut,
)
from judge.game.events import Event
from judge.game.evidence import Evidence
from judge.game.game import Game
from judge.game.outcome import Termination
from judge.game.record import GameRecord
from judge.game.rules import Cell, Rules
from judge.game.variants import CONTEST_DRAWS, contest
from judge.play.asking import Question, Reply, told_beside
from judge.play.deal import Deal
from judge.play.player import Player
from judge.play.referee import play_match
from judge.play.run import Run, spoken
from judge.process.bots.bot import Bot
from judge.wire.broadsides import LAST_WORD, Broadsides
from judge.wire.contest import Contest
from judge.wire.interface import Transport, Wire
from judge.wire.messages import Placed
from judge.wire.xbs.shell import XbsShell

PARTING = "takes its leave"
WASTE = "wastes no shots"
MOST_LATE = 3  # games lost by it, after which a player is too slow to be asked on


@dataclass(frozen=True, slots=True)
class GameSetting:
    """A game: the seat of the player, which moves first from seat 0, and its opponent. It is played
    by the rules of the whole check unless it has its own; or it is a match of several ``games``."""

    seat: int
    shoot: Shoot
    seed: int
    name: str = "opponent"
    lang: str = Question(None, 0).lang
    rules: Rules | None = None
    games: int = 1


@dataclass(frozen=True, slots=True)
class GamesCheck:
    """A claim, and the games that could refute it. In a check that is ``elsewhere`` a copy of the
    player plays, in another folder. It is for players of one ``wire``, or of all."""

    claim: str
    games: Callable[[Bot, Random], Iterable[GameSetting]]
    verdict: Callable[[str, Sequence[Reply]], Finding] = obeyed
    elsewhere: bool = False
    wire: type[Wire] | None = None

    def settings(self, bot: Bot, seed: int) -> tuple[GameSetting, ...]:
        return tuple(self.games(bot, Random(f"{seed}:{self.claim}")))


# Claims


def _seed(luck: Random) -> int:
    return luck.randrange(SEED_LIMIT)


def _fleets(_: Bot, luck: Random) -> Iterator[GameSetting]:
    for number, seed in enumerate((0, SEED_LIMIT - 1, *(_seed(luck) for _ in range(6)))):
        yield GameSetting(number % 2, leaves, seed)


def _both_seats(_: Bot, luck: Random) -> Iterator[GameSetting]:
    return (GameSetting(number % 2, at_random, _seed(luck)) for number in range(6))


def _fewer_shots(_: Bot, luck: Random) -> Iterator[GameSetting]:
    for order in (shortest_first, longest_first):
        for seat in (0, 1):
            yield GameSetting(seat, sinking(order), _seed(luck))


def _extremes(_: Bot, luck: Random) -> Iterator[GameSetting]:
    return (GameSetting(seat, shoot, _seed(luck)) for shoot in (hits, misses) for seat in (0, 1))


def _names(bot: Bot, luck: Random) -> Iterator[GameSetting]:
    for name in (bot.name, f"{bot.name}_2", bot.name[:1], "A", "_", "7", "a" * 60):
        for seat in (0, 1):
            yield GameSetting(seat, at_random, _seed(luck), name)


def _table_names(bot: Bot, luck: Random) -> Iterator[GameSetting]:
    for name in (bot.name, f"{bot.name}_2", "Xy", "a" * 60, "Cap'n 7 #2"):
        if XbsShell.unsayable(name):
            continue  # it cannot be the opponent's
        for seat in (0, 1):
            yield GameSetting(seat, at_random, _seed(luck), name)


def _locales(_: Bot, luck: Random) -> Iterator[GameSetting]:
    return (GameSetting(0, at_random, _seed(luck), lang=lang) for lang in LOCALES)


def _anywhere(_: Bot, luck: Random) -> Iterator[GameSetting]:
    return (GameSetting(seat, at_random, _seed(luck)) for seat in (0, 1))


def _sizes(_: Bot, luck: Random) -> Iterator[GameSetting]:
    for side in CONTEST_DRAWS:
        yield GameSetting(side % 2, at_random, _seed(luck), rules=contest(side))


def _matches(_: Bot, luck: Random) -> Iterator[GameSetting]:
    return (GameSetting(seat, at_random, _seed(luck), games=4) for seat in (0, 1))


def _repeats(_: Bot, luck: Random) -> Iterator[GameSetting]:
    return (GameSetting(seat, twice, _seed(luck)) for seat in (0, 1))


def _in_mid_game(_: Bot, luck: Random) -> Iterator[GameSetting]:
    return (GameSetting(seat, breaks_off, _seed(luck)) for seat in (0, 1))


def _left(claim: str, replies: Sequence[Reply]) -> Finding:
    """How it ends by itself once its match is over, which costs it nothing."""
    finding = obeyed(claim, replies)
    if finding.passed is not True:
        return finding
    ways = [way for reply in replies if (way := _way_of_ending(reply.run))]
    told = f"{len(ways)} of {len(replies)} times it {ways[0]}" if ways else "and exits"
    return replace(finding, detail=told, warning=bool(ways))


def _way_of_ending(run: Evidence) -> str:
    """How a program ended that had no reason to go on; empty if it exited as it should."""
    if run.signal == "SIGKILL":
        return "had to be ended; exit when the match is over"
    if run.signal or run.exit:
        how = run.signal or f"status {run.exit}"
        return f"crashed ({how}); exit with status 0 when the match is over"
    return ""


FIRST = GamesCheck("places a legal fleet", _fleets, conformance.fleets_obeyed)
GAMES_CHECKS = (
    GamesCheck("plays to the end from either seat", _both_seats),
    GamesCheck("fires as many shots as are due", _fewer_shots, wire=Broadsides),
    GamesCheck("copes with nothing but hits, or but misses", _extremes),
    GamesCheck("copes with any name of the opponent", _names, wire=Broadsides),
    GamesCheck("copes with any name of the opponent", _table_names, wire=XbsShell),
    GamesCheck("plays on boards of every size", _sizes, wire=Contest),
    GamesCheck("plays several games in one process", _matches, wire=Contest),
    GamesCheck("copes with cells that are shot at again", _repeats, wire=Contest),
    GamesCheck("leaves a match that ends in mid-game", _in_mid_game, _left, wire=Contest),
    GamesCheck("works in any locale", _locales),
    GamesCheck("works wherever its files lie", _anywhere, elsewhere=True),
)

HELD = "needs no network, and writes where it may"
_OVERALL = (PARTING, WASTE, HELD, conformance.IN_TIME, conformance.IN_MEMORY, conformance.QUIET)


def checks_for(wire: type[Wire]) -> tuple[GamesCheck, ...]:
    """The checks of players that speak this wire, but for the first."""
    return tuple(check for check in GAMES_CHECKS if check.wire in (None, wire))


def overall(wire: type[Wire]) -> tuple[str, ...]:
    """The checks that look at all games of such a player together, the rules for entrants among
    them."""
    rulebook = RULEBOOKS.get(wire.name)
    return (*_OVERALL, *(rulebook.claims if rulebook else ()))


def claims_for(wire: type[Wire]) -> tuple[str, ...]:
    return (FIRST.claim, SAMENESS, *(check.claim for check in checks_for(wire)), *overall(wire))


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
    times = [shot.ms for shot in record.shots if shot.shot.seat == seat]
    reply = Reply(
        question=question,
        answer=None if fleet is None else Placed(fleet),
        fault=_fault(record, seat),
        run=evidence,
        folder=str(bot.folder),
        variables=told_beside(bot, rules, question),
        answer_ms=max([record.seats[seat].ms or 0.0, *times]),
        wire=wire.name,
        workplace=wire.workplace,
        connects=wire.transport is Transport.SOCKET,
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
        pool: ThreadPoolExecutor,
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
            check: check.settings(bot, seed) for check in selection.of((FIRST, *self._checks))
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
        if rulebook := RULEBOOKS.get(self._wire.name):
            yield from rulebook.findings(self._bot, self.replies, self._run.conditions.limits)
        tried = {check.claim for check in self._checks}
        others = (FORGETFUL, *(check.claim for check in CHECKS if check.claim not in tried))
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
                    told = "not tried: the bot is a command line, not files that can be moved"
                    yield Finding(check.claim, None, told)
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
        played = awaited(future)
        self.replies.append(played.reply)
        self._played.append(played)
        self._told(claim, len(self.replies), self._expected)
        return played

    def _sameness(self) -> Finding:
        """A player may have luck of its own, but then none of its games can be played again."""
        setting = GameSetting(0, misses, _seed(Random(f"{self._seed}:{SAMENESS}")))
        futures = [self._pool.submit(play, self._run, self._bot, setting) for _ in range(2)]
        games = [game for future in futures if (game := self._took(future, SAMENESS))]
        moves = {(game.reply.answer, *(one.shot for one in game.record.shots)) for game in games}
        unlike = [games[0].reply.question] if len(moves) > 1 else []
        return conformance.sameness([game.reply for game in games], unlike)

    def _parting(self) -> Finding:
        """What it answers to the last question, which costs it nothing, and whether it then
        ends."""
        ended = [game.reply for game in self._played if not game.reply.fault]
        if not ended:
            return Finding(PARTING, None, "not tried: no game was played out")
        has_last_word = self._wire is Broadsides
        odd = [one for one in ended if one.run.exchanges[-1].received.strip() != LAST_WORD]
        if odd and has_last_word:
            got = " ".join(odd[0].run.exchanges[-1].received.split())[:60] or "nothing"
            told = f"{len(odd)} of {len(ended)} last words were not {LAST_WORD} but {got}"
            return Finding(PARTING, True, told, warning=True, asked=len(ended))
        held = [one for one in ended if one.run.signal == "SIGKILL"]
        if held:
            closed = "stdin" if self._wire.transport is Transport.PIPES else "the connection"
            told = f"{len(held)} of {len(ended)} times it had to be ended; exit when {closed} is closed"
            return Finding(PARTING, True, told, warning=True, asked=len(ended))
        told = f"with {LAST_WORD}, and exits" if has_last_word else "and exits"
        return Finding(PARTING, True, told, asked=len(ended))

    def _waste(self) -> Finding:
        """A repeat is legal, and a shot less, unless there is no fresh cell."""
        own = wasted = 0
        for game in self._played:
            cells = game.record.rules.columns * game.record.rules.rows
            seen: set[Cell] = set()
            for shot in (one.shot for one in game.record.shots if one.shot.seat == game.seat):
                own += 1
                wasted += shot.cell in seen and len(seen) < cells
                seen.add(shot.cell)
        if not own:
            return Finding(WASTE, None, "not tried: it has fired none")
        told = f"{wasted} of {own} shots were at cells that it had shot at before"
        return Finding(WASTE, True, told if wasted else f"{own} shots", warning=bool(wasted))
