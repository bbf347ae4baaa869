"""The rules of a game as data: cells, ships, how games differ, and why a fleet is refused.

This file knows no position and no player. The rows are in `judge.game.variants`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from random import Random
from typing import Any, NamedTuple

from judge.errors import IllegalFleet, UsageError
from judge.game.limits import ANSWER_MS


class Cell(NamedTuple):
    """A square of a board, counted from 0 at the top left."""

    column: int
    row: int

    def __str__(self) -> str:
        return f"column {self.column}, row {self.row}"


class Orientation(StrEnum):
    HORIZONTAL = "horizontal"
    VERTICAL = "vertical"


@dataclass(frozen=True, slots=True)
class Ship:
    """A straight ship; ``column`` and ``row`` are its left or top end."""

    length: int
    column: int
    row: int
    orientation: Orientation

    @property
    def cells(self) -> tuple[Cell, ...]:
        column, row = self.column, self.row
        if self.orientation is Orientation.HORIZONTAL:
            return tuple([Cell(column + i, row) for i in range(self.length)])
        return tuple([Cell(column, row + i) for i in range(self.length)])


Fleet = tuple[Ship, ...]


class Turn(StrEnum):
    """Who shoots next, and how often."""

    HIT_AGAIN = "hit-again"  # one shot; a hit shoots again
    SALVO = "salvo"  # a shot for each own ship afloat
    BOTH = "both"  # everyone at once
    SINGLE = "single"  # one shot, then the next seat


class Goal(StrEnum):
    """What wins."""

    FLEET = "fleet"  # being the last with a ship afloat
    POINTS = "points"  # hits, compared when all have had as many turns


class Repeat(StrEnum):
    """What becomes of a shot at a cell that was shot at before."""

    ILLEGAL = "illegal"
    OLD_ANSWER = "old-answer"  # wasted, and answered as the first time
    SAID_SO = "said-so"  # wasted, and the answer says that it was a repeat
    MISS = "miss"  # wasted, and told as a miss, even on a hit


class Placing(StrEnum):
    """Who places the fleets, and who is still asked after a bad one."""

    ALL = "all"  # every bot is asked, whatever the others did
    IN_TURN = "in-turn"  # in the order of moving, and nobody after a bad fleet
    SHIP_BY_SHIP = "ship-by-ship"  # every bot, one ship at a time
    JUDGE = "judge"  # nobody: the judge draws them


class Sinking(StrEnum):
    """What the answer to a shot that sinks a ship tells."""

    SHIP = "ship"  # the whole ship: its length and where it lies
    SIZE = "size"  # its length
    SUNK = "sunk"  # that a ship sank, and not which
    NOTHING = "nothing"  # a hit like any other


class Opening(StrEnum):
    """Who moves first in a single game where the user does not say."""

    DRAWN = "drawn"  # drawn by the seed
    FIRST_NAMED = "first-named"  # the player in seat 0


class BadMove(StrEnum):
    """What an illegal move or an unreadable reply costs."""

    FORFEITS = "forfeits"
    FORFEITS_MATCH = "forfeits-match"
    ASK_AGAIN = "ask-again"


_ENUMS = {
    "turn": Turn,
    "goal": Goal,
    "repeat": Repeat,
    "placing": Placing,
    "bad_move": BadMove,
    "sinking": Sinking,
    "opening": Opening,
}

BOT_BYTES = 2 * 2**20  # of a bot's files, by rules that do not say

MOST_NAMED = 20  # ships in a sentence on a fleet


@dataclass(frozen=True, slots=True)
class Draw:
    """A fleet drawn anew for every game, the same for all seats."""

    ships: int
    shortest: int
    longest: int

    def lengths(self, rng: Random) -> tuple[int, ...]:
        """Draw the lengths: the shortest with chance 1/2, the longest 1/6, the middle 1/3."""
        faces = 3 * (self.shortest,) + 2 * (self.middle,) + (self.longest,)
        return tuple(sorted((rng.choice(faces) for _ in range(self.ships)), reverse=True))

    @property
    def middle(self) -> int:
        return (self.shortest + self.longest) // 2

    @property
    def sizes(self) -> tuple[int, ...]:
        """The lengths that a ship may be drawn with."""
        return tuple(sorted({self.shortest, self.middle, self.longest}))

    def may_be(self, lengths: Sequence[int]) -> bool:
        """Whether a draw can come to these lengths."""
        return len(lengths) == self.ships and set(lengths) <= set(self.sizes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """One game's rules, and what usually goes with them.

    ``players`` is the least and the greatest number of seats. ``wire`` is what a bot speaks that
    does not say otherwise. ``timeout_ms`` is the time for an answer, ``bot_bytes`` the most that
    the files of a bot may have. ``match`` is the number of games in the unit that counts: 1, or
    the games of a match over one connection.
    """

    name: str
    columns: int
    rows: int
    fleet: tuple[int, ...] | Draw
    players: tuple[int, int] = (2, 2)
    turn: Turn
    salvo_bonus: tuple[int, ...] = ()  # lengths of the ships that give one shot more
    goal: Goal = Goal.FLEET
    points: int | None = None  # what Goal.POINTS needs; None: the cells of one fleet
    round_limit: int | None = None
    repeat: Repeat
    placing: Placing
    bad_move: BadMove
    may_skip: bool = False
    may_return: bool = False  # who leaves may come back
    sinking: Sinking = Sinking.SIZE
    opening: Opening = Opening.DRAWN
    wire: str = "brainjar"
    timeout_ms: int = ANSWER_MS
    bot_bytes: int = BOT_BYTES
    match: int = 1
    draw: Draw | None = None

    def __post_init__(self) -> None:
        """Refuse rules that no game can be played by, with a `UsageError` that says why."""
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
        if self.draw is not None and not self.draw.may_be(lengths):
            raise UsageError(
                f"rules {self.name!r}: draw speaks of a drawn fleet, and the fleet is not one of those"
            )

    def to_json(self) -> dict[str, Any]:
        """These rules as the ``rules`` schema has them, every field written out; ``draw`` only of
        a drawn fleet."""
        document = asdict(self)
        if self.draw is None:
            del document["draw"]
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in document.items()
        }

    @classmethod
    def from_json(cls, document: dict[str, Any]) -> Rules:
        """Read a document that has passed the ``rules`` schema.

        Raises `UsageError` where the fields are well-formed but make no game.
        """
        fields = dict(document)
        fleet = fields["fleet"]
        fields["fleet"] = tuple(fleet) if isinstance(fleet, list) else Draw(**fleet)
        if fields.get("draw") is not None:
            fields["draw"] = Draw(**fields["draw"])
        for name in ("players", "salvo_bonus"):
            if name in fields:
                fields[name] = tuple(fields[name])
        for name, kind in _ENUMS.items():
            if name in fields:
                fields[name] = kind(fields[name])
        return cls(**fields)

    @property
    def lengths(self) -> tuple[int, ...]:
        """The ships of one fleet; of rules whose fleet is still to be drawn, a bug to ask."""
        assert not isinstance(self.fleet, Draw), "draw the fleet first: Rules.drawn"
        return self.fleet

    @property
    def has_ties(self) -> bool:
        """Whether a game that is played out may end without a winner."""
        return self.turn is Turn.BOTH or self.goal is Goal.POINTS or self.round_limit is not None

    @property
    def points_goal(self) -> int:
        return self.points if self.points is not None else sum(self.lengths)

    def volley(self, afloat: Sequence[int], fresh: int) -> int:
        """How many shots a seat fires in a salvo, by the lengths of its ships afloat and by how
        many cells of its opponents' boards have not been shot at."""
        due = len(afloat) + sum(length in self.salvo_bonus for length in afloat)
        if self.repeat is Repeat.ILLEGAL:
            due = min(due, fresh)
        return max(1, due)

    def drawn(self, rng: Random) -> Rules:
        """These rules with the fleet of one game: themselves, unless it is drawn per game."""
        if isinstance(self.fleet, Draw):
            return replace(self, fleet=self.fleet.lengths(rng), draw=self.fleet)
        return self

    def drawn_as(self, fleet: Fleet) -> Rules:
        """These rules with the ships of this fleet for those of one game: themselves, unless they
        are drawn per game. Raises `IllegalFleet` if they cannot be drawn so."""
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
        """Raise `IllegalFleet`, saying why, unless this is a fleet of these rules."""
        self.check_lengths(fleet)
        taken: dict[Cell, Ship] = {}
        for ship in fleet:
            self._check_cells(ship, taken)
            taken |= dict.fromkeys(ship.cells, ship)

    def check_lengths(self, fleet: Fleet) -> None:
        """Raise `IllegalFleet` unless these are the ships of a fleet, wherever they lie."""
        if Counter(ship.length for ship in fleet) != Counter(self.lengths):
            wanted, got = (
                _named(sorted(lengths))
                for lengths in (self.lengths, [ship.length for ship in fleet])
            )
            raise IllegalFleet(f"placed ships of {got} where the rules have {wanted}")

    def check_ship(self, ship: Ship, placed: Sequence[Ship]) -> None:
        """Raise `IllegalFleet`, saying why, unless a ship fits beside those already placed."""
        self._check_cells(ship, {cell: other for other in placed for cell in other.cells})

    def _check_cells(self, ship: Ship, taken: Mapping[Cell, Ship]) -> None:
        """Raise `IllegalFleet` unless a ship fits, where others have ``taken`` these cells."""
        for cell in ship.cells:
            if not self.on_grid(cell):
                grid = f"{self.columns}×{self.rows} grid"
                raise IllegalFleet(f"the ship of {ship.length} leaves the {grid} at ", cell)
            if cell in taken:
                lengths = f"{taken[cell].length} and {ship.length}"
                raise IllegalFleet(f"the ships of {lengths} overlap at ", cell)


def _named(lengths: Sequence[int]) -> str:
    """The lengths of ships, for a sentence: the first ones of a fleet of very many."""
    more = len(lengths) - MOST_NAMED
    named = ", ".join(map(str, lengths[:MOST_NAMED])) or "none"
    return f"{named} and {more:,} more" if more > 0 else named
