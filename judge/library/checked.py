"""The report of a bot's checks as the library gives it."""

from __future__ import annotations

from dataclasses import fields

from judge.check.examination import CheckReport
from judge.documents.checks import Check
from judge.show.check import document


class CheckedBot(CheckReport):
    """A `CheckReport` that makes its own document."""

    __slots__ = ()

    def document(self) -> Check:
        """The document that `judge check --json` prints."""
        return document(self)


def checked(report: CheckReport) -> CheckedBot:
    return CheckedBot(*[getattr(report, field.name) for field in fields(report)])
