"""The rules of a game as a document, cells and ships, and the check of a fleet.

`judge.game.variants` has the variants: the rules that come with the judge.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from random import Random
from typing import Annotated, ClassVar, NamedTuple

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from judge.documents.bots import Wire
from judge.documents.codec import Document, Part
from judge.errors import IllegalFleet, UsageError


class Cell(NamedTuple):
    """A cell of a board: its column and row, counted from 0 at the top left."""

    column: int
    row: int

    def __str__(self) -> str:
        return f"column {self.column}, row {self.row}"


class Orientation(StrEnum):
    """The direction of a ship: to the right from its left end, or down from its top end."""

    HORIZONTAL = "horizontal"
    VERTICAL = "vertical"


class Ship(Part, frozen=True):
    """A straight ship."""

    length: Annotated[int, Meta(ge=1, le=100)]
    """The number of cells of the ship."""
    column: Annotated[int, Meta(ge=0, le=99)]
    """The column of the ship's left or top end, from 0."""
    row: Annotated[int, Meta(ge=0, le=99)]
    """The row of the ship's left or top end, from 0."""
    orientation: Orientation
    """`horizontal`: to the right from that end. `vertical`: down from it."""

    @property
    def cells(self) -> tuple[Cell, ...]:
        return _cells(self)


@lru_cache(2048)  # 10×10 cells have some 180 ships of each length, and each game has the same
def _cells(ship: Ship) -> tuple[Cell, ...]:
    column, row = ship.column, ship.row
    if ship.orientation is Orientation.HORIZONTAL:
        return tuple([Cell(column + i, row) for i in range(ship.length)])
    return tuple([Cell(column, row + i) for i in range(ship.length)])


Fleet = tuple[Ship, ...]


class Turn(StrEnum):
    """Who shoots next, and how often."""

    HIT_AGAIN = "hit-again"  # one shot; a hit shoots again
    SALVO = "salvo"  # a shot for each own ship afloat
    BOTH = "both"  # all seats at once
    SINGLE = "single"  # one shot, then the next seat


class Goal(StrEnum):
    """The goal of the game."""

    FLEET = "fleet"  # being the last with a ship afloat
    POINTS = "points"  # hits, compared when all have had as many turns


class Repeat(StrEnum):
    """The treatment of a repeat: a shot at a cell that was shot at before."""

    ILLEGAL = "illegal"
    OLD_ANSWER = "old-answer"  # wasted, and answered as the first time
    SAID_SO = "said-so"  # wasted, and the answer says that it was a repeat
    MISS = "miss"  # wasted, and told as a miss, even on a hit


class Placing(StrEnum):
    """Who places the fleets, and whether the others are still asked after a bad fleet."""

    ALL = "all"  # every bot is asked, whatever the others did
    IN_TURN = "in-turn"  # bots are asked in the order of moving; a bad fleet ends the asking
    SHIP_BY_SHIP = "ship-by-ship"  # every bot, one ship at a time
    JUDGE = "judge"  # the judge draws them


class Sinking(StrEnum):
    """The part of a shot's result that tells of a sunk ship."""

    SHIP = "ship"  # the whole ship: its length and where it lies
    SIZE = "size"  # its length
    SUNK = "sunk"  # it says that a ship sank, but not which
    NOTHING = "nothing"  # a hit like any other


class Opening(StrEnum):
    """Who moves first in a single game if the user does not choose."""

    DRAWN = "drawn"  # drawn by the seed
    FIRST_NAMED = "first-named"  # the player in seat 0


class BadMove(StrEnum):
    """The cost of an illegal move or an unreadable reply."""

    FORFEITS = "forfeits"
    FORFEITS_MATCH = "forfeits-match"
    ASK_AGAIN = "ask-again"


ANSWER_MS = 2000  # the time for an answer, unless the rules set another
BOT_BYTES = 2 * 2**20  # the size of a bot's files, unless the rules set another

MOST_NAMED = 20  # ships named in a sentence on a fleet, at most


Side = Annotated[int, Meta(ge=1, le=100)]  # the side of a board, or the length of a ship
Seats = Annotated[int, Meta(ge=2, le=100)]
Limit = Annotated[int, Meta(ge=1, le=1_000_000)]


class Draw(Part, frozen=True):
    """A draw of the fleet's ship lengths, anew for every game and the same for all seats. Each ship
    has the shortest length with chance 1/2, the longest with 1/6, and with 1/3 their mean, rounded
    down."""

    ships: Annotated[int, Meta(ge=1, le=50)]
    """The number of ships in a fleet."""
    shortest: Side
    """The least length."""
    longest: Side
    """The greatest length."""

    def lengths(self, rng: Random) -> tuple[int, ...]:
        """Draw the lengths of a fleet, the longest first."""
        faces = 3 * (self.shortest,) + 2 * (self.middle,) + (self.longest,)
        return tuple(sorted((rng.choice(faces) for _ in range(self.ships)), reverse=True))

    @property
    def middle(self) -> int:
        return (self.shortest + self.longest) // 2

    @property
    def sizes(self) -> tuple[int, ...]:
        """The lengths that a drawn ship may have, sorted."""
        return tuple(sorted({self.shortest, self.middle, self.longest}))

    def may_be(self, lengths: Sequence[int]) -> bool:
        """Whether this draw can give these lengths."""
        return len(lengths) == self.ships and set(lengths) <= set(self.sizes)


class Rules(Document, frozen=True, kw_only=True):
    """The rules of a game: the file that --rules takes, the value of BOT_RULES, and a part of every
    game record."""

    CALLED: ClassVar = "rules file"
    MOST_BYTES: ClassVar = 2**20

    name: Annotated[str, Meta(min_length=1, max_length=60)]
    """The name of the rules."""
    columns: Side
    """Width of the board in cells."""
    rows: Side
    """Height of the board in cells."""
    fleet: Annotated[tuple[Side, ...], Meta(min_length=1, max_length=50)] | Draw
    """The lengths of the ships, or how they are drawn for each game."""
    players: tuple[Seats, Seats] = (2, 2)
    """The least and the greatest number of players."""
    turn: Turn
    """Who shoots next. `hit-again`: one shot, and another after each hit. `salvo`: a shot for each
    own ship afloat. `both`: all players at once, one shot each. `single`: one shot."""
    salvo_bonus: Annotated[tuple[Side, ...], Meta(max_length=100)] = ()
    """The lengths of ships that each give one more shot while afloat."""
    goal: Goal = Goal.FLEET
    """The goal of the game. `fleet`: to be the last with a ship afloat. `points`: to have the most
    hits after the round in which somebody reaches `points`."""
    points: Limit | None = None
    """The number of hits to reach if the goal is `points`; null for the cells of one fleet."""
    round_limit: Limit | None = None
    """The number of rounds after which the game ends: then the most ships afloat, or the most
    points, win. Null for no limit."""
    repeat: Repeat
    """The treatment of a shot at a cell that was shot at before. `illegal`: it is not allowed. The
    others waste the shot: `old-answer` tells the old result, `said-so` a repeat, `miss` a miss."""
    placing: Placing
    """Who places the fleets. `all`: every player. `in-turn`: the players in the order of moving,
    until a fleet is bad. `ship-by-ship`: every player, one ship at a time. `judge`: the judge."""
    bad_move: BadMove
    """The cost of an illegal move or an unreadable reply."""
    may_skip: bool = False
    """Whether a turn can be skipped."""
    may_return: bool = False
    """Whether a player who left may come back."""
    sinking: Sinking = Sinking.SIZE
    """The part of a shot's result that tells of a sunk ship. `ship`: the whole ship. `size`: its
    length. `sunk`: that a ship sank. `nothing`: the shot is told as any hit."""
    opening: Opening = Opening.DRAWN
    """Who moves first in a single game if the user does not choose: drawn from the seed, or the
    player named first."""
    wire: Wire = "brainjar"
    """The wire of a bot that names no wire."""
    timeout_ms: Annotated[int, Meta(ge=1, le=86_400_000)] = ANSWER_MS
    """The time for a reply, in milliseconds."""
    bot_bytes: Annotated[int, Meta(ge=1, le=2**40)] = BOT_BYTES
    """The most bytes that a bot's files may have."""
    match: Annotated[int, Meta(ge=1, le=100_000)] = 1
    """The number of games in a match. They are played over one connection and count as one result.
    1: every game counts by itself."""
    draw: Draw | UnsetType = UNSET
    """How the fleet of this game was drawn; left out if it was not drawn."""

    def __post_init__(self) -> None:
        """Raise `UsageError` if the rules contradict each other, or if a ship or the fleet is
        larger than the board."""
        if self.columns < 1 or self.rows < 1:
            raise UsageError(f"rules {self.name!r}: the board has no cells")
        least, most = self.players
        if not 2 <= least <= most:
            raise UsageError(f"rules {self.name!r}: players must be from 2 up, least first")
        at_least_one = ("points", "round_limit", "timeout_ms", "bot_bytes", "match")
        for what in at_least_one:
            limit = getattr(self, what)
            if limit is not None and limit < 1:
                raise UsageError(f"rules {self.name!r}: {what} must be at least 1")
        if isinstance(self.fleet, Draw):
            lengths: tuple[int, ...] = (self.fleet.longest,) * self.fleet.ships
            if not 1 <= self.fleet.shortest <= self.fleet.longest:
                raise UsageError(f"rules {self.name!r}: a drawn ship needs 1 ≤ shortest ≤ longest")
        else:
            lengths = self.fleet
        if not lengths or min(lengths) < 1:
            raise UsageError(f"rules {self.name!r}: the fleet needs ships of at least one cell")
        if max(lengths) > max(self.columns, self.rows) or sum(lengths) > self.columns * self.rows:
            raise UsageError(
                f"rules {self.name!r}: the fleet {', '.join(map(str, lengths))} "
                f"does not fit a board of {self.columns}×{self.rows}"
            )
        if self.draw and not self.draw.may_be(lengths):
            raise UsageError(
                f"rules {self.name!r}: draw speaks of a drawn fleet, and the fleet is not one of those"
            )

    @property
    def lengths(self) -> tuple[int, ...]:
        """The lengths of the ships of one fleet. The fleet must be drawn already."""
        assert not isinstance(self.fleet, Draw), "draw the fleet first: Rules.drawn"
        return self.fleet

    @property
    def has_ties(self) -> bool:
        """Whether a game without forfeits may end without a winner."""
        return self.turn is Turn.BOTH or self.goal is Goal.POINTS or self.round_limit is not None

    @property
    def points_goal(self) -> int:
        return self.points if self.points is not None else sum(self.lengths)

    def volley(self, afloat: Sequence[int], fresh: int) -> int:
        """The number of shots in a seat's salvo. ``afloat`` are the lengths of its ships afloat,
        ``fresh`` is the number of cells on its opponents' boards that were not shot at."""
        due = len(afloat) + sum(length in self.salvo_bonus for length in afloat)
        if self.repeat is Repeat.ILLEGAL:
            due = min(due, fresh)
        return max(1, due)

    def drawn(self, rng: Random) -> Rules:
        """These rules with the fleet of one game drawn, or these rules themselves if games draw no
        fleet."""
        if isinstance(self.fleet, Draw):
            return replace(self, fleet=self.fleet.lengths(rng), draw=self.fleet)
        return self

    def drawn_as(self, fleet: Fleet) -> Rules:
        """These rules as if they had drawn the lengths of ``fleet``, or these rules themselves if
        games draw no fleet. Raises `IllegalFleet` if the draw cannot give these lengths."""
        if not isinstance(self.fleet, Draw):
            return self
        lengths = tuple(sorted((ship.length for ship in fleet), reverse=True))
        if not self.fleet.may_be(lengths):
            raise IllegalFleet(
                f"placed ships of {_named(lengths)} where the rules draw "
                f"{self.fleet.ships} of {' or '.join(map(str, self.fleet.sizes))}"
            )
        return replace(self, fleet=lengths, draw=self.fleet)

    def on_grid(self, cell: Cell) -> bool:
        return 0 <= cell.column < self.columns and 0 <= cell.row < self.rows

    def check_fleet(self, fleet: Fleet) -> None:
        """Raise `IllegalFleet` unless this is a legal fleet."""
        self.check_lengths(fleet)
        taken: dict[Cell, Ship] = {}
        for ship in fleet:
            self._check_cells(ship, taken)
            taken |= dict.fromkeys(ship.cells, ship)

    def check_lengths(self, fleet: Fleet) -> None:
        """Raise `IllegalFleet` unless the ships have the lengths of the rules, wherever they
        lie."""
        if Counter(ship.length for ship in fleet) != Counter(self.lengths):
            wanted, got = (
                _named(sorted(lengths))
                for lengths in (self.lengths, [ship.length for ship in fleet])
            )
            raise IllegalFleet(f"placed ships of {got} where the rules have {wanted}")

    def check_ship(self, ship: Ship, placed: Sequence[Ship]) -> None:
        """Raise `IllegalFleet` unless a ship lies on the board and overlaps none of the ships
        ``placed``."""
        self._check_cells(ship, {cell: other for other in placed for cell in other.cells})

    def _check_cells(self, ship: Ship, taken: Mapping[Cell, Ship]) -> None:
        """Raise `IllegalFleet` unless a ship lies on the board and on no cell of ``taken``, which
        maps the cells of other ships to these ships."""
        for cell in ship.cells:
            if not self.on_grid(cell):
                grid = f"{self.columns}×{self.rows} grid"
                raise IllegalFleet(f"the ship of {ship.length} leaves the {grid} at ", cell)
            if cell in taken:
                lengths = f"{taken[cell].length} and {ship.length}"
                raise IllegalFleet(f"the ships of {lengths} overlap at ", cell)


def _named(lengths: Sequence[int]) -> str:
    """The lengths of ships in words: at most the first `MOST_NAMED`, and how many more there
    are."""
    more = len(lengths) - MOST_NAMED
    named = ", ".join(map(str, lengths[:MOST_NAMED])) or "none"
    return f"{named} and {more:,} more" if more > 0 else named
