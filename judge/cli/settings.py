"""The options of a command that plays, read and checked: how games are played and shown."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TextIO

from judge.cli.output import note
from judge.contest.schedule import First
from judge.contest.seeds import DRAWN_BITS
from judge.contest.settings import PlaySettings
from judge.documents.rules import Opening
from judge.errors import UsageError


class OutputFormat(StrEnum):
    """The form of stdout."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(PlaySettings):
    """The options that all commands that play have in common."""

    seed: int | None = None
    """The seed of all luck; None for one that is drawn."""
    first: First | None = None
    """Who moves first; None where a single game's first mover is drawn and those of many games
    alternate."""
    report: OutputFormat = OutputFormat.TEXT
    quiet: bool = False
    """Whether notes and progress are left out."""
    color: Color = Color.AUTO
    ledger: Path | None = None
    """The ledger of the games, if they are kept."""

    def opening(self) -> First:
        """Who moves first in a single game, where the user does not say."""
        return First.RANDOM if self.rules.opening is Opening.DRAWN else First.A

    def drawn_seed(self) -> int:
        """The seed that was given, or a new one."""
        return secrets.randbits(DRAWN_BITS) if self.seed is None else self.seed

    def require_here(self, flag: str) -> None:
        """Raise `UsageError` with --cluster for an option that is for games on this machine."""
        if self.cluster is not None:
            raise UsageError(f"{flag} is for games on this machine: leave out {flag}, or --cluster")

    def tell(self, sentence: str) -> None:
        """Say a note on stderr, unless nobody wants any."""
        if not self.quiet:
            note(sentence)
