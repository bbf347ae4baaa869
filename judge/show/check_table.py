"""The findings of `judge check` on several bots: a table, and the failed checks of each. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from judge.check.examination import CheckReport
from judge.contest.seeds import spelled
from judge.documents.checks import Checks, NotChecked
from judge.game.variants import name_of
from judge.process.bots.bot import LeftOut
from judge.show import check
from judge.show.text import WIDTH, Style, cells, clean, left, many, paint, right, wrap

_COLUMNS = ("passed", "failed", "notes", "untried", "median ms")
_WIDTHS = (8, 8, 7, 9, 11)
_MARK = 6


def document(reports: Sequence[CheckReport], left_out: Sequence[LeftOut]) -> Checks:
    """The ``checks`` document of several reports."""
    return Checks(
        conforms=all(report.conforms for report in reports),
        bots=tuple(map(check.document, reports)),
        left_out=tuple(NotChecked(name=one.name, reason=one.reason) for one in left_out),
    )


def standing(reports: Sequence[CheckReport]) -> str:
    """A line on how many bots were checked and how many of them failed."""
    failed = sum(not report.conforms for report in reports)
    return f"{many(len(reports), 'bot')} checked, {failed} of them failed a check"


def text(reports: Sequence[CheckReport], *, again: str, colour: bool, width: int = WIDTH) -> str:
    """The table as text: a line for each bot with its failed checks below it, and a summary. Lines
    fit ``width``, except the command that checks the bots ``again``. Names are cut to fit."""
    return "\n".join(_lines(reports, again, colour, width))


def failures(report: CheckReport) -> list[str]:
    """A line for each check that a bot failed, with the fault of its worst reply or, without a
    fault, the check's detail. A check that failed by the cause of an earlier check refers to that
    check."""
    told_at: dict[tuple[str, str], str] = {}
    lines = []
    for finding in report.findings:
        if finding.passed is not False:
            continue
        cause = check.cause(finding)
        fault = finding.worst and finding.worst.fault
        why = str(fault) if fault else finding.detail
        lines.append(f"{finding.claim}: {f'as in {told_at[cause]}' if cause in told_at else why}")
        told_at.setdefault(cause, finding.claim)
    return lines


def causes(report: CheckReport) -> list[str]:
    """A line for each cause of a bot's failures, with the names of the checks that failed by it."""
    found: dict[tuple[str, str], tuple[str, list[str]]] = {}
    for finding in report.findings:
        if finding.passed is False:
            fault = finding.worst and finding.worst.fault
            why = str(fault) if fault else finding.detail
            found.setdefault(check.cause(finding), (why, []))[1].append(finding.claim)
    return [f"{why} ({'; '.join(claims)})" for why, claims in found.values()]


def _lines(reports: Sequence[CheckReport], again: str, colour: bool, width: int) -> Iterator[str]:
    names = [clean(report.bot.name) for report in reports]
    room = min(max(map(cells, names)), width - _MARK - sum(_WIDTHS))
    head = "".join(right(name, wide) for name, wide in zip(_COLUMNS, _WIDTHS, strict=True))
    yield paint(f"{left('', _MARK)}{left('bot', room)}{head}".rstrip(), Style.DIM, colour)
    for name, report in zip(names, reports, strict=True):
        mark = "ok" if report.conforms else "FAIL"
        style = Style.GREEN if report.conforms else Style.RED
        row = "".join(right(one, wide) for one, wide in zip(_row(report), _WIDTHS, strict=True))
        yield f"{paint(left(mark, _MARK), style, colour)}{left(name, room)}{row}"
        for line in failures(report):
            yield from wrap(clean(line), " " * _MARK, width)
    yield ""
    yield from _sum(reports, width, colour)
    yield f"Check them again:\n  {again}"


def _row(report: CheckReport) -> tuple[str, ...]:
    passed = [finding.passed for finding in report.findings]
    notes = sum(finding.warning and finding.passed is True for finding in report.findings)
    times = [reply.run.wall_ms for reply in report.replies]
    counts = (passed.count(True), passed.count(False), notes, passed.count(None))
    return (*map(str, counts), f"{statistics.median(times):.1f}" if times else "-")


def _sum(reports: Sequence[CheckReport], width: int, colour: bool) -> Iterator[str]:
    first, failed = reports[0], sum(not report.conforms for report in reports)
    does = "passed" if first.only else "conform" if len(reports) - failed > 1 else "conforms"
    said = f"{len(reports) - failed} of {many(len(reports), 'bot')} {does}."
    yield paint(said, Style.RED if failed else Style.GREEN, colour)
    if failed:
        yield "judge check of one bot says what to mend."
    yield from wrap(
        f"Rules {clean(name_of(first.conditions.rules))}, isolation "
        f"{first.conditions.isolation.name}, seed {spelled(first.seed)}.",
        width=width,
    )
