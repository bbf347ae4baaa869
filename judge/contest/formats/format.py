"""The base class of the formats of a contest, and the values that describe a format. Pure.

A format describes its table and drawing by plain values, and its sentences by texts with
placeholders in braces. `judge.show` fills in the placeholders and makes lines and pages.
`judge.cli` makes options of the `OptionSpec` values.
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
    """An option of `judge rank`: ``--rounds``, ``--games``, ``--lives`` or ``--bot``. ``default``
    is None if the option has no fixed default. ``in_words`` describes a default that depends on the
    number of bots. ``most`` is the largest number allowed, or None."""

    help: str
    default: int | None = None
    in_words: str = ""
    most: int | None = None


GAMES = "How many games two bots play when they meet"


class Column(NamedTuple):
    """A column of a contest's table. ``value`` gives the text for a bot's place, or "" for an empty
    cell. ``on_page`` is the heading on a page, if it differs from ``heading``. ``drawn`` gives the
    text in a terminal, if it differs from ``value``."""

    heading: str
    value: Callable[[PlaceInFormat, Plan], str]
    on_page: str = ""
    drawn: Callable[[PlaceInFormat, Plan], str] | None = None


class Drawing(Enum):
    """The drawing of a contest, shown with its columns or in their place."""

    CROSS = "cross"  # the score of each couple, a column for each opponent
    ROUNDS = "rounds"  # meetings, round by round
    LAST_ROUND = "last round"  # as ROUNDS on a page; in a terminal the last round
    BRACKET = "bracket"  # `Format.bracket`, in a terminal in place of the columns


class BracketSide(NamedTuple):
    """One of the two sides of a bracket match. ``name`` and ``seed`` are None until the bot is
    known. ``points`` is the score as text, empty until a unit is over. ``decider`` is the score of
    the deciders, the units played after a tie; it is empty until a decider is over. ``by_seed`` is
    true if all deciders were tied and the side goes on as the higher seed."""

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
    """A match of a bracket; ``other`` is None if ``one`` has a bye."""

    one: BracketSide
    other: BracketSide | None


class BracketRound(NamedTuple):
    name: str
    matches: tuple[BracketMatch, ...]


class Format(ABC):
    """The base class of formats. Its attributes and methods are right for most formats."""

    name: ClassVar[str]
    options: ClassVar[Mapping[str, OptionSpec]]
    """The options of the format by name."""
    grows: ClassVar[str] = ""
    """The option that may be raised after a contest with a fixed field has begun, or ""."""
    is_closed: ClassVar[bool] = False
    """Whether the field, which is the set of bots, is fixed when the contest begins."""
    has_places: ClassVar[bool] = True
    """Whether the format ranks the bots; otherwise the percentage rule ranks them. A ledger may
    hold games of several formats without places as one contest."""
    is_for_ais: ClassVar[bool] = False
    """Whether bots are started once before the contest, as in the Battleships contest for AIs."""
    drawing: ClassVar[Drawing] = Drawing.ROUNDS
    title: ClassVar[str] = ""
    """The heading of the contest's section on a page."""
    columns: ClassVar[Sequence[Column]] = ()
    """The columns between a bot's name and the drawing."""
    counts_wins: ClassVar[bool] = False
    """Whether the bots are ranked by units won and not by points. A leaderboard then shows no
    further score, since it has the units won already."""
    goes_out: ClassVar[bool] = False
    """Whether bots are eliminated during the contest."""

    brief: ClassVar[str]
    """The format with its numbers, in a few words. The placeholders are {units}, {rounds}, {pairs},
    {lives}, {bot} and {seats}."""
    brief_played: ClassVar[str] = ""
    """The text in place of `brief` once all couples have played the same number of rounds, which is
    {played}. If this text is empty, the number is added to `brief`."""
    ranked_by: ClassVar[str] = ""
    """How the bots are ranked, in a sentence."""
    by_seed: ClassVar[str] = ""
    """A sentence on why a higher seed goes on, for a bracket that has a `BracketSide.by_seed`."""
    lost_together: ClassVar[str] = ""
    """A clause on {names} that share the first place although each has lost. {when} says when they
    lost. The clause is empty if the format does not have this case."""

    def of(self, plan: Plan) -> Format:
        """The format for this plan: a subclass if the plan's numbers ask for one."""
        return self

    @abstractmethod
    def stages(self, plan: Plan, results: UnitResults) -> Iterator[Stage]:
        """The stages of the contest in order. The caller takes the next stage only when all
        meetings of the stage before are over. A format without a fixed field has a single stage.
        Its ``meetings`` are of the class `Meetings`."""

    def places(
        self, plan: Plan, stages: Sequence[Stage], results: UnitResults
    ) -> list[PlaceInFormat]:
        """The places of the bots; only for a format that `has_places`."""
        raise NotImplementedError(f"the percentage rule ranks the bots of the format {self.name}")

    @abstractmethod
    def most(self, plan: Plan) -> int:
        """The most units that the contest can take."""

    def numbers_of_pair(self, plan: Plan, number: int) -> range:
        """The numbers of the meetings that decide together between two bots. ``number`` is that of
        one of these meetings. If the range has more than ``plan.units`` numbers, the further ones
        are those of deciders."""
        first = number - (number - 1) % plan.units
        return range(first, first + plan.units)

    def rounds(self, plan: Plan) -> Sequence[Meetings]:
        """The rounds, if the contest is held round by round although results do not decide who
        meets; otherwise empty."""
        return ()

    # From options to a plan

    def sized(self, numbers: Mapping[str, int | None], match: int, bots: int) -> tuple[int, int]:
        """The ``units`` and ``rounds`` of a plan, from the values of the options and the number of
        bots. ``match`` is the number of games that the rules have in a match."""
        pairs = numbers.get("rounds")
        return (pairs if match > 1 else 2 * pairs if pairs else numbers["games"]) or 1, 1

    def numbers(self, plan: Plan, match: int) -> dict[str, int]:
        """The values of the options that would give this plan. ``match`` is the number of games
        that the rules have in a match."""
        pairs = plan.units if match > 1 else (plan.units + 1) // 2
        games = plan.match if match > 1 else plan.units
        return {"rounds": pairs, "games": games, "lives": plan.lives}

    def gauntlet(
        self, plan: Plan, table: TallyTable, current: Mapping[str, int], order: Sequence[str]
    ) -> GauntletTable | None:
        """The results of the plan's bot against each other bot in ``order``, all in their
        ``current`` versions. None if the format is not a gauntlet, or ``current`` lacks the bot."""
        return None

    def bracket(
        self, plan: Plan, stages: Sequence[Stage], results: UnitResults
    ) -> list[BracketRound]:
        """The rounds of the bracket, each from top to bottom. In later rounds sides may be open.
        Empty if the format has no bracket."""
        return []


# Columns that formats have in common


def points_text(place: PlaceInFormat, _: Plan) -> str:
    return whole_score(place.points)


def tie_break_text(place: PlaceInFormat, _: Plan) -> str:
    return whole_score(place.tie_break or 0)


BYES = Column("byes", lambda place, _: str(place.byes or ""))
