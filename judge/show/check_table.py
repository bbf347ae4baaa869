"""What `judge check` found out about several bots: a table, and the failed checks of each.

Pure.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from typing import Any

from judge.check.examination import CheckReport
from judge.process.bots.bot import LeftOut
from judge.show import check
from judge.show.text import Style, cells, clean, left, many, paint, right, wrap

VERSION = 1
WIDTH = 60
"""The columns of the table: those of a narrow terminal."""

_COLUMNS = ("passed", "failed", "notes", "untried", "median ms")
_WIDTHS = (8, 8, 7, 9, 11)
_MARK = 6
_LONGEST_NAME = WIDTH - _MARK - sum(_WIDTHS)


def document(reports: Sequence[CheckReport], left_out: Sequence[LeftOut]) -> dict[str, Any]:
    """The ``checks`` document."""
    return {
        "version": VERSION,
        "kind": "checks",
        "conforms": all(report.conforms for report in reports),
        "bots": [check.document(report) for report in reports],
        "left_out": [{"name": one.name, "reason": one.reason} for one in left_out],
    }


def standing(reports: Sequence[CheckReport]) -> str:
    """How it stands, on one line."""
    failed = sum(not report.conforms for report in reports)
    return f"{many(len(reports), 'bot')} checked, {failed} of them failed a check"


def text(reports: Sequence[CheckReport], *, again: str, colour: bool) -> str:
    """A line a bot, below it the checks that it failed, and the sum."""
    return "\n".join(_lines(reports, again, colour))


def failures(report: CheckReport) -> list[str]:
    """The checks that a bot failed, each with what was wrong with the reply that shows it best; a
    cause that several have in common is told with the first of them."""
    told: dict[tuple[str, str], str] = {}
    lines = []
    for finding in report.findings:
        if finding.passed is not False:
            continue
        cause = check.cause(finding)
        fault = finding.worst and finding.worst.fault
        why = str(fault) if fault else finding.detail
        lines.append(f"{finding.claim}: {f'as in {told[cause]}' if cause in told else why}")
        told.setdefault(cause, finding.claim)
    return lines


def _lines(reports: Sequence[CheckReport], again: str, colour: bool) -> Iterator[str]:
    names = [clean(report.bot.name) for report in reports]
    width = min(_LONGEST_NAME, max(map(cells, names)))
    head = "".join(right(name, cells_) for name, cells_ in zip(_COLUMNS, _WIDTHS, strict=True))
    yield paint(f"{left('', _MARK)}{left('bot', width)}{head}".rstrip(), Style.DIM, colour)
    for name, report in zip(names, reports, strict=True):
        mark = "ok" if report.conforms else "FAIL"
        style = Style.GREEN if report.conforms else Style.RED
        row = "".join(right(one, cells_) for one, cells_ in zip(_row(report), _WIDTHS, strict=True))
        yield f"{paint(left(mark, _MARK), style, colour)}{left(name, width)}{row}"
        for line in failures(report):
            yield from wrap(clean(line), " " * _MARK, WIDTH)
    yield ""
    yield from _sum(reports, colour)
    yield f"Check them again:\n  {again}"


def _row(report: CheckReport) -> tuple[str, ...]:
    passed = [finding.passed for finding in report.findings]
    notes = sum(finding.warning and finding.passed is True for finding in report.findings)
    times = [reply.run.wall_ms for reply in report.replies]
    counts = (passed.count(True), passed.count(False), notes, passed.count(None))
    return (*map(str, counts), f"{statistics.median(times):.1f}" if times else "-")


def _sum(reports: Sequence[CheckReport], colour: bool) -> Iterator[str]:
    failed = [report for report in reports if not report.conforms]
    if not failed:
        said = f"All {many(len(reports), 'bot')} conform." if len(reports) > 1 else "It conforms."
        yield paint(said, Style.GREEN, colour)
    else:
        number = f"{len(failed)} of {many(len(reports), 'bot')}"
        does = "does" if len(failed) == 1 else "do"
        yield paint(f"{number} {does} not conform.", Style.RED, colour)
        yield from wrap("judge check of one of them says what to mend.", width=WIDTH)
    first = reports[0]
    yield from wrap(
        f"Rules {clean(first.conditions.rules.name)}, isolation "
        f"{first.conditions.isolation.name}, seed {first.seed}.",
        width=WIDTH,
    )
