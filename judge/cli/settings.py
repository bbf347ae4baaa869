"""The options of a command that plays, read and checked: how games are played and shown."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Literal, TextIO, TypedDict

from judge.contest.schedule import First
from judge.contest.seeds import DRAWN_BITS
from judge.documents.game import IsolationLevel, Limits
from judge.documents.rules import Opening, Rules

AskedLevel = IsolationLevel | Literal["auto"]


class OutputFormat(StrEnum):
    """What goes to stdout."""

    TEXT = "text"
    JSON = "json"  # one document
    JSONL = "jsonl"  # an event a line, while it runs
    CSV = "csv"  # comma-separated values


class Color(StrEnum):
    """Whether text is coloured."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"

    def on(self, stream: TextIO) -> bool:
        """Whether text to this stream is; ``NO_COLOR`` holds unless asked for explicitly."""
        if self is not Color.AUTO:
            return self is Color.ALWAYS
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        return not plain and stream.isatty()


class FindingOptions(TypedDict):
    """What the functions of `judge.process.bots.bot` that find bots want to know besides."""

    python: Path | None
    most_bytes: int
    wire: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the options common to all commands that play say.

    ``first`` is None where a single game's first mover is drawn and those of many games alternate.
    ``python`` runs Python bots in the place of the judge's own interpreter. ``bot_size_bytes``
    limits a bot's files. ``verbose`` shows evidence whole. ``ledger`` is None where games are not
    to be kept. ``shared`` is a folder that players may read.
    ``cluster`` is where games are played instead of here, and ``trust_bots`` says that all bots are
    the user's own.
    """

    seed: int | None
    first: First | None
    jobs: int
    rules: Rules
    wire: str | None
    dialect: str | None
    limits: Limits
    bot_size_bytes: int
    python: Path | None
    launch: str
    isolation: AskedLevel
    report: OutputFormat
    quiet: bool
    color: Color
    verbose: bool = False
    ledger: Path | None = None
    shared: Path | None = None
    cluster: str | None = None
    trust_bots: bool = False

    @property
    def finding(self) -> FindingOptions:
        """How bots are found."""
        return {"python": self.python, "most_bytes": self.bot_size_bytes, "wire": self.wire}

    def opening(self) -> First:
        """Who moves first in a single game, where the user does not say."""
        return First.RANDOM if self.rules.opening is Opening.DRAWN else First.A

    def drawn_seed(self) -> int:
        """The seed that was given, or a new one."""
        return secrets.randbits(DRAWN_BITS) if self.seed is None else self.seed
