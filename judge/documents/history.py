"""The document of `judge ledger show BOT --json`: one bot's games."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from judge.documents.codec import Part, Report
from judge.documents.game import Evidence, Termination
from judge.documents.ledger import Number, Points
from judge.documents.reports import Count

Text = Annotated[str, Meta(min_length=1)]
Opponents = Text | Annotated[tuple[Text, ...], Meta(min_length=2)]
GameEnd = Literal["won", "lost", "tied", "void"]


class OpponentCounts(Part, frozen=True):
    """An opponent, and the games against it from the bot's own view; games taken out of the count are in
    none of these."""

    name: Opponents
    """The opponent's name; of games of more than two, the others' names, sorted."""
    won: Count
    """Games won."""
    lost: Count
    """Games lost."""
    tied: Count
    """Games that nobody won."""
    void: Count
    """Games that both forfeited before the first shot."""
    forfeited: Count
    """Games that the bot itself forfeited, void ones included."""


class HistoryGame(Part, frozen=True, kw_only=True):
    """A game from the bot's own view."""

    number: Number
    """The game's number: its place among the games of the journal."""
    id: Text
    """The game's id."""
    opponent: Opponents
    """The other bot; in a game of more than two, the others, sorted."""
    result: GameEnd
    """Its result for this bot; void if it counts for nobody."""
    termination: Termination
    """Why it ended."""
    detail: str
    """The sentence about the end."""
    forfeit: Termination | None
    """How this bot forfeited it; null if it did not."""
    evidence: Evidence | None
    """The run by which this bot forfeited; null if it did not."""
    voided: str | None
    """Why an order takes it out of the count; null if none does."""
    digest: str | None
    """SHA-256 over the bot's files in this game; null for a player without any."""
    bot_version: Number
    """The version of the bot: versions are counted in the order in which they first played."""
    changed: bool
    """Whether its files were others in its game before this."""
    reset: bool
    """Whether its points were reset since its game before this."""
    points_before: Points
    """Its points before the game."""
    points_after: Points
    """Its points after the game; the same if it does not count."""


class History(Report, frozen=True, kw_only=True):
    """One bot's games in a ledger: `judge ledger show BOT --json` prints it."""

    CALLED: ClassVar = "history"

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["history"] = "history"
    """The name of this document."""
    bot: Text
    """The bot's name."""
    opponents: tuple[OpponentCounts, ...]
    """The bots that it has played, by name."""
    games: Annotated[tuple[HistoryGame, ...], Meta(min_length=1)]
    """Its games in the order in which they were added."""


class ExportedGame(Report, frozen=True, kw_only=True):
    """A line of `judge ledger export --format jsonl`: a game that counts."""

    CALLED: ClassVar = "exported game"

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["exported-game"] = "exported-game"
    """The name of this document."""
    number: Number
    """The game's number: its place among the games of the journal."""
    id: Text
    """The id of the game."""
    bots: Annotated[tuple[Text, ...], Meta(min_length=2)]
    """The names of the bots, seat by seat."""
    first: Text
    """The bot that moved first."""
    winner: Text | None
    """The bot that won; null for a tie."""
    termination: Termination
    """Why the game ended."""
    forfeits: tuple[Text, ...]
    """The bots that forfeited."""
    shots: Count | None
    """The shots of a winner by play; null if nobody won, or by a forfeit."""
    match: Text | None
    """The name that all games of its match share; null for a game that is not part of one."""
    digests: Annotated[tuple[Text | None, ...], Meta(min_length=2)]
    """SHA-256 over the files of each bot; null for a player without any."""
