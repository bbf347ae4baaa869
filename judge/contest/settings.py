"""The settings of a user for playing games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypedDict

from judge.documents.game import IsolationLevel, Limits
from judge.documents.rules import Rules, Turn

if TYPE_CHECKING:
    from pathlib import Path

AskedLevel = IsolationLevel | Literal["auto"]

LONGEST_MS = 24 * 60 * 60 * 1000  # a day
LARGEST_BYTES = 2**50
LEAST_MEMORY = 16 * 2**20


def cores_of(rules: Rules) -> int:
    """The usual number of cores of a game: one for each bot that is asked at the same time."""
    return 2 if rules.turn is Turn.BOTH else 1


class FindingOptions(TypedDict):
    """The settings that the functions of `judge.process.bots.bot` take to find bots."""

    python: Path | None
    most_bytes: int
    wire: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaySettings:
    """The settings by which bots are found, isolated and asked."""

    rules: Rules
    """The rules of the games."""
    limits: Limits
    """The limits of a bot's answer: time, memory, size and cores."""
    wire: str | None = None
    """The protocol of bots that do not name one; None for the usual one of the rules."""
    dialect: str | None = None
    """The dialect of bots that do not name one; None for the usual one of the wire."""
    launch: str = "auto"
    """The way a process starts: auto, exec or fork."""
    isolation: AskedLevel = "auto"
    """The level of isolation, or auto."""
    jobs: int = 1
    """The number of games that are played at once."""
    bot_size_bytes: int
    """The most bytes of a bot's files."""
    python: Path | None = None
    """The interpreter that runs Python bots; None for the judge's own."""
    shared: Path | None = None
    """A folder that all players may read, or None."""
    cluster: str | None = None
    """The address of the cluster that plays the games; None for this machine."""
    trust_bots: bool = False
    """Whether all bots are the user's own."""
    io: Path | None = None
    """A folder for files with everything that each game's players are told and answer, or None."""
    verbose: bool = False
    """Whether dask's log lines are shown, and evidence is shown in full."""

    @property
    def finding(self) -> FindingOptions:
        """The settings for finding bots, as keyword arguments."""
        return {"python": self.python, "most_bytes": self.bot_size_bytes, "wire": self.wire}
