"""The findings of `judge check` on a bot, as text and as a document; and on several bots, as a table
with the failed checks of each."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

from judge import quoting
from judge.check.conformance import Finding
from judge.check.examination import CheckReport
from judge.contest.seeds import spelled
from judge.documents.checks import Check, CheckExample, CheckFinding, Checks, CheckTimes, NotChecked
from judge.documents.reports import Launch, Level
from judge.game.variants import name_of
from judge.play.asking import Reply
from judge.process.bots.bot import LeftOut
from judge.process.run.environment import LANG
from judge.show import columns
from judge.show.evidence import WHOLE, ran_lines, run_lines
from judge.show.text import (
    WIDTH,
    Style,
    clean,
    hanging,
    left,
    many,
    paint,
    painted,
    wrap,
)
from judge.wire import hints
from judge.wire.interface import Transport

_MARKS = {"ok": Style.GREEN, "note": Style.ORANGE, "FAIL": Style.RED, "-": Style.DIM}
_MARK_CELLS = 6
_CLAIM = 44  # columns


def document(report: CheckReport) -> Check:
    """The ``check`` document of a report."""
    conditions = report.conditions
    times = [reply.run.wall_ms for reply in report.replies]
    peaks = [reply.run.peak_kib for reply in report.replies if reply.run.peak_kib is not None]
    return Check(
        bot=report.bot.name,
        digest=report.bot.digest,
        conforms=report.conforms,
        seed=spelled(report.seed),
        rules=conditions.rules,
        launch=Launch(conditions.launch),
        isolation=Level(conditions.isolation.name),
        limits=conditions.limits,
        only=tuple(report.only),
        runs=len(times),
        ms=_ms(times),
        peak_kib=max(peaks, default=None),
        checks=tuple(map(_check, report.findings)),
    )


def _ms(times: Sequence[float]) -> CheckTimes | None:
    if not times:  # the checks that were chosen have no question by these rules
        return None
    return CheckTimes(median=round(statistics.median(times), 2), max=round(max(times), 2))


def _check(finding: Finding) -> CheckFinding:
    return CheckFinding(
        name=finding.claim,
        passed=finding.passed,
        warning=finding.warning,
        detail=finding.detail,
        asked=finding.asked,
        failed=len(finding.failed),
        mend=mend(finding) or None,
        example=_example(finding.worst) if finding.worst else None,
    )


def _example(reply: Reply) -> CheckExample:
    run = reply.run
    return CheckExample(
        input=reply.asked,
        seed=reply.question.seed,
        dialect=reply.question.dialect,
        lang=reply.question.lang,
        termination=reply.fault.termination if reply.fault else None,
        why=str(reply.fault) if reply.fault else None,
        again=again(reply),
        stdout=run.stdout,
        stderr=run.stderr,
        exit=run.exit,
        signal=run.signal,
        wall_ms=run.wall_ms,
        peak_kib=run.peak_kib,
    )


def mend(finding: Finding) -> str:
    """The advice on a failed check; empty without advice."""
    faults = [reply for reply in finding.failed if reply.fault]
    return finding.mend or (hint(faults[0]) if faults else "")


def hint(reply: Reply) -> str:
    """The advice on a reply's fault. The reply must have a fault."""
    assert reply.fault is not None, "there is nothing to mend"
    return hints.mend(reply.wire.hints, reply.fault, reply.run) or hints.ANYTHING_ELSE


def again(reply: Reply) -> str:
    """A shell command that asks the bot again without the judge, with the same environment and an
    empty scratch folder. A program that stays alive gets all that the judge sent: on its stdin, or
    from a socket server that prints the program's answers. Any other program has an empty stdin."""
    variables = [f"{name}={quoting.word(value)}" for name, value in reply.variables.items()]
    wire, place = reply.wire, f"cd {quoting.folder(reply.folder)}"
    command = (
        f'env -i HOME="$scratch" TMPDIR="$scratch" {" ".join(variables)} '
        f"{quoting.line(reply.run.argv)}"
    )
    if reply.run.exchanges:
        lines = " ".join(map(quoting.word, reply.asked.splitlines()))
        if wire.transport is Transport.SOCKET:
            return (
                f"scratch=$(mktemp -d) && {place} && {{ python3 -c {quoting.word(wire.socket_server)} "
                f'"$scratch/socket" {lines} & until [ -S "$scratch/socket" ] || ! kill -0 $!; '
                f'do sleep 0.1; done; }} && {command} "$scratch/socket"; wait'
            )
        if wire.workplace is not None:
            folders = "".join(f" && mkdir {quoting.word(name)}" for name in wire.workplace)
            place = f'cd "$scratch"{folders}'
        return f"scratch=$(mktemp -d) && {place} && printf '%s\\n' {lines} | {command}"
    return f"{place} && scratch=$(mktemp -d) && {command} </dev/null"


def text(
    report: CheckReport, *, again: str, colour: bool, width: int = WIDTH, verbose: bool = False
) -> str:
    """The report as text: a line for each check, what to do about failures, and a summary. Untried
    checks in a row may share a line. Lines fit ``width``, except commands to be copied. ``again``
    is the command that checks the bot again, or empty. ``verbose`` prints all of the bot's commands
    and output."""
    return "\n".join(_lines(report, again, colour, width=width, verbose=verbose))


def _lines(
    report: CheckReport, again: str, colour: bool, *, width: int, verbose: bool
) -> Iterator[str]:
    told_at: dict[tuple[str, str], str] = {}  # causes, each with the first check that failed by it
    runs: dict[tuple[str, str], str] = {}  # looks of a run, each with the check that shows it
    for _, group in groupby(report.findings, key=_kind):
        finding, *others = group
        if finding.passed is None and others:
            all_of_them = replace(finding, claim=f"{len(others) + 1} more checks")
            yield from _finding(all_of_them, width, colour)
            continue
        yield from _finding(finding, width, colour)
        why = cause(finding)
        if finding.passed is False and why not in told_at:
            yield from _failure(finding, runs, width, verbose)
            told_at[why] = finding.claim
            if not others:
                continue
        for one in others:
            yield from _finding(one, width, colour)
        if finding.passed is False:
            yield from wrap(f"As in: {told_at[why]}", " " * 6, width)
    yield ""
    yield from _sum(report, width, colour)
    if again:
        yield f"Check it again:\n  {again}"
    if not (report.conforms or verbose):
        more = f"{WHOLE}; --only NAME asks one check again."
        yield from wrap(more, width=width)


def _kind(finding: Finding) -> tuple[str, ...]:
    """The key by which findings in a row are grouped: the reason for untried checks, the cause for
    failed ones. A passed check is a group of its own."""
    if finding.passed is None:
        return "untried", finding.detail
    return ("failed", *cause(finding)) if not finding.passed else ("passed", finding.claim)


def cause(finding: Finding) -> tuple[str, str]:
    """A key for the cause of a failure. Failures with equal keys are listed as one cause."""
    if finding.worst is None or finding.worst.fault is None:
        return mend(finding), finding.claim
    return mend(finding), finding.worst.run.stderr


def _finding(finding: Finding, width: int, colour: bool) -> Iterator[str]:
    mark = _mark(finding)
    begin = paint(left(mark, _MARK_CELLS), _MARKS[mark], colour)
    if width < WIDTH:  # no room for the detail on the same line
        yield from hanging(begin, finding.claim, width)
        yield from wrap(clean(finding.detail), " " * 8, width)
        return
    yield from hanging(begin + left(finding.claim, _CLAIM), clean(finding.detail), width)


def _mark(finding: Finding) -> str:
    if finding.passed is None:
        return "-"
    if not finding.passed:
        return "FAIL"
    return "note" if finding.warning else "ok"


def _failure(
    finding: Finding, runs: dict[tuple[str, str], str], width: int, verbose: bool
) -> Iterator[str]:
    """The lines below a failed check: the fault of its worst reply, what to do, and the run of that
    reply. A run that looks like an earlier one is not shown again."""
    indent = " " * 6
    worst = finding.worst
    if worst and worst.fault:
        yield from wrap(clean(f"Because: {worst.fault}"), indent, width)
    yield from wrap(clean(f"To mend it: {mend(finding)}."), indent, width)
    if worst is None:
        return
    alike = (hint(worst) if worst.fault else finding.claim, worst.run.stderr)
    if alike in runs:
        yield from wrap(f"As in: {runs[alike]}", indent, width)
        return
    runs[alike] = finding.claim
    given = {"BOT_SEED": str(worst.question.seed)}
    if worst.question.lang != LANG:
        given["LANG"] = worst.question.lang
    lines = [
        *ran_lines(worst.run.argv, given, width - 4, again(worst) if verbose else None),
        *run_lines(worst.run, width=width - 4, verbose=verbose),
    ]
    yield from (indent[2:] + line for line in lines)


def _sum(report: CheckReport, width: int, colour: bool) -> Iterator[str]:
    passed = [finding.passed for finding in report.findings]
    name, failed, untried = clean(report.bot.name), passed.count(False), passed.count(None)
    left = f", {untried} not tried" if untried else ""
    if report.conforms:
        verdict = name if report.only else f"{name} conforms"
        said, style = f"{many(passed.count(True), 'check')} passed{left}", Style.GREEN
    else:
        verdict = name if report.only else f"{name} does not conform"
        said = f"{failed} of {many(len(passed) - untried, 'check')} failed{left}"
        style = Style.RED
    yield from painted(f"{verdict}: {said}.", style, colour, width)
    times = [reply.run.wall_ms for reply in report.replies]
    ran = many(len(times), "run")
    if times:
        ran += f", {statistics.median(times):.1f} ms the median"
    yield from wrap(f"{ran}. {_under(report)}", width=width)


def _under(report: CheckReport) -> str:
    """The rules, the isolation and the seed of a report."""
    rules, isolation = report.conditions.rules, report.conditions.isolation
    return (
        f"Rules {clean(name_of(rules))}, isolation {isolation.name}, seed {spelled(report.seed)}."
    )


# Several bots


def documents(reports: Sequence[CheckReport], left_out: Sequence[LeftOut]) -> Checks:
    """The ``checks`` document of several reports."""
    return Checks(
        conforms=all(report.conforms for report in reports),
        bots=tuple(map(document, reports)),
        left_out=tuple(NotChecked(name=one.name, reason=one.reason) for one in left_out),
    )


def standing(reports: Sequence[CheckReport]) -> str:
    """A line on how many bots were checked and how many of them failed."""
    failed = sum(not report.conforms for report in reports)
    return f"{many(len(reports), 'bot')} checked, {failed} of them failed a check"


def table(reports: Sequence[CheckReport], *, again: str, colour: bool, width: int = WIDTH) -> str:
    """The table as text: a line for each bot with its failed checks below it, and a summary. Lines
    fit ``width``, except the command that checks the bots ``again``. Names are cut to fit."""
    (head, *rows), missing = columns.terminal_table(_COLUMNS, reports, width, colour=False)
    lines = [paint(head, Style.DIM, colour)]
    for row, report in zip(rows, reports, strict=True):
        mark = _mark_of_bot(report)
        lines.append(paint(mark, _MARKS[mark.strip()], colour) + row[len(mark) :])
        for line in failures(report):
            lines += wrap(clean(line), " " * _MARK_CELLS, width)
    lines += [*columns.left_out(missing, width, colour), "", *_sum_of_bots(reports, width, colour)]
    return "\n".join([*lines, *(["Check them again:", f"  {again}"] if again else [])])


def _failures(report: CheckReport) -> Iterator[tuple[str, tuple[str, str], str]]:
    """The claim of each check that a bot failed, `cause`, and the reason: the fault of the bot's
    worst reply or, without a fault, the check's detail, with what to do."""
    for finding in report.findings:
        if finding.passed is False:
            fault = finding.worst and finding.worst.fault
            why, to_do = str(fault) if fault else finding.detail, mend(finding)
            if to_do not in ("", hints.ANYTHING_ELSE):
                why += f"; to mend it: {to_do}"
            yield finding.claim, cause(finding), why


def failures(report: CheckReport) -> list[str]:
    """A line for each check that a bot failed, with the reason. A check that failed by the cause of
    an earlier check refers to that check."""
    told_at: dict[tuple[str, str], str] = {}
    lines = []
    for claim, key, why in _failures(report):
        lines.append(f"{claim}: {f'as in {told_at[key]}' if key in told_at else why}")
        told_at.setdefault(key, claim)
    return lines


def first_cause(report: CheckReport) -> str:
    """The first cause of a bot's failures with what to do, and the number of other causes. The bot
    must have failed a check."""
    (_, first, why), *others = _failures(report)
    more = len({cause for _, cause, _ in others} - {first})
    return f"{why}; `judge check` shows {many(more, 'more fault')}" if more else why


def _mark_of_bot(report: CheckReport) -> str:
    return "ok  " if report.conforms else "FAIL"


def _count(passed: bool | None, report: CheckReport) -> str:
    return str(sum(finding.passed is passed for finding in report.findings))


def _notes(report: CheckReport) -> str:
    return str([*map(_mark, report.findings)].count("note"))


def _median(report: CheckReport) -> str | None:
    times = [reply.run.wall_ms for reply in report.replies]
    return f"{statistics.median(times):.1f}" if times else None


_COLUMNS: Sequence[columns.Column[CheckReport]] = (
    columns.Column(" ", _mark_of_bot),
    columns.Column("bot", lambda report: clean(report.bot.name), is_name=True),
    columns.Column("passed", partial(_count, True), spare=4),
    columns.Column("failed", partial(_count, False)),
    columns.Column("notes", _notes, spare=2),
    columns.Column("untried", partial(_count, None), spare=1),
    columns.Column("median ms", _median, spare=3),
)


def _sum_of_bots(reports: Sequence[CheckReport], width: int, colour: bool) -> Iterator[str]:
    first, failed = reports[0], sum(not report.conforms for report in reports)
    does = "passed" if first.only else "conforms" if len(reports) - failed == 1 else "conform"
    said = f"{len(reports) - failed} of {many(len(reports), 'bot')} {does}."
    yield paint(said, Style.RED if failed else Style.GREEN, colour)
    if failed:
        yield from wrap("judge check of one bot shows what it printed.", width=width)
    yield from wrap(_under(first), width=width)
