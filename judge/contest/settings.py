"""How games are to be played, as whoever plays them asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypedDict

from judge.documents.game import IsolationLevel, Limits
from judge.documents.rules import Rules

if TYPE_CHECKING:
    from pathlib import Path

AskedLevel = IsolationLevel | Literal["auto"]


class FindingOptions(TypedDict):
    """The further arguments of the functions of `judge.process.bots.bot` that find bots."""

    python: Path | None
    most_bytes: int
    wire: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaySettings:
    """How bots are found, held and asked."""

    rules: Rules
    """The rules of the games."""
    limits: Limits
    """The limits of a bot's move."""
    wire: str | None = None
    """The protocol of bots that do not say which they speak; None for the usual one of the rules."""
    dialect: str | None = None
    """The dialect of bots' wires; None for the usual one."""
    launch: str = "auto"
    """How each move is started."""
    isolation: AskedLevel = "auto"
    """The isolation that holds the bots."""
    jobs: int = 1
    """How many games are played at once."""
    bot_size_bytes: int
    """The most that a bot's files may take."""
    python: Path | None = None
    """The interpreter that runs Python bots in the place of the judge's own."""
    shared: Path | None = None
    """A folder that players may read."""
    cluster: str | None = None
    """The cluster on which games are played instead of here."""
    trust_bots: bool = False
    """Whether all bots are the user's own."""
    io: Path | None = None
    """A folder for the whole exchange of each game."""
    verbose: bool = False
    """Whether what dask logs is shown, and evidence whole."""

    @property
    def finding(self) -> FindingOptions:
        """How bots are found."""
        return {"python": self.python, "most_bytes": self.bot_size_bytes, "wire": self.wire}
