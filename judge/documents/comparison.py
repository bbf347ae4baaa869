"""The document that `judge compare --json` prints: the comparison of two versions of a bot."""

from __future__ import annotations

from typing import ClassVar, Literal

from judge.documents.codec import Part, Report
from judge.documents.game import RunSeed
from judge.documents.reports import BotName, Count, Figure, Interval, Times

Verdict = Literal["stronger", "weaker", "not stronger", "undecided"]


class Compared(Part, frozen=True, kw_only=True):
    """A version of a bot, its shots on the boards, and its forfeits."""

    name: BotName
    """The bot's name."""
    digest: str
    """SHA-256 over its files."""
    shots_mean: Figure | None
    """Mean shots over the boards that the version cleared; null if it cleared no board."""
    not_cleared: Count
    """The number of boards that the version did not clear."""
    forfeits: Count
    """The number of games that the version forfeited."""


class ComparisonReport(Report, frozen=True, kw_only=True):
    """The comparison of two versions of a bot: their shots on the same boards, and their games."""

    CALLED: ClassVar = "comparison"

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["comparison"] = "comparison"
    """The name of this document."""
    verdict: Verdict
    """The verdict of the games on the new version. `stronger`: the sequential test or the interval
    of Elo shows it. `weaker`: the interval of Elo shows it. `not stronger`: the sequential test
    accepts that the two are equally strong. `undecided`: the games ended before a decision. The
    interval of Elo decides nothing in fewer than 12 games."""
    seed: RunSeed
    """The seed of the boards and games. Text, as --seed takes it."""
    old: Compared
    """The old version."""
    new: Compared
    """The new version."""
    boards: Times
    """The number of boards that each version was to clear."""
    difference: float | None
    """How many more shots a board the new version needs, over the boards that both versions
    cleared; null without such a board."""
    difference_95: Interval | None
    """The 95% interval of `difference`; null for fewer than two boards, or if the difference is the
    same on all boards."""
    games: Count
    """The number of games between the two versions."""
    won: Count
    """The games that the new version won."""
    lost: Count
    """The games that the new version lost."""
    tied: Count
    """The games that nobody won."""
    elo: float | None
    """How many Elo points stronger the new version is; null if no game counts."""
    elo_95: Interval | None
    """The 95% interval of `elo`; null if no game counts."""
