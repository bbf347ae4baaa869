"""The findings in a report of `judge check`."""

from __future__ import annotations

from judge.check.conformance import Finding
from judge.check.examination import CheckReport


def found(report: CheckReport) -> dict[str, Finding]:
    return {finding.claim: finding for finding in report.findings}


def failed(report: CheckReport) -> set[str]:
    return {finding.claim for finding in report.findings if finding.passed is False}
