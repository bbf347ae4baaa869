"""Examines a bot: puts the questions of every check to it, several at once, and collects findings.

Which questions those are is said in `judge.check.questions`, and what the replies mean in
`judge.check.conformance`. Each question is put to a new process, whatever the protocol; a bot that
lives for a game plays some games as well. A player whose protocol keeps state plays whole games
and nothing else: see `judge.check.games`. Only what a bot may remember is tried one question after
another, while nothing else runs. Of a few checks that are chosen, only their questions are put.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from random import Random

from judge.check import conformance, game_checks, side_effects
from judge.check.conformance import Finding
from judge.check.game_checks import GameSetting
from judge.check.games import GamesExamination, play
from judge.check.opponents import at_random
from judge.check.questions import FIRST, SEATS, Check, checks_of
from judge.check.relocated import elsewhere, unmoved
from judge.check.selection import Selection
from judge.contest.futures import RetryingPool
from judge.contest.seeds import SEED_LIMIT
from judge.documents.rules import Rules
from judge.errors import BadOutput, Crashed, TimedOut
from judge.game import positions
from judge.play.asking import Question, Reply, ask
from judge.play.conditions import Conditions
from judge.play.run import Run, spoken
from judge.process.bots.bot import Bot
from judge.wire.interface import Transport, Wire

Told = Callable[[str, int, int], None]
"""Called for each reply: with the claim that it belongs to, its number from 1, and how many replies
there will be."""

LIVING = "plays whole games in one process"
AGAIN = 12  # times that a reply has to be the same, to say that it is no luck
MOST_LATE = 3  # replies, after which a bot is too slow to be asked on
AGAIN_SECONDS = 0.1  # between them: luck may come from the clock


_OVERALL = (conformance.HELD, conformance.IN_TIME, conformance.IN_MEMORY, conformance.QUIET)


def claims(bot: Bot, rules: Rules, dialect: str | None = None) -> tuple[str, ...]:
    """The names of the checks that are for such a bot by these rules, in their order; ``dialect`` is
    that of bots which have none of their own."""
    wire, dialect = spoken(bot, rules, dialect)
    if wire.keeps_state:
        return game_checks.claims_for(wire)
    living = (LIVING, conformance.PARTING) if wire.transport is Transport.PIPES else ()
    before = (*(check.claim for check in FIRST), conformance.SAMENESS, conformance.FORGETFUL)
    checks = (check.claim for check in checks_of(wire, dialect))
    return (*before, *checks, *living, *_OVERALL)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """One finding for each check of a bot, and every reply. ``only`` holds the checks that the user
    chose; it is empty where all are tried."""

    bot: Bot
    conditions: Conditions
    seed: int
    findings: tuple[Finding, ...]
    replies: tuple[Reply, ...]
    only: tuple[str, ...] = ()

    @property
    def conforms(self) -> bool:
        return all(finding.passed is not False for finding in self.findings)


def examine(
    bot: Bot,
    run: Run,
    *,
    seed: int,
    jobs: int,
    only: Collection[str] = (),
    told: Told = lambda *_: None,
) -> CheckReport:
    """Try every check on a bot, ``jobs`` questions at once; or ``only`` those of the `claims`.

    A question that fails by `MachineBusy` is put again while no other is. At the end, however it
    comes, every run of the bot is dead. Raises `JudgeFault` and `Interrupted`.
    """
    with run:
        pool = ThreadPoolExecutor(jobs, thread_name_prefix="check")
        try:
            wire, dialect = spoken(bot, run.conditions.rules, run.conditions.dialect)
            selection = Selection(only, game_checks.OVERALL if wire.keeps_state else _OVERALL)
            asking = RetryingPool(pool)
            examination: GamesExamination | _Examination
            if wire.keeps_state:
                examination = GamesExamination(
                    bot, run, seed=seed, pool=asking, told=told, selection=selection
                )
            else:
                examination = _Examination(
                    bot,
                    run,
                    wire,
                    dialect,
                    seed=seed,
                    pool=asking,
                    told=told,
                    selection=selection,
                )
            findings = tuple(selection.wanted(examination.findings()))
            replies = tuple(examination.replies)
            return CheckReport(bot, run.conditions, seed, findings, replies, tuple(only))
        finally:
            run.interrupt()
            pool.shutdown(cancel_futures=True)


class _TooSlowError(Exception):
    """No more is asked."""


class _Examination:
    def __init__(
        self,
        bot: Bot,
        run: Run,
        wire: type[Wire],
        dialect: str,
        *,
        seed: int,
        pool: RetryingPool,
        told: Told,
        selection: Selection,
    ) -> None:
        self.replies: list[Reply] = []
        self._late: Counter[str] = Counter()  # replies, by the dialect
        self._bot = bot
        self._run = run
        self._conditions = run.conditions
        self._seed = seed
        self._pool = pool
        self._told = told
        self._selection = selection
        rules = run.conditions.rules
        self._wire = wire
        self._dialect = dialect
        self._checks = checks_of(wire, dialect)
        self._questions = {
            check: self._askable(check.asked(rules, seed))
            for check in selection.of((*FIRST, *self._checks))
        }
        luck = Random(f"{seed}:{LIVING}")
        lives = wire.transport is Transport.PIPES and selection.asks(LIVING, conformance.PARTING)
        self._games = [
            GameSetting(seat, at_random, luck.randrange(SEED_LIMIT)) for seat in SEATS if lives
        ]
        is_asked_again = selection.asks(conformance.SAMENESS, conformance.FORGETFUL)
        self._alike = _alike(rules, seed) if is_asked_again else ()
        expected = len(self._alike) * (3 + side_effects.ROUNDS) + len(self._games)
        self._expected = expected + sum(map(len, self._questions.values()))

    def findings(self) -> Iterator[Finding]:
        # Where a bot cannot write, whatever is written is others' doing.
        may_write = not self._conditions.isolation.walls_off
        files = side_effects.of_files(self._bot) if may_write else None
        yield from self._checked(self._selection.of(FIRST))
        replies_at_all = not all(isinstance(one.fault, _UNREADABLE) for one in self.replies)
        if self._selection.is_everything and not replies_at_all:
            checks = (one.claim for one in self._checks)
            others = [conformance.SAMENESS, conformance.FORGETFUL, *checks]
            for claim in others + [LIVING, conformance.PARTING] * bool(self._games):
                yield Finding(claim, None, "not tried: it does not reply yet")
        else:
            try:
                if self._alike:
                    yield from self._remembering(files)
            except _TooSlowError:
                for claim in (conformance.SAMENESS, conformance.FORGETFUL):
                    yield Finding(claim, None, _TOO_SLOW)
            yield from self._checked(self._selection.of(self._checks))
            if self._games:
                yield from self._living()
        if not self._selection.is_everything:
            return
        replies = [one for one in self.replies if one.question.dialect == self._dialect]
        yield conformance.held(replies, self._conditions.isolation)
        yield conformance.in_time(replies, self._conditions.limits)
        yield conformance.in_memory(replies, self._conditions.limits)
        yield conformance.quiet(replies)

    def _checked(self, checks: Sequence[Check]) -> Iterator[Finding]:
        with contextlib.ExitStack() as stack:
            # The bot is copied while none of it runs: one that writes into its folder would
            # change while it is read.
            copies = {
                check: stack.enter_context(elsewhere(self._bot))
                for check in checks
                if check.elsewhere
            }
            asked = {}
            for check in checks:
                bot = copies.get(check, self._bot)
                if bot is not None:
                    asked[check] = [
                        self._pool.submit(self._ask, question, bot)
                        for question in self._questions[check]
                    ]
            for check in checks:
                if check not in asked:
                    yield Finding(check.claim, None, unmoved(self._bot))
                    continue
                replies = self._awaited(asked[check], check)
                if asked[check] and not replies:
                    yield Finding(check.claim, None, _TOO_SLOW)
                    continue
                finding = check.verdict(check.claim, replies)
                if check.elsewhere and finding.failed:
                    finding = self._compared(finding)
                yield finding

    def _askable(self, questions: Sequence[Question]) -> tuple[Question, ...]:
        """Those that the wire can express, of games of so many seats."""
        return tuple(
            one
            for one in questions
            if one.position
            and not self._wire.unsupported(one.position.game.rules, one.position.game.players)
        )

    def _living(self) -> Iterator[Finding]:
        futures = [self._pool.submit(play, self._run, self._bot, one) for one in self._games]
        replies = []
        for future in futures:
            if self._is_too_slow():
                future.cancel()
            else:
                replies.append(self._took(self._pool.result(future).reply, LIVING))
        too_slow = Finding(LIVING, None, _TOO_SLOW)
        yield conformance.obeyed(LIVING, replies) if replies else too_slow
        yield conformance.parting(replies, "stdin")

    def _compared(self, finding: Finding) -> Finding:
        """What failed elsewhere, with what comes of it at home."""
        try:
            at_home = [self._alone(reply.question) for reply in finding.failed]
        except _TooSlowError:
            return finding
        return conformance.at_home_too(finding, at_home)

    def _awaited(self, asked: Sequence[Future[Reply]], check: Check) -> list[Reply]:
        """The replies, up to the one by which the bot is too slow."""
        replies = []
        for future in asked:
            if self._is_too_slow(check.dialect):
                future.cancel()
            else:
                replies.append(self._took(self._pool.result(future), check.claim))
        return replies

    def _is_too_slow(self, dialect: str = "") -> bool:
        """Whether it is, in a dialect that it need not speak or else in its own."""
        return self._late[dialect or self._dialect] >= MOST_LATE

    def _ask(self, question: Question, bot: Bot) -> Reply:
        return ask(self._run, bot, question)

    def _took(self, reply: Reply, claim: str) -> Reply:
        self.replies.append(reply)
        self._late[reply.question.dialect] += isinstance(reply.fault, TimedOut)
        self._told(claim, len(self.replies), self._expected)
        return reply

    # What a bot may remember

    def _remembering(self, files: str | None) -> Iterator[Finding]:
        """Ask the same questions one upon the other, and then in another order."""
        questions, before = self._alike, len(self.replies)
        twice = [(self._alone(one), self._alone(one)) for one in questions]
        later = [self._alone(one) for one in questions]

        unlike, swayed = [], None
        for question, (one, other), third in zip(questions, twice, later, strict=True):
            if _same(one, other) and _same(other, third):
                continue
            if _same(one, other) and self._is_steady(question):
                swayed = third  # no luck, so it is what went before
            else:
                unlike.append(question)
        left = None if files is None else self._left_behind(questions, files)
        replies = self.replies[before:]
        yield conformance.sameness(replies, unlike)
        yield conformance.forgetful(replies, swayed, left)

    def _alone(self, question: Question) -> Reply:
        """Ask while nothing else runs; raises `_TooSlowError` if that is no use."""
        return self._took(self._untold(question), conformance.FORGETFUL)

    def _untold(self, question: Question) -> Reply:
        """The same, for what is asked as often as it takes: in no report."""
        if self._is_too_slow():
            raise _TooSlowError
        return self._pool.result(self._pool.submit(self._ask, question, self._bot))

    def _is_steady(self, question: Question) -> bool:
        """Whether it gets one reply, again and again; luck of whatever kind would show."""
        first = self._alone(question)
        for _ in range(AGAIN - 1):
            self._run.stop.wait(AGAIN_SECONDS)
            if not _same(first, self._alone(question)):
                return False
        return True

    def _left_behind(self, questions: Sequence[Question], files: str) -> Sequence[str]:
        def move() -> float:
            return sum(self._untold(question).run.wall_ms for question in questions) / 1000

        pauses = Random(f"{self._seed}:pauses")
        left = side_effects.left_by(move, side_effects.places(self._bot), pauses, self._run.stop)
        changed = side_effects.of_files(self._bot) != files
        return (f"its own files, in {self._bot.folder}", *left) if changed else left


def _alike(rules: Rules, seed: int) -> Sequence[Question]:
    """A fleet, a first move and one in the middle of a game, all with one BOT_SEED."""
    luck = Random(f"{seed}:alike")
    rules = rules.drawn(luck)
    reached = (
        positions.placing(rules),
        positions.opening(rules, luck, 0),
        positions.middle(rules, luck, 1, 0.5),
    )
    own = luck.randrange(SEED_LIMIT)
    return [Question(position, own) for position in reached if position]


_TOO_SLOW = "not tried: it is too slow"
_UNREADABLE = (BadOutput, Crashed, TimedOut)


def _same(one: Reply, other: Reply) -> bool:
    return (one.answer, type(one.fault)) == (other.answer, type(other.fault))
