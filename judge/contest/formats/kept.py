"""The contest of a ledger: its plan, and what has come of each unit, game by game. Pure.

A game is known by its id, which says who met for how many times in which contest. Of two versions
of a bot the one that played last counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judge import schemas
from judge.contest.formats.plan import Plan
from judge.contest.formats.table import FORMATS, too_long
from judge.contest.formats.units import (
    NOTHING,
    WON,
    KeptGame,
    Meeting,
    UnitResult,
    UnitResults,
    UnitTally,
)
from judge.contest.games import GameId, meeting_of

ROW = 10  # numbers in the row of a unit


@dataclass(slots=True)
class KeptContest:
    """``called`` is how the ids of its games end before the numbers: its rules and its name."""

    plan: Plan
    called: str
    units: dict[Meeting, UnitTally] = field(default_factory=dict)

    def follow(self, new: KeptContest) -> KeptContest:
        """The contest after an entry that gives it another plan: what has been played counts on if
        it is the same one."""
        is_same = (new.called, new.plan.match) == (self.called, self.plan.match)
        return KeptContest(new.plan, new.called, self.units if is_same else {})

    def admits(self, name: str) -> bool:
        """Whether a bot takes part, or may still join."""
        return not FORMATS[self.plan.format].is_closed or name in self.plan.bots

    def admits_without(self, name: str) -> bool:
        """Whether the contest would have been the same one without this bot."""
        return not FORMATS[self.plan.format].is_closed or name not in self.plan.bots

    def count(self, game: KeptGame) -> None:
        """Count a game, if it is one of this contest and the format looks at results."""
        if FORMATS[self.plan.format].scoring is None and self.plan.match == 1:
            return
        known = GameId.read(game.id)
        if known is None or known.called != self.called:
            return
        meeting = meeting_of(known, game.names, self.plan)
        unit = self.units.get(meeting)
        turned = game.names[0] != meeting.one
        versions = game.versions[::-1] if turned else game.versions
        if unit is None or unit.versions != versions:
            unit = self.units[meeting] = UnitTally((versions[0], versions[1]))
        unit.add(game.winner, game.forfeits, rated=game.rated, turned=turned)

    def results(self, disqualified: Collection[str], retired: Collection[str]) -> UnitResults:
        """What came of each meeting. Where the field is fixed, who is disqualified has lost all,
        and who is retired loses what it has not played."""
        is_closed = FORMATS[self.plan.format].is_closed

        def result(meeting: Meeting) -> UnitResult | None:
            if is_closed and (lost := _given_up(meeting, disqualified)):
                return lost
            unit = self.units.get(meeting)
            found = None if unit is None else unit.result(self.plan.match)
            return found or (_given_up(meeting, retired) if is_closed else None)

        return result

    def to_json(self) -> dict[str, Any]:
        """As the ``ledger`` document has it, but for the units."""
        return {"plan": self.plan.to_json(), "called": self.called}

    def rows(self, versions: Iterable[str]) -> Iterator[str]:
        """The units as rows of JSON, bots by their numbers among those of ``versions``."""
        numbers = {name: number for number, name in enumerate(versions)}
        for meeting, unit in self.units.items():
            if unit.text is None:
                row = (
                    numbers[meeting.one],
                    numbers[meeting.other],
                    meeting.number,
                    *unit.versions,
                    unit.won,
                    unit.lost,
                    unit.tied,
                    unit.void,
                    unit.forfeits,
                )
                unit.text = f"[{','.join(map(str, row))}]"
            yield unit.text


def entry_of(plan: Plan, called: str, seed: str) -> dict[str, Any]:
    """The entry of a journal that begins a contest by this plan, or goes on with it by this one."""
    return {
        "version": 1,
        "kind": "contest",
        "seed": seed,
        "called": called,
        "format": plan.to_json(),
    }


def from_entry(entry: Mapping[str, Any]) -> KeptContest:
    """Raises ValueError if it holds no contest."""
    if why := schemas.problem("journal-entry", entry):
        raise ValueError(why)
    return KeptContest(_plan(entry["format"]), entry["called"])


def from_json(document: Mapping[str, Any], names: Sequence[str]) -> KeptContest:
    """Read the contest of a ``ledger`` document in which no fault was found."""
    kept = KeptContest(_plan(document["plan"]), document["called"])
    for one, other, number, first, second, *rest in document["units"]:
        kept.units[Meeting(names[one], names[other], number)] = UnitTally((first, second), *rest)
    return kept


def _plan(document: Any) -> Plan:
    plan = Plan.from_json(document)
    if plan.format not in FORMATS:
        raise ValueError(
            f"it is of the format {plan.format[:80]!r}, which this judge does not know"
        )
    if why := too_long(plan):
        raise ValueError(why)
    return plan


def _given_up(meeting: Meeting, who: Collection[str]) -> UnitResult | None:
    """What a meeting is worth where one of the two, or both, do not play."""
    match meeting.one in who, meeting.other in who:
        case True, True:
            return NOTHING
        case True, False:
            return WON.turned
        case False, True:
            return WON
    return None
