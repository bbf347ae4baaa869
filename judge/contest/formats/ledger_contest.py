"""The contest of a ledger: its plan, and the counts of the games of each unit. Pure.

A unit is a game, or a match of several games. A game's id gives its contest, its bots and the
number of their meeting. If a unit was played by two versions of a bot, only the games of the
versions that played it last count.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from judge.contest.formats.units import NOTHING, WON, Meeting, UnitResult, UnitResults, unit_result
from judge.contest.games import GameId, meeting_of
from judge.documents.ledger import Contest, GameResult, MeetingRow, Plan
from judge.errors import UsageError

if TYPE_CHECKING:
    from judge.contest.formats.format import Format


@dataclass(slots=True)
class LedgerContest:
    """The plan of a ledger's contest and the counts of its ``units``. ``contest_key`` is the part
    of its games' ids with the rules' id and the contest's name."""

    plan: Plan
    contest_key: str
    units: dict[Meeting, MeetingRow] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises `UsageError` if the plan's format is not registered. Raises ValueError if the plan
        has too many meetings."""
        from judge.contest.formats.registry import FORMATS, too_long

        if self.plan.format not in FORMATS:
            raise UsageError(
                f"the ledger holds a contest of the format {self.plan.format[:80]!r}, which this judge "
                "does not know: run the program that registers it"
            )
        if why := too_long(self.plan):
            raise ValueError(why)

    @classmethod
    def after(cls, before: LedgerContest | None, entry: Contest) -> LedgerContest | None:
        """The contest after an entry; an entry without a plan or a key changes nothing. The units
        so far are kept if the contest's key and the number of games in a match stay the same."""
        plan, key = entry.plan, entry.contest_key
        if plan is None or key is None:
            return before
        contest = cls(plan, key)
        if before and (before.contest_key, before.plan.match) == (key, plan.match):
            contest.units = before.units
        return contest

    def admits(self, name: str) -> bool:
        """Whether a bot takes part, or may still join."""
        return not _format(self.plan).is_closed or name in self.plan.bots

    def admits_without(self, name: str) -> bool:
        """Whether the contest could be held without this bot: it is not in the fixed field."""
        return not _format(self.plan).is_closed or name not in self.plan.bots

    def count(self, game: GameResult, versions: tuple[int, int]) -> None:
        """Count a game of two bots in its unit, if it is a game of this contest. Does nothing if
        the format has no places and the unit is a game."""
        if not _format(self.plan).has_places and self.plan.match == 1:
            return
        known = GameId.read(game.id)
        if known is None or known.contest_key != self.contest_key:
            return
        meeting = meeting_of(known, (game.names[0], game.names[1]), self.plan)
        unit = self.units.get(meeting)
        versions = versions[::-1] if game.names[0] != meeting.one else versions
        if unit is None or unit.versions != versions:
            one, other, number = meeting
            unit = self.units[meeting] = MeetingRow(one, other, versions, number=number)
        unit.add(game)

    def results(self, disqualified: Collection[str], retired: Collection[str]) -> UnitResults:
        """A function that gives the result of a meeting. If the field is fixed, a disqualified bot
        has lost all its meetings, and a retired bot those that are not over."""
        is_closed = _format(self.plan).is_closed

        def result(meeting: Meeting) -> UnitResult | None:
            if is_closed and (lost := _given_up(meeting, disqualified)):
                return lost
            unit = self.units.get(meeting)
            found = unit and unit_result(unit, self.plan.match)
            return found or (_given_up(meeting, retired) if is_closed else None)

        return result


def _format(plan: Plan) -> Format:
    # Imported here, so that a fight does not load the formats.
    from judge.contest.formats.registry import format_of

    return format_of(plan)


def _given_up(meeting: Meeting, who: Collection[str]) -> UnitResult | None:
    """The result of a meeting if one or both of its bots are in ``who`` and have given up, or
    None."""
    match meeting.one in who, meeting.other in who:
        case True, True:
            return NOTHING
        case True, False:
            return WON.swapped
        case False, True:
            return WON
    return None
