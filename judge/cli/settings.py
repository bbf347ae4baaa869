"""The common options of commands that play games: how these are played, shown and kept."""

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
from judge.errors import UsageError


class OutputFormat(StrEnum):
    """The form of a command's output on stdout."""

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
        """Whether text to this stream is coloured. ``NO_COLOR`` has an effect on ``auto`` alone."""
        if self is not Color.AUTO:
            return self is Color.ALWAYS
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        return not plain and stream.isatty()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(PlaySettings):
    """The common options of the commands that play, as they were read."""

    seed: int | None = None
    """The seed of all luck; None if it is to be drawn."""
    first: First | None = None
    """Who moves first. If None, the rules say it for one game, and bots take turns in several."""
    report: OutputFormat = OutputFormat.TEXT
    quiet: bool = False
    """Whether notes and progress are left out."""
    color: Color = Color.AUTO
    ledger: Path | None = None
    """The ledger in which the games are kept, or None if they are not kept."""
    web: tuple[str, int] | None = None
    """The address of the live page, or None."""
    game_log: str | None = None
    """The file or folder for logs of the games, or None."""
    game_log_format: str | None = None
    """The format of the logs; None for the first that can hold the games."""
    game_log_games: str | None = None
    """The games of a match that its log has; None for all."""

    def drawn_seed(self) -> int:
        """Return the seed that was given, or draw one."""
        return secrets.randbits(DRAWN_BITS) if self.seed is None else self.seed

    def require_here(self, flag: str) -> None:
        """Raise `UsageError` if --cluster is given, since ``flag`` is for games on this machine."""
        if self.cluster is not None:
            raise UsageError(f"{flag} is for games on this machine: leave out {flag}, or --cluster")

    def tell(self, sentence: str) -> None:
        """Print a note on stderr, unless the user wants quiet."""
        if not self.quiet:
            note(sentence)
