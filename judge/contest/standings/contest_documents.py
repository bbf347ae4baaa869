"""The lines that ``judge rank --jsonl`` prints; their schema is `rank-event`. Pure.

``judge rank --json`` prints standings: `judge.contest.standings.standings`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from judge.contest.hopeless import PutOff
from judge.contest.ledger.ledger import Rated
from judge.contest.standings.fight_documents import event, under
from judge.contest.standings.standings import Standings
from judge.documents.codec import builtins
from judge.documents.ledger import Plan
from judge.play.conditions import Conditions
from judge.process.bots.bot import Bot, LeftOut


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestState:
    """A contest before its next game: ``games`` in all, ``missing`` of them not played yet. Where
    it depends on results how many there are, they are as many as there can be; None where the time
    says."""

    bots: Sequence[Bot]
    left_out: Sequence[LeftOut]
    plan: Plan
    seed: int
    games: int | None
    missing: int | None
    conditions: Conditions

    @property
    def is_new(self) -> bool:
        """Whether none of its games has been played."""
        return self.missing == self.games

    def start_event(self) -> dict[str, Any]:
        """The first line of ``--jsonl``."""
        return event(
            "start",
            bots=[{"name": bot.name, "digest": bot.digest} for bot in self.bots],
            left_out=[{"name": one.name, "reason": one.reason} for one in self.left_out],
            format=self.plan.summary(),
            seed=str(self.seed),
            games=self.games,
            missing=self.missing,
            **under(self.conditions),
        )


def game_event(rated: Rated) -> dict[str, Any]:
    """A line for a game that is in the ledger."""
    return event(
        "game",
        record=builtins(rated.record),
        points_before=list(rated.before),
        points_after=list(rated.after),
    )


def put_off_event(one: PutOff) -> dict[str, Any]:
    """A line for a bot of which the games are put off from here on."""
    return event("put-off", bot=one.name, row=one.row, games=one.games)


def end_event(standings: Standings) -> dict[str, Any]:
    """The last line: the table."""
    return event("end", standings=standings.to_json())
