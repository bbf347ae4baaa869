"""What `judge check` found out about a bot, for people and for programs."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import groupby
from typing import Any

from judge import quoting
from judge.check.conformance import Finding
from judge.check.examination import CheckReport
from judge.check.hints import hint
from judge.play.asking import Reply
from judge.show.evidence import run_lines
from judge.show.text import WIDTH, Style, clean, left, many, paint, wrap

VERSION = 2  # version 1 had the seed as a number
_MARKS = {"ok": Style.GREEN, "note": Style.YELLOW, "FAIL": Style.RED, "-": Style.DIM}
_CLAIM = 44  # columns


def document(report: CheckReport) -> dict[str, Any]:
    """The ``check`` document."""
    times = [reply.run.wall_ms for reply in report.replies]
    peaks = [reply.run.peak_kib for reply in report.replies if reply.run.peak_kib is not None]
    return {
        "version": VERSION,
        "kind": "check",
        "bot": report.bot.name,
        "digest": report.bot.digest,
        "conforms": report.conforms,
        "seed": str(report.seed),
        "rules": report.conditions.rules.to_json(),
        "launch": report.conditions.launch,
        "isolation": report.conditions.isolation.name,
        "limits": asdict(report.conditions.limits),
        "runs": len(times),
        "ms": {"median": round(statistics.median(times), 2), "max": round(max(times), 2)},
        "peak_kib": max(peaks, default=None),
        "checks": [_check(finding) for finding in report.findings],
    }


def _check(finding: Finding) -> dict[str, Any]:
    worst = finding.failed[0] if finding.failed else None
    return {
        "name": finding.claim,
        "passed": finding.passed,
        "warning": finding.warning,
        "detail": finding.detail,
        "asked": finding.asked,
        "failed": len(finding.failed),
        "mend": mend(finding) or None,
        "example": _example(worst) if worst else None,
    }


def _example(reply: Reply) -> dict[str, Any]:
    run = reply.run
    return {
        "input": reply.asked,
        "seed": reply.question.seed,
        "dialect": reply.question.dialect,
        "lang": reply.question.lang,
        "termination": reply.fault.termination if reply.fault else None,
        "why": str(reply.fault) if reply.fault else None,
        "again": again(reply),
        "stdout": run.stdout,
        "stderr": run.stderr,
        "exit": run.exit,
        "signal": run.signal,
        "wall_ms": run.wall_ms,
        "peak_kib": run.peak_kib,
    }


def mend(finding: Finding) -> str:
    """What to do about a check that failed; nothing for any other."""
    faults = [reply for reply in finding.failed if reply.fault]
    return finding.mend or (hint(faults[0]) if faults else "")


def again(reply: Reply) -> str:
    """A command for a shell that asks the same again, outside of the judge: in the same folder,
    with the same environment and nothing else in it, an empty scratch folder and an empty stdin;
    for a program that lives, what the judge has sent, whatever the answers."""
    variables = [f"{name}={quoting.word(value)}" for name, value in reply.variables.items()]
    scratch = 'HOME="$scratch" TMPDIR="$scratch"'
    if reply.run.exchanges:
        lines = " ".join(map(quoting.word, reply.asked.splitlines()))
        place = f"cd {quoting.folder(reply.folder)}"
        if reply.workplace is not None:
            folders = "".join(f" && mkdir {quoting.word(name)}" for name in reply.workplace)
            place = f'cd "$scratch"{folders}'
        return (
            f"scratch=$(mktemp -d) && {place} && printf '%s\\n' {lines} | "
            f"env -i {scratch} {' '.join(variables)} {quoting.line(reply.run.argv)}"
        )
    return (
        f"cd {quoting.folder(reply.folder)} && scratch=$(mktemp -d) && "
        f"env -i {scratch} {' '.join(variables)} {quoting.line(reply.run.argv)} </dev/null"
    )


def text(report: CheckReport, *, again: str, colour: bool, verbose: bool = False) -> str:
    """A line a check, with what there is to mend, and the sum; at most `WIDTH` columns, but for
    commands, which are there to be copied."""
    return "\n".join(_lines(report, again, colour, verbose))


def _lines(report: CheckReport, again: str, colour: bool, verbose: bool) -> Iterator[str]:
    shown: dict[tuple[str, str], str] = {}  # what has been told in full, and at which claim
    for _, group in groupby(report.findings, key=lambda one: (one.passed, one.detail)):
        finding, *others = group
        if finding.passed is None and others:
            yield from _finding(replace(finding, claim=f"{len(others) + 1} more checks"), colour)
            continue
        for one in (finding, *others):
            yield from _finding(one, colour)
            if one.passed is False:
                yield from _failure(one, shown, verbose)
    yield ""
    yield from _sum(report, colour)
    yield f"Check it again:\n  {again}"


def _finding(finding: Finding, colour: bool) -> Iterator[str]:
    mark = _mark(finding)
    head = f"{left(mark, 6)}{left(finding.claim, _CLAIM)}"
    first, *more = wrap(clean(finding.detail), " " * len(head)) or [""]
    yield paint(head[:6], _MARKS[mark], colour) + (head[6:] + first.lstrip()).rstrip()
    yield from more


def _mark(finding: Finding) -> str:
    if finding.passed is None:
        return "-"
    if not finding.passed:
        return "FAIL"
    return "note" if finding.warning else "ok"


def _failure(finding: Finding, shown: dict[tuple[str, str], str], verbose: bool) -> Iterator[str]:
    """Why, what to do, and the reply that shows it best; of faults that look alike, once."""
    indent = " " * 6
    worst = finding.failed[0] if finding.failed else None
    todo = mend(finding)
    if worst and worst.fault:
        yield from wrap(clean(f"Because: {worst.fault}"), indent)
        alike = (hint(worst), worst.run.stderr)
        if alike in shown:
            if finding.mend:
                yield from wrap(clean(f"To mend it: {todo}."), indent)
            yield from wrap(f"As in: {shown[alike]}", indent)
            return
        shown[alike] = finding.claim
    yield from wrap(clean(f"To mend it: {todo}."), indent)
    if worst:
        run = run_lines(worst.run, again(worst), verbose=verbose)
        yield from (indent[2:] + line for line in run)


def _sum(report: CheckReport, colour: bool) -> Iterator[str]:
    passed = [finding.passed for finding in report.findings]
    name, failed, untried = clean(report.bot.name), passed.count(False), passed.count(None)
    left = f", {untried} not tried" if untried else ""
    if report.conforms:
        said = paint(
            f"{name} conforms: {passed.count(True)} checks passed{left}.", Style.GREEN, colour
        )
    else:
        of = f"{failed} of {many(len(passed) - untried, 'check')} failed{left}"
        said = paint(f"{name} does not conform: {of}.", Style.RED, colour)
    yield said
    times = [reply.run.wall_ms for reply in report.replies]
    yield from wrap(
        f"{len(times)} runs, {statistics.median(times):.1f} ms the median. "
        f"Rules {clean(report.conditions.rules.name)}, isolation "
        f"{report.conditions.isolation.name}, seed {report.seed}.",
        width=WIDTH,
    )
