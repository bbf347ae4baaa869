"""Makes the finding of each check: whether a bot's replies bear out a claim about the bot.

Nothing is run here. `judge.check.checks` has the questions. `judge.check.examination` puts the
questions and hands the replies to this module.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from judge.documents.game import Evidence, Limits
from judge.documents.rules import Cell
from judge.errors import TimedOut
from judge.play.asking import Question, Reply
from judge.play.proof import ENOUGH
from judge.play.run import Run
from judge.process.bots.bot import Bot
from judge.process.bots.forkable import is_forkable
from judge.process.sandbox.isolation import Isolation
from judge.wire.hints import READ_ONLY, wants_network
from judge.wire.interface import Transport
from judge.wire.messages import Placed

NEAR = 0.5  # the share of a limit above which a check warns
LOCALES = ("C", "POSIX", "de_DE.UTF-8", "tr_TR.UTF-8")


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check. ``passed`` is None if the check was not tried or does not apply.

    ``warning`` marks a weakness that costs no game. ``asked`` is the number of replies if the
    finding counts them, and ``failed`` are those against the claim. ``mend`` says what to do.
    """

    claim: str
    passed: bool | None
    detail: str
    warning: bool = False
    asked: int = 0
    failed: tuple[Reply, ...] = ()
    mend: str = ""

    @property
    def worst(self) -> Reply | None:
        """The first wrong reply, or None. `obeyed` puts the reply to the shortest question
        first."""
        return self.failed[0] if self.failed else None


Verdict = Callable[[str, Sequence[Reply]], Finding]


def obeyed(claim: str, replies: Sequence[Reply]) -> Finding:
    """The finding on a claim that holds if no reply is wrong; not tried if there is no reply."""
    # The shortest question shows a fault best.
    wrong = sorted((reply for reply in replies if reply.fault), key=_length)
    failed = tuple(wrong)
    if not replies:
        return Finding(claim, None, "these rules bring no such position")
    if failed:
        of = f"{len(failed)} of {_replies(len(replies))} wrong"
        return Finding(claim, False, of, asked=len(replies), failed=failed)
    return Finding(claim, True, _replies(len(replies)), asked=len(replies))


PARTING = "takes its leave"


def parting(replies: Sequence[Reply]) -> Finding:
    """The finding on whether a bot sends the last word that its wire wants, and exits after its
    game. A bot that does not gets a warning. Games that the bot lost by a fault do not count."""
    ended = [reply for reply in replies if not reply.fault]
    if not ended:
        return Finding(PARTING, None, "not tried: no game was played out")
    due, count = ended[0].wire.last_word, len(ended)
    odd = [reply for reply in ended if due and reply.run.exchanges[-1].received.strip() != due]
    held = [reply for reply in ended if reply.run.signal == "SIGKILL"]
    if odd:
        got = " ".join(odd[0].run.exchanges[-1].received.split())[:60] or "nothing"
        told = f"{len(odd)} of {count} last words were not {due} but {got}"
    elif held:
        is_piped = ended[0].wire.transport is Transport.PIPES
        closed = "stdin" if is_piped else "the connection"
        told = f"{len(held)} of {count} times it had to be ended; exit when {closed} is closed"
    else:
        told = f"with {due}, and exits" if due else "and exits"
    return Finding(PARTING, True, told, warning=bool(odd or held), asked=count)


def waste(replies: Sequence[Reply]) -> Finding:
    """The finding on shots at cells that the bot had shot at before. Wasted shots are a warning,
    unless no fresh cell was left."""
    own = wasted = 0
    for reply in replies:
        assert reply.record is not None, "it is of a game"
        cells = reply.record.rules.columns * reply.record.rules.rows
        seen: set[Cell] = set()
        for shot in (shot for shot in reply.record.shots if shot.seat == reply.seat):
            own += 1
            wasted += shot.cell in seen and len(seen) < cells
            seen.add(shot.cell)
    if not own:
        return Finding(WASTE, None, "not tried: it has fired none")
    told = f"{wasted} of {own} shots were at cells that it had shot at before"
    return Finding(WASTE, True, told if wasted else f"{own} shots", warning=bool(wasted))


def left(claim: str, replies: Sequence[Reply]) -> Finding:
    """The finding on matches that end in mid-game. A bot gets a warning if it does not exit by
    itself after its match, if a signal ends it, or if its exit status is not 0."""
    finding = obeyed(claim, replies)
    if finding.passed is not True:
        return finding
    ways = [way for reply in replies if (way := _way_of_ending(reply.run))]
    told = f"{len(ways)} of {len(replies)} times it {ways[0]}" if ways else "and exits"
    return replace(finding, detail=told, warning=bool(ways))


def _way_of_ending(run: Evidence) -> str:
    """The fault in how a program ended after its match; empty if it exited with status 0."""
    if run.signal == "SIGKILL":
        return "had to be ended; exit when the match is over"
    if run.signal or run.exit:
        how = run.signal or f"status {run.exit}"
        return f"crashed ({how}); exit with status 0 when the match is over"
    return ""


def not_its_own(claim: str, replies: Sequence[Reply]) -> Finding:
    """The finding on a dialect that a bot does not say it speaks. Wrong replies are a warning."""
    finding = obeyed(claim, replies)
    if finding.passed is not False:
        return finding
    told = f"{finding.detail}; it does not say that it speaks it, so this is not a failure"
    return replace(finding, passed=True, warning=True, detail=told)


def fleets_obeyed(claim: str, replies: Sequence[Reply]) -> Finding:
    """The finding of `obeyed` on a bot's fleets. If all are legal, its detail says how many of them
    differ. Fleets that are all the same are a warning, since opponents can learn the fleet."""
    if not replies:
        return Finding(claim, None, "by these rules the judge places the fleets")
    finding = obeyed(claim, replies)
    if not finding.passed:
        return finding
    # The same ships in another order are the same fleet.
    fleets = {
        frozenset(reply.answer.fleet) for reply in replies if isinstance(reply.answer, Placed)
    }
    if len(fleets) == 1:
        told = "always the same one: an opponent that has met it knows where to shoot"
        return replace(finding, detail=told, warning=True)
    how = "all different" if len(fleets) == len(replies) else f"{len(fleets)} different"
    return replace(finding, detail=f"{len(replies)} fleets, {how}")


def at_home_too(finding: Finding, at_home: Sequence[Reply]) -> Finding:
    """The finding on a copy of the bot in another folder. The finding gets a mend if ``at_home``,
    the bot's replies in its own folder to the failed questions, have no fault."""
    if any(reply.fault for reply in at_home):
        return finding
    mend = (
        'take nothing from outside of the bot\'s own files, and quote paths in scripts ("$0"): '
        "they may hold spaces; a bot that is more than one file is given as its folder"
    )
    return replace(finding, mend=mend)


# Checks of all replies, or of replies to equal questions

SAMENESS = "gives the same reply to the same question"
FORGETFUL = "remembers nothing"
HELD = "needs no network, and writes nothing"
HELD_IN_GAMES = "needs no network, and writes where it may"
WASTE = "wastes no shots"
IN_TIME = "has time to spare"
IN_MEMORY = "has memory to spare"
QUIET = "is quiet on stderr"
FORKED = "can be forked"


def in_time(replies: Sequence[Reply], limits: Limits) -> Finding:
    claim = IN_TIME
    worst = max(replies, key=lambda reply: reply.answer_ms)
    late = tuple(reply for reply in replies if isinstance(reply.fault, TimedOut))
    share = worst.answer_ms / limits.timeout_ms
    detail = f"at most {worst.answer_ms:.1f} ms of {limits.timeout_ms / 1000:g} s"
    if late:
        return Finding(claim, False, detail, asked=len(replies), failed=late)
    return Finding(claim, True, detail, warning=share > NEAR, asked=len(replies))


def in_memory(replies: Sequence[Reply], limits: Limits) -> Finding:
    claim = IN_MEMORY
    known = [(reply.run.peak_kib, reply) for reply in replies if reply.run.peak_kib is not None]
    allowed = limits.memory_bytes / 2**20
    if not known:
        less = f"too little to tell, of {allowed:g} MiB"
        return Finding(claim, True, less, asked=len(replies))
    most = max(peak for peak, _ in known) / 2**10
    detail = f"at most {most:.1f} of {allowed:g} MiB"
    over = tuple(reply for peak, reply in known if peak * 1024 > limits.memory_bytes)
    if over:
        mend = "use less memory: load less, or leave out libraries"
        return Finding(claim, False, detail, asked=len(replies), failed=over, mend=mend)
    return Finding(claim, True, detail, warning=most / allowed > NEAR, asked=len(replies))


def quiet(replies: Sequence[Reply]) -> Finding:
    """The finding on output to stderr, which is a warning. Runs that failed, or that had one of the
    `LOCALES`, do not count."""
    claim = QUIET
    # A program may well complain about a locale that this machine does not have.
    usual = [reply for reply in replies if not reply.fault and reply.question.lang not in LOCALES]
    if not usual:
        return Finding(claim, None, "not tried: no run of it succeeded")
    loud = [reply for reply in usual if reply.run.stderr]
    if not loud:
        return Finding(claim, True, "not a word", asked=len(usual))
    line = next(iter(loud[0].run.stderr.strip().splitlines()), "white space")
    said = f"{len(loud)} of {len(usual)} runs wrote to it, which costs nothing: {line[:200]}"
    return Finding(claim, True, said, warning=True, asked=len(usual))


def forked(run: Run, bot: Bot) -> Finding:
    """The finding on whether moves of a Python bot can be forked, which is faster. If they cannot,
    this is a warning. Other bots are not tried."""
    if why := run.why_not_forked(bot):
        if not is_forkable(bot):
            return Finding(FORKED, None, f"forks are for Python programs, and it {why}")
        return Finding(FORKED, True, why, warning=True)
    if run.conditions.launch == "exec":
        return Finding(FORKED, None, "not tried: --launch exec")
    if run.launch_of(bot) == "exec":
        few = f"fewer than {ENOUGH} of its replies could be compared with a fork's"
        return Finding(FORKED, None, f"not tried: {few}")
    return Finding(FORKED, True, "many games take a fraction of the time")


def held(replies: Sequence[Reply], isolation: Isolation, claim: str = HELD) -> Finding:
    """The finding on whether a bot needs the network or writes where it may not. Not tried unless
    the isolation refuses both; then a run that succeeds needs neither. A failed run counts if its
    stderr names the network or a write as the cause."""
    place = (
        "in its working folder"
        if claim == HELD_IN_GAMES
        else "in $TMPDIR, which ends with the process"
    )
    if not isolation.walls_off:
        return Finding(
            claim, None, f"not tried: isolation {isolation.name} does not keep it from either"
        )
    refused = tuple(
        reply
        for reply in replies
        if reply.fault
        and (wants_network(reply.run.stderr) or any(said in reply.run.stderr for said in READ_ONLY))
    )
    if refused:
        asked_out = any(wants_network(reply.run.stderr) for reply in refused)
        wrote = any(said in reply.run.stderr for reply in refused for said in READ_ONLY)
        causes = ["asked for the network"] * asked_out + ["wrote elsewhere"] * wrote
        mends = ["ask no server"] * asked_out + [f"write no file but {place}"] * wrote
        mend = " and ".join(mends)
        detail = f"{len(refused)} runs failed that {' or '.join(causes)}"
        return Finding(claim, False, detail, asked=len(replies), failed=refused, mend=mend)
    if all(reply.fault for reply in replies):
        return Finding(claim, None, "not tried: no run of it succeeded")
    return Finding(claim, True, "both are refused, and no run failed by that", asked=len(replies))


def sameness(replies: Sequence[Reply], unlike: Sequence[Question]) -> Finding:
    """The finding on whether equal questions got equal replies. ``unlike`` are the questions that
    got different ones; if there are any, the finding is a warning."""
    if not unlike:
        return Finding(SAMENESS, True, "all its luck is its BOT_SEED", asked=len(replies))
    told = "it is random: BOT_SEED does not decide all, so its games cannot be played again"
    return Finding(SAMENESS, True, told, warning=True, asked=len(replies))


def forgetful(
    replies: Sequence[Reply], swayed: Reply | None, traces: Sequence[str] | None
) -> Finding:
    """The finding on whether a bot remembers anything from one question to the next. ``swayed`` is
    a reply that an earlier question changed, or None. ``traces`` name the files that the bot left
    behind; None if the isolation lets it leave nothing."""
    mend = (
        "keep nothing from move to move: all that has happened is in the question, and $TMPDIR is "
        "an empty folder that ends with the process"
    )
    if traces:
        more = f" and {len(traces) - 1} more" if len(traces) > 1 else ""
        detail = f"it leaves something behind where its next move can find it: {traces[0]}{more}"
        return Finding(FORGETFUL, False, detail, asked=len(replies), mend=mend)
    if swayed:
        detail = "what it replies depends on what it was asked before"
        return Finding(FORGETFUL, False, detail, asked=len(replies), failed=(swayed,), mend=mend)
    told = "it could keep nothing" if traces is None else "it left nothing behind"
    return Finding(FORGETFUL, True, told, asked=len(replies))


def _length(reply: Reply) -> int:
    return len(reply.asked)


def _replies(number: int) -> str:
    return f"{number} {'reply' if number == 1 else 'replies'}"
