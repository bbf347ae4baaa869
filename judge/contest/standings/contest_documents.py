"""The lines that ``judge rank --jsonl`` prints; their schema is `rank-event`. Pure.

``judge rank --json`` prints standings: `judge.contest.standings.standings`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judge.contest.hopeless import PutOff
from judge.contest.ledger.ledger import Rated
from judge.contest.seeds import spelled
from judge.contest.standings.fight_documents import under
from judge.documents.codec import builtins
from judge.documents.ledger import Plan, PlanInBrief
from judge.documents.standings import (
    ContestBot,
    LeftOutOfContest,
    RankGame,
    RankPutOff,
    RankStart,
)
from judge.play.conditions import Conditions
from judge.process.bots.bot import Bot, LeftOut


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestState:
    """A contest before its next game: ``games`` in all, ``missing`` of them not played yet. If
    their number depends on results, they are as many as there can be; None where the time says."""

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

    def start_event(self) -> RankStart:
        """The first line of ``--jsonl``."""
        return RankStart(
            bots=tuple(ContestBot(bot.name, bot.digest) for bot in self.bots),
            left_out=tuple(LeftOutOfContest(one.name, one.reason) for one in self.left_out),
            format=PlanInBrief(**self.plan.in_brief),
            seed=spelled(self.seed),
            games=self.games,
            missing=self.missing,
            **under(self.conditions),
        )


def game_event(rated: Rated) -> RankGame:
    """A line for a game that is in the ledger."""
    return RankGame(
        record=builtins(rated.record), points_before=rated.before, points_after=rated.after
    )


def put_off_event(one: PutOff) -> RankPutOff:
    """A line for a bot whose games are put off from here on."""
    return RankPutOff(bot=one.name, row=one.row, games=one.games)
