"""The documents of a ledger: the lines of its journal, and X.json, the standings that they give."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, Raw, UnsetType, field

from judge.documents.codec import Part, Report
from judge.documents.game import WHOLE_RECORD, Limits, OfMatch, RunSeed, Seat, Termination
from judge.documents.rules import Rules
from judge.errors import UsageError

MOST_SEATS = 100
LONGEST_TITLE = 200
LONGEST_ABOUT = 20_000
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
    """The facts of a game that are counted, seat by seat."""

    id: Id
    """The id of the game."""
    names: Annotated[tuple[Name, ...], Meta(min_length=2, max_length=MOST_SEATS)]
    """The players."""
    digests: Annotated[tuple[Digest | None, ...], Meta(min_length=2, max_length=MOST_SEATS)]
    """SHA-256 over the files of each; null for a player without any."""
    winner: Seat | None
    """The seat that won; null for nobody."""
    termination: Termination
    """Why the game ended."""
    forfeits: dict[Seat, Termination] = field(default_factory=dict)
    """The seats that forfeited, and how."""
    rated: bool = True
    """Whether the game counts."""
    shots: Count | None = None
    """The shots of a winner by play; null if nobody won, or by a forfeit."""
    volleys: Count | None = None
    """The volleys that these were."""
    match: OfMatch | None = None
    """The match, if the rules count matches."""
    marks: Annotated[tuple[Count, ...], Meta(max_length=MOST_SEATS)] | None = None
    """In a game of more than two: what ranks the seats, the best the greatest. The winner is first and
    a forfeit last; null if only the winner is known."""

    @property
    def against_itself(self) -> str | None:
        """The player that sits in two seats, if one does: such a game moves no points."""
        return next((name for name in self.names if self.names.count(name) > 1), None)

    def __post_init__(self) -> None:
        seats = len(self.names)
        if len(self.digests) != seats or (self.marks is not None and len(self.marks) != seats):
            raise UsageError("its lists have other seats than there are players")
        if max(self.winner or 0, *self.forfeits, 0) >= seats:
            raise UsageError("it speaks of seats that nobody has")


class PlanNumbers(Part, frozen=True, kw_only=True):
    """A format, with the numbers that go with it."""

    format: Annotated[str, Meta(min_length=1, max_length=100)] = field(name="name")
    """The format."""
    units: Number = 1
    """How many units two bots play when they meet: games, or matches if the rules count those. A round
    of balanced groups counts as two, as a round of pairs does."""
    rounds: Annotated[int, Meta(ge=1, le=1000)] = 1
    """The rounds of a Swiss contest; 1 otherwise."""
    match: Number = 1
    """The games of a unit: 1, or those of a match."""
    lives: Annotated[int, Meta(ge=0, le=1000)] = 0
    """The lives that everyone begins with; 0 without lives."""
    bot: Annotated[str, Meta(max_length=1000)] | None = None
    """The bot of a gauntlet."""


class PlanInBrief(PlanNumbers, frozen=True, kw_only=True):
    """How a contest is held, without the draw and the bots."""

    seats: Annotated[int, Meta(ge=3, le=MOST_SEATS)] | UnsetType = UNSET
    """How many play a game; left out if two do."""


class Plan(PlanNumbers, frozen=True, kw_only=True):
    """How a contest is held: its format, with the numbers that go with it."""

    bots: Annotated[tuple[Name, ...], Meta(max_length=2000)] = ()
    """The bots, the highest seed first, if the field is fixed when the contest begins."""
    draw: Draw = "0"
    """The seed of the draw: who meets whom. It tells nothing of the seeds of games."""
    seats: Annotated[int, Meta(ge=2, le=MOST_SEATS)] = 2
    """How many play a game."""

    @property
    def seed(self) -> int:
        """The seed of the draw."""
        return int(self.draw)

    @property
    def in_brief(self) -> dict[str, Any]:
        """The fields of the plan in brief."""
        brief = {name: getattr(self, name) for name in PlanInBrief.__struct_fields__}
        return brief if self.seats > 2 else brief | {"seats": UNSET}


class Entry(Part, frozen=True, kw_only=True, tag_field="kind", omit_defaults=True):
    """A line of ledger.games.jsonl: a game, or a note on how games are to be counted."""

    CALLED: ClassVar = "journal entry"

    kind: ClassVar[str]
    """The kind of entry."""
    hash: Hash | None = None
    """A digest of the hash of the entry before, and of this one; each line ends with it."""


class Header(Entry, frozen=True, kw_only=True, tag="ledger"):
    """The first line."""

    version: Literal[1]
    """The version of this format."""
    id: Hash
    """Drawn when the ledger is made, so that no two ledgers have a line in common."""


class Game(Entry, frozen=True, kw_only=True, tag="game"):
    """A game that is over."""

    key: Hash | None
    """A digest of all that shapes the game: two games with one key are the same game. Null if a seed
    does not say how it goes."""
    result: GameResult
    """The facts that are counted."""
    record: Annotated[Raw, WHOLE_RECORD]
    """The game, whole."""


class Begun(Entry, frozen=True, kw_only=True, tag="begun"):
    """A game that has begun at a server. The game of the same id stands after it once it is over;
    if that game is missing, the server was killed, and the next one adds it as aborted."""

    id: Id
    """The id of the game."""
    record: Annotated[Raw, WHOLE_RECORD]
    """The game as it is to be recorded if nothing more comes of it."""


class Void(Entry, frozen=True, kw_only=True, tag="void"):
    """Takes games out of the count, wherever it stands."""

    games: Annotated[tuple[Number, ...], Meta(min_length=1)]
    """Their numbers: a game's place among the games of the journal, from 1."""
    reason: Reason
    """Why, in the words of who runs the contest."""


class Reset(Entry, frozen=True, kw_only=True, tag="reset"):
    """Starts a bot's points anew at 10; its next game is that of a new version."""

    bot: Name
    """The bot's name."""


class Retire(Entry, frozen=True, kw_only=True, tag="retire"):
    """Takes a bot from the table; its games go on to count."""

    bot: Name
    """The bot's name."""


class Disqualify(Entry, frozen=True, kw_only=True, tag="disqualify"):
    """Takes all games of a bot out of the count, wherever they stand."""

    bot: Name
    """The bot's name."""
    reason: Reason
    """Why, in the words of who runs the contest."""


class Undo(Entry, frozen=True, kw_only=True, tag="undo"):
    """Takes an order back, as if it had never been given. Orders are the entries that void, reset,
    retire or disqualify."""

    order: Number
    """Which order: its place among those of the journal, from 1."""


class Contest(Entry, frozen=True, kw_only=True, tag="contest"):
    """Fixes the seed of the contest, and how it is held. A later entry may change how, so that more is
    played."""

    seed: RunSeed
    """The seed from which those of all ranked games come. Text, as --seed takes it."""
    contest_key: Name | None = None
    """How the ids of its games go on after the two bots: the rules, and the name of the contest."""
    plan: Plan | None = None
    """How it is held; left out for rounds."""


class Description(Entry, frozen=True, kw_only=True, tag="description"):
    """The organiser's words about the contest on its pages. The last one holds."""

    title: Annotated[str, Meta(max_length=LONGEST_TITLE)] = ""
    """The title of the contest; empty for none."""
    about: Annotated[str, Meta(max_length=LONGEST_ABOUT)] = ""
    """The organiser's text, in Markdown; empty for nothing."""

    def changed(self, title: str | None, about: str | None) -> Description:
        """With another title or text; None leaves it as it is."""
        return Description(
            title=self.title if title is None else title,
            about=self.about if about is None else about,
        )


Order = Void | Reset | Retire | Disqualify
AnyEntry = Header | Game | Begun | Order | Undo | Contest | Description


class GivenOrder(Part, frozen=True):
    """An order, and what became of it."""

    order: Order
    """The order."""
    undone: bool
    """Whether a later entry takes it back."""


class RankedBot(Part, frozen=True):
    """A bot whose games count."""

    name: Name
    """The bot's name."""
    points: Points
    """Its points by the percentage rule, not rounded."""
    version: Number
    """The version of it that played last."""


class VersionRow(Part, frozen=True, array_like=True):
    """The results of a version of a bot. A unit is a game, or a match if the rules count those."""

    bot: Count
    """The bot: its place in the list of bots, from 0."""
    version: Number
    """Which of its versions, from 1."""
    won: Count
    """Units won."""
    lost: Count
    """Units lost."""
    tied: Count
    """Units tied."""
    games_won: Count
    """Games won."""
    games_lost: Count
    """Games lost."""
    games_tied: Count
    """Games tied."""
    won_by_play: Count
    """Games that it won otherwise than by a forfeit."""
    shots_to_win: Count
    """Its shots in these."""
    volleys_to_win: Count
    """Its volleys in these."""
    streak: Count
    """Games that it forfeited in a row by time-out or crash, up to its last."""
    forfeits: dict[Termination, Count]
    """Games that it forfeited, by cause."""


class PairRow(Part, frozen=True, array_like=True):
    """The units of two versions."""

    one: Count
    """A version: its place in the list of results, from 0."""
    other: Count
    """Another."""
    won: Count
    """Units that the first of them won."""
    lost: Count
    """Units that it lost."""
    tied: Count
    """Units tied."""


class GroupRow(Part, frozen=True, array_like=True):
    """The games of more than two players that two versions shared."""

    one: Count
    """A version: its place in the list of results, from 0."""
    other: Count
    """Another."""
    above: Count
    """Games in which the first of them came before the other."""
    below: Count
    """Games in which it came after the other."""
    level: Count
    """Games in which the two were level."""
    won: Count
    """Games that the first of them won, before all others."""
    lost: Count
    """Games that the other won."""


class Group(Part, frozen=True):
    """Games of as many players."""

    seats: Annotated[int, Meta(ge=3, le=MOST_SEATS)]
    """How many players."""
    ranked: bool
    """Whether all players are ranked, by their scores; otherwise only the winner is known."""
    games: Count
    """How many games count."""
    pairs: tuple[GroupRow, ...]
    """The versions that sat in the same games."""


class Unit(Part, frozen=True, array_like=True):
    """The games that a unit is made of."""

    one: Name
    """The bot whose name sorts first."""
    other: Name
    """The other bot."""
    versions: tuple[Number, Number]
    """The version of each."""
    won: Count
    """Games that the first won."""
    lost: Count
    """Games that it lost."""
    tied: Count
    """Games tied."""
    void: Count
    """Games that count for nobody."""
    forfeits: Annotated[int, Meta(ge=0, le=3)]
    """1 if the first forfeited one, 2 if the second did, 3 if both did."""


class MeetingRow(Unit, frozen=True, array_like=True):
    """A meeting of two bots, by formats that look at results."""

    number: Number
    """Their first meeting, their second, and so on."""


class OpenRow(Unit, frozen=True, array_like=True):
    """A match that is not over; its games do not count yet."""

    id: Id
    """The match's id."""


class HeldContest(Part, frozen=True):
    """A contest that is not simply held in rounds."""

    plan: Plan
    """How it is held."""
    contest_key: Name
    """How the ids of its games go on after the two bots: the rules, and the name of the contest."""
    units: tuple[MeetingRow, ...]
    """The results of its units, by formats that look at them."""


class LedgerDocument(Report, frozen=True, kw_only=True):
    """ledger.json: the standings, computed from the journal beside it (ledger.games.jsonl) and from
    nothing else. The judge writes it and never reads it back."""

    CALLED: ClassVar = "ledger"

    version: Literal[1] = 1
    """The version of this format."""
    kind: Literal["ledger"] = "ledger"
    """The name of this document."""
    seed: RunSeed | None
    """The seed of the contest; null until `judge rank` first plays on this ledger. Text, as --seed
    takes it."""
    entries: Count
    """The lines of the journal that these standings know."""
    recorded: Count
    """All games in them, those that do not count included."""
    last: Id | None
    """The id of the last of these games."""
    orders: tuple[GivenOrder, ...]
    """The orders on how games are to be counted; an order's place, from 1, is its number."""
    versions: dict[str, tuple[Digest | None, ...]]
    """The versions of each bot, in the order in which they first played: SHA-256 over its files; null
    for a player without any. A version begins with other files, or with a reset."""
    description: Description
    """The organiser's latest words about the contest."""
    contest: HeldContest | None
    """The contest; null if it is held in rounds."""
    rules: Rules | None
    """The rules of all games; null before the first. How the fleet is drawn, if they draw it for each
    game."""
    limits: Limits | None
    """The limits in force for each move; null before the first game."""
    games: Count
    """The games that count."""
    void: Count
    """Games that count for nobody by how they ended."""
    voided: Count
    """Games that were taken out of the count by their numbers."""
    disqualified: Count
    """Games that do not count because a bot of theirs is disqualified."""
    bots: tuple[RankedBot, ...]
    """The bots with games that are in neither of the last two, in the order of their first."""
    results: tuple[VersionRow, ...]
    """The results of each version of a bot, in the order of their first games."""
    pairs: tuple[PairRow, ...]
    """The versions that played each other."""
    groups: tuple[Group, ...]
    """Games of more than two players, those of as many players together."""
    open_matches: tuple[OpenRow, ...]
    """The matches that are not over, if the rules count matches."""
