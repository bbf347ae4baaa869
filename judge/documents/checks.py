"""What `judge check --json` prints: `check` of one bot, `checks` of several."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from judge.documents.codec import Part, Report
from judge.documents.game import Limits
from judge.documents.replies import UNIQUE
from judge.documents.reports import BotName, Count, Launch, Level, Seed
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
    """What the bot was asked: its argument, a JSON text; or the last lines that a player was sent which
    stays alive."""
    seed: Count
    """Its BOT_SEED."""
    dialect: str
    """The dialect that it was asked in."""
    lang: str
    """Its LANG."""
    termination: str | None
    """What the fault is called where it costs a game; null: it would not have cost one."""
    why: str | None
    """What is wrong with the reply, in a sentence; null where the reply itself is not wrong."""
    again: str
    """A command for a shell that asks the same again, outside of the judge."""
    stdout: str
    """What it printed."""
    stderr: str
    """What it wrote to stderr."""
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
    """What the bot is claimed to do."""
    passed: bool | None
    """Whether it does; null where that could not be tried."""
    warning: bool
    """Whether there is something to know that costs no game."""
    detail: str
    """What was seen, or why it could not be tried."""
    asked: Count
    """How many replies were looked at."""
    failed: Count
    """How many of them were wrong."""
    mend: str | None
    """What to do; null where nothing is wrong."""
    example: CheckExample | None
    """The reply that shows it best; null where none does."""


class Check(Report, frozen=True, kw_only=True):
    """What `judge check --json` prints: whether a bot does what a bot has to, check by check."""

    CALLED: ClassVar = "check"

    version: Literal[1] = 1
    """The version of this document's form."""
    kind: Literal["check"] = "check"
    """What document this is."""
    bot: BotName
    """The bot's name."""
    digest: str
    """The digest of its files."""
    conforms: bool
    """Whether no check failed; then the exit status is 0, else 3."""
    seed: Seed
    """The seed of the questions: the same seed asks the same. Text, as --seed takes it, for readers of
    JSON that hold no numbers of 39 digits."""
    rules: Rules
    """The rules that it was asked under."""
    launch: Launch
    """How it was started."""
    isolation: Level
    """What held it."""
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
    """What lies in a folder and was not checked."""

    name: str
    """Its name in the folder."""
    reason: str
    """Why."""


class Checks(Report, frozen=True, kw_only=True):
    """What `judge check --json` prints of several bots, or of those in a folder."""

    CALLED: ClassVar = "checks"

    version: Literal[1] = 1
    """The version of this document's form."""
    kind: Literal["checks"] = "checks"
    """What document this is."""
    conforms: bool
    """Whether all of the bots conform; then the exit status is 0, else 3."""
    bots: Annotated[tuple[Check, ...], Meta(min_length=1)]
    """What was found out about each bot, in the order of the printed table."""
    left_out: tuple[NotChecked, ...]
    """What was not checked."""
