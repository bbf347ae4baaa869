"""Examines a bot: puts the questions of all checks to it, several at once, and collects findings.

`judge.check.checks` has the questions, and `judge.check.conformance` says what the replies mean.
Each question or game has a new process, in every protocol. Questions that test the bot's memory are
put one after another, while no other question runs. If the user chose some checks, only the
questions that these need are put.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from random import Random

from msgspec import structs

from judge.check import conformance, side_effects
from judge.check.checks import LIVING, Check, GameSetting, Put, Subject, checks_of, not_for_players
from judge.check.conformance import FORGETFUL, PARTING, SAMENESS, WASTE, Finding
from judge.check.games import play
from judge.check.opponents import misses
from judge.check.relocated import elsewhere, unmoved
from judge.contest.futures import RetryingPool
from judge.contest.seeds import SEED_LIMIT
from judge.documents.rules import Rules
from judge.errors import BadOutput, BotError, Crashed, TimedOut
from judge.game import positions
from judge.play.asking import Question, Reply, ask
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.play.spoken import spoken
from judge.process.bots.bot import Bot

TellProgress = Callable[[str, int, int], None]
"""Called for each reported reply with its claim, its number from 1, and the number expected."""

AGAIN = 12  # equal replies that rule out luck
MOST_LATE = 3  # late replies in a dialect, after which nothing more is asked in it
AGAIN_SECONDS = 0.1  # seconds between equal questions: luck may come from the clock


def claims(bot: Bot, rules: Rules, dialect: str | None = None) -> tuple[str, ...]:
    """The claims that are checked for a bot under these rules, in order. ``dialect`` is for a bot
    that does not name a dialect itself."""
    return checks_of(*spoken(bot, rules, dialect)).claims


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The findings of a bot's checks, and the bot's replies. ``only`` holds the claims that the
    user chose; it is empty if the user chose none."""

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
    tell_progress: TellProgress = lambda *_: None,
) -> CheckReport:
    """Try every check on a bot, with at most ``jobs`` questions at once. ``only`` limits the checks
    to some of the `claims`.

    A question that fails with `MachineBusy` is put again while no other runs. All of the bot's
    processes are dead at the end, also after an error. Raises `JudgeFault` if the judge or the
    machine cannot put a question or play a game, `UsageError` if the bot's files are not a bot any
    more, and `Interrupted` once the user stops the run.
    """
    with run:
        pool = ThreadPoolExecutor(jobs, thread_name_prefix="check")
        try:
            pooled = RetryingPool(pool)
            examination = _Examination(
                bot, run, seed=seed, pool=pooled, tell_progress=tell_progress, only=only
            )
            findings = tuple(
                finding for finding in examination.findings() if not only or finding.claim in only
            )
            replies = tuple(examination.replies)
            return CheckReport(bot, run.conditions, seed, findings, replies, tuple(only))
        finally:
            run.interrupt()
            pool.shutdown(cancel_futures=True)


class _TooSlowError(Exception):
    """The bot has been late too often to be asked more."""


class _Examination:
    def __init__(
        self,
        bot: Bot,
        run: Run,
        *,
        seed: int,
        pool: RetryingPool,
        tell_progress: TellProgress,
        only: Collection[str],
    ) -> None:
        rules = run.conditions.rules
        self.replies: list[Reply] = []
        self._late: Counter[str] = Counter()  # late replies by dialect; the bot's own is ""
        self._bot = bot
        self._run = run
        self._conditions = run.conditions
        self._seed = seed
        self._pool = pool
        self._tell_progress = tell_progress
        self._only = frozenset(only)
        self._wire, dialect = spoken(bot, rules, run.conditions.dialect)
        self._checks = checks_of(self._wire, dialect)
        # A check of all replies needs the questions of all checks.
        overall = {*self._checks.overall, *self._checks.at_the_end}
        overall -= set() if self._wire.keeps_state else {PARTING}
        self._is_everything = not self._only or not self._only.isdisjoint(overall)
        subject = Subject(self._wire, bot.name, rules)
        self._puts = {
            check: check.asked(subject, seed)
            for check in self._chosen((*self._checks.first, *self._checks.others))
        }
        self._others = {check.dialect for check in self._puts if check.dialect}
        self._expected = sum(map(len, self._puts.values()))
        self._alike: Sequence[Put] = ()
        if self._asks(*self._checks.again):
            self._alike = self._twice() if self._wire.keeps_state else _alike(rules, seed)
            times = 2 if self._wire.keeps_state else 3
            self._expected += times * len(self._alike)

    def _asks(self, *claims: str) -> bool:
        """Whether the questions of any of these claims are put."""
        return self._is_everything or not self._only.isdisjoint(claims)

    def _chosen(self, checks: Iterable[Check]) -> tuple[Check, ...]:
        """Those of the ``checks`` whose questions are put to the bot."""
        at_the_end = {LIVING: PARTING}  # PARTING looks at the games of LIVING
        return tuple(
            check for check in checks if self._asks(check.claim, at_the_end.get(check.claim, ""))
        )

    def findings(self) -> Iterator[Finding]:
        checks, keeps_state = self._checks, self._wire.keeps_state
        # If the isolation lets a bot write nothing, a new file is not the bot's.
        may_write = not (keeps_state or self._conditions.isolation.walls_off)
        files = side_effects.of_files(self._bot) if may_write else None
        yield from self._checked(self._chosen(checks.first))
        hopeless = BotError if keeps_state else _UNREADABLE
        if self._is_everything and all(isinstance(reply.fault, hopeless) for reply in self.replies):
            what = "place a fleet" if keeps_state else "reply"
            others = (check.claim for check in checks.others)
            for claim in (*checks.again, *others, *checks.at_the_end):
                yield Finding(claim, None, f"not tried: it does not {what} yet")
        else:
            try:
                if self._alike:
                    again = self._sameness() if keeps_state else self._remembering(files)
                    yield from again
            except _TooSlowError:
                for claim in checks.again:
                    yield Finding(claim, None, _TOO_SLOW)
            yield from self._checked(self._chosen(checks.others))
            played = [reply for reply in self.replies if reply.record]
            if PARTING in checks.at_the_end:
                yield conformance.parting(played)
            if WASTE in checks.at_the_end:
                yield conformance.waste(played)
        if not self._is_everything:
            return
        replies = [reply for reply in self.replies if reply.question.dialect not in self._others]
        yield conformance.held(replies, self._conditions.isolation, checks.overall[0])
        yield conformance.in_time(replies, self._conditions.limits)
        yield conformance.in_memory(replies, self._conditions.limits)
        yield conformance.quiet(replies)
        if conformance.FORKED in checks.overall:
            yield conformance.forked(self._run, self._bot)
        if keeps_state:
            yield not_for_players(checks)

    def _checked(self, checks: Sequence[Check]) -> Iterator[Finding]:
        with contextlib.ExitStack() as stack:
            # The bot is copied while it does not run: a bot that writes into its folder would
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
                        self._pool.submit(_put, self._run, bot, put) for put in self._puts[check]
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
                if check.elsewhere and finding.failed and not self._wire.keeps_state:
                    finding = self._compared(finding)
                yield finding

    def _compared(self, finding: Finding) -> Finding:
        """The finding on the bot's copy, after the failed questions were put to the bot itself."""
        try:
            at_home = [self._alone(reply.question) for reply in finding.failed]
        except _TooSlowError:
            return finding
        return conformance.at_home_too(finding, at_home)

    def _awaited(self, asked: Sequence[Future[Reply]], check: Check) -> list[Reply]:
        """The replies to a check's questions. Once `MOST_LATE` replies in the check's dialect were
        late, the remaining questions are dropped."""
        replies = []
        for future in asked:
            if self._late[check.dialect] >= MOST_LATE:
                future.cancel()
            else:
                replies.append(self._took(self._pool.result(future), check.claim))
        return replies

    def _took(self, reply: Reply, claim: str) -> Reply:
        self.replies.append(reply)
        dialect = reply.question.dialect if reply.question.dialect in self._others else ""
        self._late[dialect] += isinstance(reply.fault, TimedOut)
        self._tell_progress(claim, len(self.replies), self._expected)
        return reply

    # Questions that are put again

    def _twice(self) -> Sequence[Put]:
        luck = Random(f"{self._seed}:{SAMENESS}")
        return [GameSetting(0, misses, luck.randrange(SEED_LIMIT))]

    def _sameness(self) -> Iterator[Finding]:
        """Play one game twice, and yield the finding on whether the bot made the same moves."""
        (setting,) = self._alike
        # The games are not played at once: one process of the bot could tell the other its moves.
        games = [self._alone(setting, SAMENESS) for _ in range(2)]
        moves = {
            (game.answer, *(structs.replace(shot, ms=0) for shot in game.record.shots))
            for game in games
            if game.record
        }
        yield conformance.sameness(games, [games[0].question] if len(moves) > 1 else [])

    def _remembering(self, files: str | None) -> Iterator[Finding]:
        """Put each question twice in a row and once more later. Yield the findings on sameness and
        memory."""
        questions, before = self._alike, len(self.replies)
        twice = [(self._alone(question), self._alone(question)) for question in questions]
        later = [self._alone(question) for question in questions]

        unlike, swayed = [], None
        for question, (one, other), third in zip(questions, twice, later, strict=True):
            if _same(one, other) and _same(other, third):
                continue
            if _same(one, other) and self._is_steady(question):
                swayed = third  # the question has one reply, so an earlier question changed it
            else:
                unlike.append(one.question)
        left = None if files is None else self._left_behind(questions, files)
        replies = self.replies[before:]
        yield conformance.sameness(replies, unlike)
        yield conformance.forgetful(replies, swayed, left)

    def _alone(self, put: Put, claim: str = FORGETFUL) -> Reply:
        """Put one question or game while no other runs. Raises `_TooSlowError` if the bot already
        had `MOST_LATE` late replies in its own dialect."""
        return self._took(self._untold(put), claim)

    def _untold(self, put: Put) -> Reply:
        """Put one question as `_alone` does, but leave its reply out of the report."""
        if self._late[""] >= MOST_LATE:
            raise _TooSlowError
        return self._pool.result(self._pool.submit(_put, self._run, self._bot, put))

    def _is_steady(self, question: Put) -> bool:
        """Whether the bot gives `AGAIN` equal replies to a question, which rules out luck."""
        first = self._alone(question)
        for _ in range(AGAIN - 1):
            self._run.stop.wait(AGAIN_SECONDS)
            if not _same(first, self._alone(question)):
                return False
        return True

    def _left_behind(self, questions: Sequence[Put], files: str) -> Sequence[str]:
        def move() -> float:
            return sum(self._untold(question).run.wall_ms for question in questions) / 1000

        pauses = Random(f"{self._seed}:pauses")
        left = side_effects.left_by(move, side_effects.places(self._bot), pauses, self._run.stop)
        changed = side_effects.of_files(self._bot) != files
        return (f"its own files, in {self._bot.folder}", *left) if changed else left


def _alike(rules: Rules, seed: int) -> Sequence[Question]:
    """The questions that are put several times, to find out whether the bot always gives the same
    reply: for a fleet, a first move and a move in mid-game. All of them have one BOT_SEED, the
    number from which a bot is to draw its luck."""
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


def _put(run: Run, bot: Bot, put: Put) -> Reply:
    return play(run, bot, put) if isinstance(put, GameSetting) else ask(run, bot, put)
