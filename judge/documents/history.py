"""The documents of a ledger's games: one bot's history, and exported games."""

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
    """The results of a bot's games against one opponent, or against the same opponents in games of
    more than two. Games that an order took out of the count are not in these numbers."""

    name: Opponents
    """The opponent's name; for games of more than two, the names of the others, sorted."""
    won: Count
    """Games won."""
    lost: Count
    """Games lost."""
    tied: Count
    """Games that the bot tied. With more than two bots, those that share the first place tie."""
    void: Count
    """Games that count for nobody."""
    forfeited: Count
    """Games that the bot itself forfeited, void ones included."""


class HistoryGame(Part, frozen=True, kw_only=True):
    """A game from the bot's own view."""

    number: Number
    """The number of the game: its place among the games of the journal, from 1."""
    id: Text
    """The game's id."""
    opponent: Opponents
    """The other bot; in a game of more than two, the others, sorted."""
    result: GameEnd
    """The result for this bot; `void` if the game counts for nobody."""
    termination: Termination
    """Why the game ended."""
    detail: str
    """The sentence on the end of the game, as the record has it."""
    forfeit: Termination | None
    """How this bot forfeited the game; null if it did not."""
    evidence: Evidence | None
    """The run in which this bot forfeited; null if it did not forfeit, or if no program ran."""
    voided: str | None
    """Why an order takes the game out of the count; null if no order does."""
    digest: str | None
    """SHA-256 over the bot's files in this game; null for a player without files."""
    bot_version: Number
    """The version of the bot in this game. Versions are numbered in the order of their first
    games."""
    changed: bool
    """Whether the bot had other files in its game before this one, without a reset in between."""
    reset: bool
    """Whether the bot's points were reset since its game before this one."""
    points_before: Points
    """The bot's points before the game."""
    points_after: Points
    """The bot's points after the game; as before it if the game does not count."""


class History(Report, frozen=True, kw_only=True):
    """The document that `judge ledger show BOT --json` prints: one bot's games in a ledger."""

    CALLED: ClassVar = "history"

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["history"] = "history"
    """The name of this document."""
    bot: Text
    """The bot's name."""
    opponents: tuple[OpponentCounts, ...]
    """The opponents of the bot, sorted by name."""
    games: Annotated[tuple[HistoryGame, ...], Meta(min_length=1)]
    """The bot's games, in the order in which they were added."""


class ExportedGame(Report, frozen=True, kw_only=True):
    """A line of `judge ledger export --format jsonl`: a rated game that no order takes out of the
    count."""

    CALLED: ClassVar = "exported game"

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["exported-game"] = "exported-game"
    """The name of this document."""
    number: Number
    """The number of the game: its place among the games of the journal, from 1."""
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
    """The winner's shots; null if nobody won, or if the winner won by a forfeit."""
    match: Text | None
    """The id of the game's match; null for a game that is not part of a match."""
    digests: Annotated[tuple[Text | None, ...], Meta(min_length=2)]
    """SHA-256 over the files of each bot; null for a player without files."""
