"""The conditions that all games of a run share: rules, limits, isolation, launching, dialect."""

from __future__ import annotations

from dataclasses import dataclass, field

from judge.documents.game import Limits
from judge.documents.rules import Rules
from judge.process.sandbox.isolation import Isolation, Unlimited


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """The shared conditions. A ``dialect`` of None stands for the usual one of each bot's wire."""

    rules: Rules
    dialect: str | None = None
    launch: str = "exec"
    isolation: Isolation = field(default_factory=Unlimited)
    limits: Limits = field(default_factory=Limits)
