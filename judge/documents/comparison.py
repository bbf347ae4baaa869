"""The document of `judge compare --json`: a new version of a bot beside the old one."""

from __future__ import annotations

from typing import ClassVar, Literal

from judge.documents.codec import Part, Report
from judge.documents.game import RunSeed
from judge.documents.reports import BotName, Count, Figure, Interval, Times

Verdict = Literal["stronger", "weaker", "not stronger", "undecided"]


class Compared(Part, frozen=True, kw_only=True):
    """A version, and how it cleared the boards."""

    name: BotName
    """The bot's name."""
    digest: str
    """SHA-256 over its files."""
    shots_mean: Figure | None
    """Mean shots over the boards that it cleared; null if it cleared none."""
    not_cleared: Count
    """The boards that it did not clear."""


class ComparisonReport(Report, frozen=True, kw_only=True):
    """Two versions of a bot: shots on the same boards, and a match until it is decided."""

    CALLED: ClassVar = "comparison"

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["comparison"] = "comparison"
    """The name of this document."""
    verdict: Verdict
    """Whether the new version is stronger, by the match: not stronger if the sequential test rejects it,
    undecided if the games ran out before."""
    seed: RunSeed
    """The seed of the boards and games. Text, as --seed takes it."""
    old: Compared
    """The old version."""
    new: Compared
    """The new version."""
    boards: Times
    """The boards that each was to clear."""
    difference: float | None
    """By how many shots a board the new version needs more, on the boards that both cleared."""
    difference_95: Interval | None
    """Its 95% interval."""
    games: Count
    """The games of the match."""
    won: Count
    """Those that the new version won."""
    lost: Count
    """Those that it lost."""
    tied: Count
    """Those that nobody won."""
    elo: float | None
    """By how much Elo the new version is stronger; null if no game counts."""
    elo_95: Interval | None
    """Its 95% interval."""
