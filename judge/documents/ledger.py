"""The documents of a ledger: the lines of its journal, and the file ledger.json, which is computed
from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from msgspec import Meta, Raw, field

from judge.documents.codec import Growing, Part, Report
from judge.documents.game import WHOLE_RECORD, Limits, OfMatch, RunSeed, Seat, Termination
from judge.documents.rules import Rules
from judge.errors import UsageError

MOST_SEATS = 100
LONGEST_TITLE = 200
LONGEST_ABOUT = 20_000
HOPELESS = frozenset({Termination.TIMEOUT, Termination.CRASH})
_END = r"(?![\s\S])"

Name = Annotated[str, Meta(min_length=1, max_length=1000)]
Digest = Annotated[str, Meta(max_length=1000)]
Id = Annotated[str, Meta(max_length=1000)]
Hash = Annotated[str, Meta(pattern=rf"^[0-9a-f]{{32}}{_END}")]
Draw = Annotated[str, Meta(pattern=rf"^(0|[1-9][0-9]{{0,15}}){_END}")]
Reason = Annotated[str, Meta(min_length=1, max_length=10_000)]
Number = Annotated[int, Meta(ge=1, le=10**9)]
Count = Annotated[int, Meta(ge=0, le=10**15)]
Points = Annotated[float, Meta(ge=10, le=10**15)]


class GameResult(Part, frozen=True):
    """The facts of a game that are counted. Each list goes seat by seat."""

    id: Id
    """The id of the game."""
    names: Annotated[tuple[Name, ...], Meta(min_length=2, max_length=MOST_SEATS)]
    """The players' names."""
    digests: Annotated[tuple[Digest | None, ...], Meta(min_length=2, max_length=MOST_SEATS)]
    """SHA-256 over the files of each player; null for a player without files."""
    winner: Seat | None
    """The seat that won; null if nobody won."""
    termination: Termination
    """Why the game ended."""
    forfeits: dict[Seat, Termination] = field(default_factory=dict)
    """How each seat that forfeited did so."""
    rated: bool = True
    """Whether the game counts."""
    shots: Count | None = None
    """The winner's shots; null if nobody won, or if the winner won by a forfeit."""
    volleys: Count | None = None
    """The winner's volleys; null if nobody won, or if the winner won by a forfeit."""
    match: OfMatch | None = None
    """The game's place in its match; null if the game counts by itself."""
    marks: Annotated[tuple[Count, ...], Meta(max_length=MOST_SEATS)] | None = None
    """In a game of more than two, a number for each seat, by which the seats are ranked: the winner
    has the greatest, a seat that forfeited the least. Null if only the winner is known, or in a
    game of two."""

    def __post_init__(self) -> None:
        seats = len(self.names)
        if len(self.digests) != seats or (self.marks is not None and len(self.marks) != seats):
            raise UsageError("its lists have other seats than there are players")
        if max(self.winner or 0, *self.forfeits, 0) >= seats:
            raise UsageError("it speaks of seats that nobody has")


class WonLostTied(Growing, array_like=True, gc=False):
    """The games or matches of a player, by their ends."""

    won: Count = 0
    """The number won."""
    lost: Count = 0
    """The number lost."""
    tied: Count = 0
    """The number tied."""

    @property
    def games(self) -> int:
        """The number of games or matches that count."""
        return self.won + self.lost + self.tied

    @property
    def points(self) -> int:
        """Twice the points: two for a win, one for a tie."""
        return 2 * self.won + self.tied

    def end(self, winner: int | None, seat: int, marks: Sequence[int] | None = None) -> None:
        """Count a game or a match as won, lost or tied, as `end_of` says."""
        self.score(**{end_of(winner, seat, marks): 1})

    def score(self, *, won: int = 0, lost: int = 0, tied: int = 0) -> None:
        """Add these numbers of won, lost and tied games."""
        self.won += won
        self.lost += lost
        self.tied += tied


class Counts(WonLostTied, array_like=True, gc=False):
    """The counts of one player's games."""

    won_by_play: Count = 0
    """Games that the player won and that did not end by a forfeit."""
    shots_to_win: Count = 0
    """The player's shots in the games of `won_by_play`."""
    volleys_to_win: Count = 0
    """The player's volleys in the games of `won_by_play`."""
    streak: Count = 0
    """The latest games in a row that the player forfeited by time-out or crash. Other void games do
    not end a streak."""
    forfeits: dict[Termination, Count] = field(default_factory=dict)
    """Games that the player forfeited, by cause, also void games."""

    @property
    def shots_to_win_mean(self) -> float | None:
        return self.shots_to_win / self.won_by_play if self.won_by_play else None

    @property
    def volleys_to_win_mean(self) -> float | None:
        return self.volleys_to_win / self.won_by_play if self.won_by_play else None

    def add(self, game: GameResult, seat: int) -> None:
        """Count a game in which the player had this seat."""
        self.play(game, seat)
        if game.rated:
            self.end(game.winner, seat, game.marks)

    def play(self, game: GameResult, seat: int) -> None:
        """Count the forfeits, shots and volleys of a game, but not its winner. `end` counts the
        winner, for a match only once it is over."""
        if termination := game.forfeits.get(seat):
            self.forfeits[termination] = self.forfeits.get(termination, 0) + 1
        if termination in HOPELESS:
            self.streak += 1
        elif game.rated:
            self.streak = 0
        if game.rated and game.winner == seat and game.shots is not None:
            self.won_by_play += 1
            self.shots_to_win += game.shots
            self.volleys_to_win += game.volleys or 0


def end_of(
    winner: int | None, seat: int, marks: Sequence[int] | None = None
) -> Literal["won", "lost", "tied"]:
    """Whether a seat has won, lost or tied a game or a match. If ``winner`` is None, all seats have
    tied, or with ``marks`` only those with the best mark; the others have lost."""
    if winner is None and (marks is None or marks[seat] == max(marks)):
        return "tied"
    return "won" if winner == seat else "lost"


class PlanNumbers(Part, frozen=True, kw_only=True):
    """The format of a contest and its numbers."""

    format: Annotated[str, Meta(min_length=1, max_length=100)] = field(name="name")
    """The format."""
    units: Number = 1
    """The number of units that two bots play at a meeting: games, or matches if the rules count
    matches. In games of more than two players, a round in which every bot has each seat once counts
    as two."""
    rounds: Annotated[int, Meta(ge=1, le=1000)] = 1
    """The rounds of a Swiss contest; 1 otherwise."""
    match: Number = 1
    """The games of a unit: 1, or the games of a match."""
    lives: Annotated[int, Meta(ge=0, le=1000)] = 0
    """The lives with which every bot begins; 0 if the format has no lives."""
    bot: Annotated[str, Meta(max_length=1000)] | None = None
    """The bot whose gauntlet it is; null for other formats."""


class Plan(PlanNumbers, frozen=True, kw_only=True):
    """The plan of a contest: its format and numbers, its bots and its draw."""

    bots: Annotated[tuple[Name, ...], Meta(max_length=2000)] = ()
    """The bots, the highest-seeded first; empty if bots may still join the contest."""
    draw: Draw = "0"
    """The seed of the draw, which decides who meets whom. Seeds of games do not come from it."""
    seats: Annotated[int, Meta(ge=2, le=MOST_SEATS)] = 2
    """The number of players in a game."""

    @property
    def seed(self) -> int:
        """The seed of the draw."""
        return int(self.draw)


class Entry(Part, frozen=True, kw_only=True, tag_field="kind", omit_defaults=True):
    """A line of ledger.games.jsonl, the journal of a ledger: a game, an order, or another note."""

    CALLED: ClassVar = "journal entry"

    kind: ClassVar[str]
    """The kind of entry."""
    hash: Hash | None = None
    """A digest of this entry and the hash of the entry before; every line ends with it."""


class Header(Entry, frozen=True, kw_only=True, tag="ledger"):
    """The first line of a journal."""

    version: Literal[1]
    """The version of this format."""
    id: Hash
    """A random id of the ledger: no two ledgers have the same first line."""


class Game(Entry, frozen=True, kw_only=True, tag="game"):
    """A game that is over."""

    key: Hash | None
    """A digest of all that determines the game: two games with one key are the same game. Null if a
    person played, or if no seed determines the game."""
    result: GameResult
    """The facts that are counted."""
    record: Annotated[Raw, WHOLE_RECORD]
    """The record of the game."""


class Begun(Entry, frozen=True, kw_only=True, tag="begun"):
    """A game that has begun at a server. Once it is over, a later entry holds the game with the
    same id. If the server is killed before that, the next server adds the game as aborted."""

    id: Id
    """The id of the game."""
    record: Annotated[Raw, WHOLE_RECORD]
    """The record of the aborted game, which is added if the server is killed."""


class Void(Entry, frozen=True, kw_only=True, tag="void"):
    """An order that takes earlier games out of the count."""

    games: Annotated[tuple[Number, ...], Meta(min_length=1)]
    """The numbers of the games. A game's number is its place among the games of the journal, from
    1."""
    reason: Reason
    """The reason, in the organiser's words."""


class Reset(Entry, frozen=True, kw_only=True, tag="reset"):
    """An order that sets a bot's points back to 10. The bot's next game begins a new version."""

    bot: Name
    """The bot's name."""


class Retire(Entry, frozen=True, kw_only=True, tag="retire"):
    """An order that takes a bot out of the table. The bot's games still count."""

    bot: Name
    """The bot's name."""


class Disqualify(Entry, frozen=True, kw_only=True, tag="disqualify"):
    """An order that takes all games of a bot, later ones too, out of the count."""

    bot: Name
    """The bot's name."""
    reason: Reason
    """The reason, in the organiser's words."""


class Undo(Entry, frozen=True, kw_only=True, tag="undo"):
    """An entry that takes an order back: the games count as if the order had never been given."""

    order: Number
    """The number of the order: its place among the orders of the journal, from 1."""


class Contest(Entry, frozen=True, kw_only=True, tag="contest"):
    """An entry that fixes the seed and the plan of a contest. A later one may replace the plan."""

    seed: RunSeed
    """The seed of the contest, from which the seeds of its games come. Text, as --seed takes it."""
    contest_key: Name | None = None
    """The part of the ids of the contest's games between the bots and the number: the rules and the
    contest's name."""
    plan: Plan | None = None
    """The plan of the contest; left out for rounds."""


class Description(Entry, frozen=True, kw_only=True, tag="description"):
    """The organiser's title and text on the contest's pages. The last such entry is in force."""

    title: Annotated[str, Meta(max_length=LONGEST_TITLE)] = ""
    """The title of the contest; may be empty."""
    about: Annotated[str, Meta(max_length=LONGEST_ABOUT)] = ""
    """The organiser's text, in Markdown; may be empty."""


Order = Void | Reset | Retire | Disqualify
AnyEntry = Header | Game | Begun | Order | Undo | Contest | Description


class GivenOrder(Part, frozen=True):
    """An order, and whether it still holds."""

    order: Order
    """The order."""
    undone: bool
    """Whether a later entry takes it back."""


class BotTally(Growing):
    """A bot of the ledger, and its points."""

    name: Name
    """The bot's name."""
    points: Points
    """The bot's points by the percentage rule, not rounded."""
    version: Number
    """The number of the bot's version that played last."""


class VersionTally(Growing, array_like=True):
    """The results of a version of a bot. A unit is a game, or a match if the rules count
    matches."""

    name: Name
    """The bot's name."""
    version: Number
    """The number of the version, from 1."""
    units: WonLostTied = field(default_factory=WonLostTied)
    """The version's units."""
    counts: Counts = field(default_factory=Counts)
    """The version's games. The games of a match are won, lost or tied when the match is over."""


class GroupPair(WonLostTied, array_like=True, gc=False):
    """The games of more than two players that two versions shared, from the side of the first: won
    if it ranked above the other, lost if it ranked below, tied if they ranked level."""

    first_won: Count = 0
    """Games that the first version won."""
    other_won: Count = 0
    """Games that the other version won."""


class Group(Growing):
    """All games with one number of players (more than two) and one value of `ranked`."""

    seats: Annotated[int, Meta(ge=3, le=MOST_SEATS)]
    """The number of players."""
    ranked: bool
    """Whether all players are ranked, by their scores; otherwise only the winner is known."""
    games: Count = 0
    """The number of games that count."""
    pairs: dict[Count, dict[Count, GroupPair]] = field(default_factory=dict)
    """The results of every two versions that sat in the same games, by the indices of the first and
    of the other in `results`. If only the winner is known, two versions have a result only in games
    that one of them won."""


class Unit(Growing, array_like=True, gc=False):
    """The results of the games of one unit between two bots."""

    one: Name
    """The bot whose name sorts first."""
    other: Name
    """The other bot."""
    versions: tuple[Number, Number]
    """The versions of the two bots."""
    won: Count = 0
    """Games that the first bot won."""
    lost: Count = 0
    """Games that the first bot lost."""
    tied: Count = 0
    """Games tied."""
    void: Count = 0
    """Games that count for nobody."""
    forfeits: Annotated[int, Meta(ge=0, le=3)] = 0
    """The bots that forfeited a game: 0 none, 1 the first, 2 the other, 3 both."""

    @property
    def games(self) -> int:
        return self.won + self.lost + self.tied + self.void

    def add(self, game: GameResult) -> None:
        """Count a game of the two bots."""
        is_swapped = game.names[0] != self.one
        for seat in game.forfeits:
            self.forfeits |= 1 << (seat ^ is_swapped)
        if not game.rated:
            self.void += 1
        elif game.winner is None:
            self.tied += 1
        elif game.winner ^ is_swapped:
            self.lost += 1
        else:
            self.won += 1


class MeetingRow(Unit, array_like=True, gc=False, kw_only=True):
    """A unit of two bots in a contest."""

    number: Number
    """The number of the meeting between the two bots, from 1."""


class OpenRow(Unit, array_like=True, gc=False, kw_only=True):
    """A match that is not over. Its games do not count yet."""

    id: Id
    """The id of the match."""


class HeldContest(Part, frozen=True):
    """A contest that is held otherwise than in rounds."""

    plan: Plan
    """The plan of the contest."""
    contest_key: Name
    """The part of the ids of the contest's games between the bots and the number: the rules and the
    contest's name."""
    units: tuple[MeetingRow, ...]
    """The results of the contest's units; empty if its format does not rank the bots and its units
    are games."""


class LedgerDocument(Report, frozen=True, kw_only=True):
    """The file ledger.json: the counts of a ledger, computed from its journal (ledger.games.jsonl).
    Only `judge ledger verify` reads this file, to compare it with the journal."""

    CALLED: ClassVar = "ledger"

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["ledger"] = "ledger"
    """The name of this document."""
    seed: RunSeed | None
    """The seed of the contest; null until a contest begins. Text, as --seed takes it."""
    entries: Count
    """The number of journal lines that this document counts."""
    recorded: Count
    """The number of games in those lines, also games that do not count."""
    last: Id | None
    """The id of the last game in those lines; null if there is no game."""
    orders: tuple[GivenOrder, ...]
    """The orders. An order's place in this list, from 1, is its number."""
    versions: dict[str, tuple[Digest | None, ...]]
    """The versions of each bot, in the order of their first games: SHA-256 over the files; null for
    a player without files. Changed files or a reset begin a new version."""
    description: Description
    """The organiser's latest title and text."""
    contest: HeldContest | None
    """The contest; null if it is held in rounds, or if there is no contest."""
    rules: Rules | None
    """The rules of all games; null before the first game. If each game draws its fleet, `fleet`
    says how."""
    limits: Limits | None
    """The limits in force for each move; null before the first game."""
    games: Count
    """The games that count."""
    void: Count
    """Games that count for nobody because of their termination."""
    voided: Count
    """Games that an order took out of the count by their numbers."""
    disqualified: Count
    """Other games that do not count because a bot in them is disqualified."""
    bots: tuple[BotTally, ...]
    """The bots with games that no order takes out of the count, in the order of their first
    games."""
    results: tuple[VersionTally, ...]
    """The results of each version of a bot, in the order of the versions' first games."""
    pairs: dict[Count, dict[Count, WonLostTied]]
    """The units of each two versions that played each other, from the side of the first: by the
    index of the first in `results`, and then by that of the other."""
    groups: tuple[Group, ...]
    """The games of more than two players, grouped by the number of players."""
    open_matches: tuple[OpenRow, ...]
    """The matches that are not over; empty if the rules count games."""
