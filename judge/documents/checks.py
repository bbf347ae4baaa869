"""The documents that `judge check --json` prints: `check` of one bot, `checks` of several."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from judge.documents.codec import Part, Report
from judge.documents.game import Limits, RunSeed
from judge.documents.replies import UNIQUE
from judge.documents.reports import BotName, Count, Launch, Level
from judge.documents.rules import Rules

Amount = Annotated[float, Meta(ge=0)]


class CheckTimes(Part, frozen=True, kw_only=True):
    """The times of all runs, in milliseconds."""

    median: Amount
    """The median."""
    max: Amount
    """The longest."""


class CheckExample(Part, frozen=True, kw_only=True):
    """The reply that shows best what is wrong."""

    input: str
    """The question: the bot's argument, a JSON text; or the last lines sent to a player that stays
    alive."""
    seed: Count
    """Its BOT_SEED."""
    dialect: str
    """The dialect that it was asked in."""
    lang: str
    """Its LANG."""
    termination: str | None
    """The name of the fault where it costs a game; null: it would not have cost one."""
    why: str | None
    """The fault of the reply, in a sentence; null if the reply itself is right."""
    again: str
    """A command for a shell that asks the same again, outside of the judge."""
    stdout: str
    """Its standard output."""
    stderr: str
    """Its standard error."""
    exit: Count | None
    """Its exit status; null where a signal ended it."""
    signal: str | None
    """The signal that ended it; null: none did."""
    wall_ms: Amount
    """How long it took, in milliseconds."""
    peak_kib: Count | None
    """Its memory at its peak, in KiB; null where it was below the judge's own."""


class CheckFinding(Part, frozen=True, kw_only=True):
    """One check."""

    name: Annotated[str, Meta(min_length=1)]
    """The claim about the bot."""
    passed: bool | None
    """Whether it does; null where that could not be tried."""
    warning: bool
    """Whether there is something to know that costs no game."""
    detail: str
    """The observation, or why the check could not be tried."""
    asked: Count
    """How many replies were looked at."""
    failed: Count
    """How many of them were wrong."""
    mend: str | None
    """The mend; null if nothing is wrong."""
    example: CheckExample | None
    """The reply that shows it best; null where none does."""


class Check(Report, frozen=True, kw_only=True):
    """The document that `judge check --json` prints about one bot: whether it does what a bot has
    to, check by check."""

    CALLED: ClassVar = "check"

    version: Literal[1] = 1
    """The version of this document's form."""
    kind: Literal["check"] = "check"
    """The kind of this document."""
    bot: BotName
    """The bot's name."""
    digest: str
    """The digest of its files."""
    conforms: bool
    """Whether no check failed; then the exit status is 0, else 3."""
    seed: RunSeed
    """The seed of the questions: the same seed asks the same. Text, as --seed takes it."""
    rules: Rules
    """The rules that it was asked under."""
    launch: Launch
    """How it was started."""
    isolation: Level
    """The isolation that held it."""
    limits: Limits
    """The limits in force for each move."""
    only: Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], UNIQUE]
    """The checks that were chosen, by name; empty where all were tried."""
    runs: Count
    """How often it was started: 0 where the rules bring no position for the checks that were chosen."""
    ms: CheckTimes | None
    """The times of all runs, in milliseconds; null where there was none."""
    peak_kib: Count | None
    """The most memory of all runs, in KiB; null where it was below the judge's own."""
    checks: Annotated[tuple[CheckFinding, ...], Meta(min_length=1)]
    """Every check, in the order of the printed list."""


class NotChecked(Part, frozen=True, kw_only=True):
    """An entry of a folder that was not checked."""

    name: str
    """Its name in the folder."""
    reason: str
    """Why."""


class Checks(Report, frozen=True, kw_only=True):
    """The document that `judge check --json` prints about several bots, or about those in a folder."""

    CALLED: ClassVar = "checks"

    version: Literal[1] = 1
    """The version of this document's form."""
    kind: Literal["checks"] = "checks"
    """The kind of this document."""
    conforms: bool
    """Whether all of the bots conform; then the exit status is 0, else 3."""
    bots: Annotated[tuple[Check, ...], Meta(min_length=1)]
    """The findings on each bot, in the order of the printed table."""
    left_out: tuple[NotChecked, ...]
    """The entries that were not checked."""
