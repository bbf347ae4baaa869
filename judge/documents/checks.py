"""The documents that `judge check --json` prints: `check` on one bot, `checks` on several."""

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
    """The times of several runs, in milliseconds."""

    median: Amount
    """The median time."""
    max: Amount
    """The longest time."""


class CheckExample(Part, frozen=True, kw_only=True):
    """The reply that shows best what is wrong."""

    input: str
    """The question: the bot's argument, or the last lines sent to a program that stays alive."""
    seed: Count
    """The BOT_SEED that the bot got."""
    dialect: str
    """The dialect of the question."""
    lang: str
    """The LANG that the bot got."""
    termination: str | None
    """The termination by which the fault would lose a game; null if the reply itself is right."""
    why: str | None
    """The fault of the reply, in a sentence; null if the reply itself is right."""
    again: str
    """A shell command that puts the same question to the bot without the judge."""
    stdout: str
    """The bot's standard output."""
    stderr: str
    """The bot's standard error."""
    exit: Count | None
    """The bot's exit status; null if a signal ended it."""
    signal: str | None
    """The signal that ended the bot; null if no signal did."""
    wall_ms: Amount
    """The time of the run, in milliseconds."""
    peak_kib: Count | None
    """The bot's peak memory in KiB; null if it is not known, since it was below the judge's own."""


class CheckFinding(Part, frozen=True, kw_only=True):
    """The result of one check."""

    name: Annotated[str, Meta(min_length=1)]
    """The claim that is checked."""
    passed: bool | None
    """Whether the claim holds; null if it could not be tried."""
    warning: bool
    """Whether the check found a weak point that costs no game."""
    detail: str
    """The observation, or why the check could not be tried."""
    asked: Count
    """The number of replies that were looked at."""
    failed: Count
    """The number of replies that were wrong."""
    mend: str | None
    """How to mend the bot; null if nothing is wrong."""
    example: CheckExample | None
    """The reply that shows the fault best; null if no reply shows it."""


class Check(Report, frozen=True, kw_only=True):
    """The document that `judge check --json` prints about one bot: the result of each check."""

    CALLED: ClassVar = "check"

    version: Literal[1] = 1
    """The version of this document's form."""
    kind: Literal["check"] = "check"
    """The kind of this document."""
    bot: BotName
    """The bot's name."""
    digest: str
    """SHA-256 over the bot's files."""
    conforms: bool
    """Whether no check failed. The exit status is 0 if so, and 3 if not."""
    seed: RunSeed
    """The seed of the questions: the same seed brings the same questions. Text, as --seed takes
    it."""
    rules: Rules
    """The rules of the questions."""
    launch: Launch
    """How the bot was started."""
    isolation: Level
    """The isolation that held the bot."""
    limits: Limits
    """The limits in force for each move."""
    only: Annotated[tuple[Annotated[str, Meta(min_length=1)], ...], UNIQUE]
    """The names of the checks that the user chose; empty if all were tried."""
    runs: Count
    """The number of questions and games, each in a process of its own; 0 if the rules allow no
    position for the chosen checks."""
    ms: CheckTimes | None
    """The times of all runs; null if there was no run."""
    peak_kib: Count | None
    """The peak memory of all runs in KiB; null if it is not known, since it was below the judge's
    own."""
    checks: Annotated[tuple[CheckFinding, ...], Meta(min_length=1)]
    """The result of every check, in the order of the printed list."""


class NotChecked(Part, frozen=True, kw_only=True):
    """A file or folder that was not checked."""

    name: str
    """The name in the folder."""
    reason: str
    """Why it was not checked."""


class Checks(Report, frozen=True, kw_only=True):
    """The document that `judge check --json` prints about several bots."""

    CALLED: ClassVar = "checks"

    version: Literal[1] = 1
    """The version of this document's form."""
    kind: Literal["checks"] = "checks"
    """The kind of this document."""
    conforms: bool
    """Whether all bots conform. The exit status is 0 if so, and 3 if not."""
    bots: Annotated[tuple[Check, ...], Meta(min_length=1)]
    """The findings on each bot, in the order of the printed table."""
    left_out: tuple[NotChecked, ...]
    """The files and folders that were not checked."""
