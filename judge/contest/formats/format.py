"""A format of a contest: all that is particular to it, in one class. Pure.

How a contest is drawn and told is described by plain values and by texts with words in braces.
`judge.show` fills these in and makes lines and pages of them, and `judge.cli` makes options.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from judge.contest.formats.every_pair import Meetings
from judge.contest.formats.units import PlaceInFormat, Stage, UnitResults, whole_score
from judge.documents.ledger import Plan

if TYPE_CHECKING:
    from judge.contest.ledger.tally_table import TallyTable
    from judge.documents.standings import GauntletTable


class OptionSpec(NamedTuple):
    """An option of `judge rank`: ``--rounds``, ``--games``, ``--lives`` or ``--bot``. ``default`` is
    None where it hangs on the number of bots, which ``in_words`` says in words."""

    help: str
    default: int | None = None
    in_words: str = ""
    most: int | None = None


GAMES = "How many games two bots play when they meet"


class Column(NamedTuple):
    """A column of the table of a contest. ``value`` gives the text of a bot's place, empty where
    there is nothing to say. ``on_page`` is the heading of a page, if it is another one, and ``drawn``
    gives the text in a terminal, if that is another one."""

    heading: str
    value: Callable[[PlaceInFormat, Plan], str]
    on_page: str = ""
    drawn: Callable[[PlaceInFormat, Plan], str] | None = None


class Drawing(Enum):
    """The drawing of a contest besides its columns."""

    CROSS = "cross"  # what each two came to, as columns of their own
    ROUNDS = "rounds"  # meetings, round by round
    LAST_ROUND = "last round"  # the same, in a terminal of the last round alone
    BRACKET = "bracket"  # `Format.bracket`, in a terminal in place of the columns


class BracketSide(NamedTuple):
    """One of the two of a match. ``name`` and ``seed`` are None until it is known who that is;
    ``points``, and those of its deciders, are empty until one of its games is over. ``by_seed`` if
    it goes on because it is the higher seed, after all deciders were tied."""

    name: str | None = None
    seed: int | None = None
    points: str = ""
    decider: str = ""
    is_winner: bool = False
    by_seed: bool = False

    @property
    def score(self) -> str:
        return self.points + (f" ({self.decider})" if self.decider else "")


class BracketMatch(NamedTuple):
    """Two that meet; ``other`` is None where ``one`` has a bye."""

    one: BracketSide
    other: BracketSide | None


class BracketRound(NamedTuple):
    name: str
    matches: tuple[BracketMatch, ...]


class Format(ABC):
    """A format. A class leaves out what it shares with most of them."""

    name: ClassVar[str]
    options: ClassVar[Mapping[str, OptionSpec]]
    """The options that it knows."""
    grows: ClassVar[str] = ""
    """The option that may be raised once the contest has begun, where the bots are fixed."""
    is_closed: ClassVar[bool] = False
    """Whether the bots are fixed when the contest begins."""
    has_places: ClassVar[bool] = True
    """Whether it ranks the bots. If not, the percentage rule does, and contests of such formats are
    parts of one contest."""
    is_for_ais: ClassVar[bool] = False
    """Whether this is how the Battleships contest is held, whose AIs are started once before."""
    drawing: ClassVar[Drawing] = Drawing.ROUNDS
    title: ClassVar[str] = ""
    """The heading of its section on a page."""
    columns: ClassVar[Sequence[Column]] = ()
    """The columns between a bot's name and what is drawn."""
    counts_wins: ClassVar[bool] = False
    """Whether units won decide, which every leaderboard tells, and not points."""
    goes_out: ClassVar[bool] = False
    """Whether bots go out of the contest, so that it is of interest how many are left."""

    brief: ClassVar[str]
    """The format with its numbers, for a line of facts. The words {units}, {rounds}, {pairs},
    {lives}, {bot} and {seats} are filled in."""
    brief_played: ClassVar[str] = ""
    """The same once all have played {played} rounds; these follow it if this is empty."""
    ranked_by: ClassVar[str] = ""
    """How the bots are ranked, in a sentence."""
    by_seed: ClassVar[str] = ""
    """The reason for which the higher seed goes on, in a sentence, if a side of the bracket can be
    so."""
    lost_together: ClassVar[str] = ""
    """A clause on {names} who share the first place and have lost as well, if that can be; {when}
    is how."""

    def of(self, plan: Plan) -> Format:
        """The format as this plan has it, where its numbers make another one of it."""
        return self

    @abstractmethod
    def stages(self, plan: Plan, results: UnitResults) -> Iterator[Stage]:
        """Stage after stage. The next one is asked for when all meetings of the last are over. If
        the bots are not fixed, there is one stage, of `Meetings`."""

    def places(
        self, plan: Plan, stages: Sequence[Stage], results: UnitResults
    ) -> list[PlaceInFormat]:
        """Who stands where."""
        raise NotImplementedError(f"the percentage rule ranks the bots of the format {self.name}")

    @abstractmethod
    def most(self, plan: Plan) -> int:
        """How many units it can take at most."""

    def rounds(self, plan: Plan) -> Sequence[Meetings]:
        """The rounds of a contest that is held round by round though no result says who meets."""
        return ()

    # From options to a plan

    def sized(self, numbers: Mapping[str, int | None], match: int, bots: int) -> tuple[int, int]:
        """The units and the rounds of the plan that these options give to this number of ``bots``,
        if a unit has ``match`` games."""
        pairs = numbers.get("rounds")
        return (pairs if match > 1 else 2 * pairs if pairs else numbers["games"]) or 1, 1

    def numbers(self, plan: Plan, match: int) -> dict[str, int]:
        """The options that give this plan, if the rules have ``match`` games in a match."""
        pairs = plan.units if match > 1 else (plan.units + 1) // 2
        games = plan.match if match > 1 else plan.units
        return {"rounds": pairs, "games": games, "lives": plan.lives}

    def gauntlet(
        self, plan: Plan, table: TallyTable, current: Mapping[str, int], order: Sequence[str]
    ) -> GauntletTable | None:
        """The units of one bot against each of the others, in this order, all in the ``current``
        version; None if the format has no such table, or the bot is not among them."""
        return None

    def bracket(
        self, plan: Plan, stages: Sequence[Stage], results: UnitResults
    ) -> list[BracketRound]:
        """All rounds, from the top to the bottom of the bracket; those to come have open places."""
        return []


# Columns that formats have in common


def points_text(place: PlaceInFormat, _: Plan) -> str:
    return whole_score(place.points)


def tie_break_text(place: PlaceInFormat, _: Plan) -> str:
    return whole_score(place.tie_break or 0)


BYES = Column("byes", lambda place, _: str(place.byes or ""))
