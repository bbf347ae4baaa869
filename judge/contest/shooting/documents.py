"""Makes the documents of a strength test: `test`, and the `test-event` lines of ``--jsonl``.
Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from typing import Any

from judge.contest.schedule import Pairing
from judge.contest.seeds import spelled
from judge.contest.shooting.shooting import BotShooting, Effort, ShootingSummary
from judge.contest.standings.fight_documents import under, unplayed
from judge.contest.window import Fault
from judge.documents.codec import builtins
from judge.documents.game import GameRecord, Termination
from judge.documents.shooting import (
    BoardPlayed,
    BotToTest,
    FleetsFrom,
    Misses,
    ShootingReport,
    ShootingStart,
    ShotsAndBoards,
    Spread,
    TestedBot,
    TestedPair,
)
from judge.play.conditions import Conditions
from judge.process.bots.bot import Bot
from judge.stats import samples


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of the fleets, and the name of the bot that placed them, or None."""

    kind: FleetsFrom
    bot: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShootingTest:
    """A strength test: its bots, boards and conditions."""

    bots: Sequence[Bot]
    boards: int
    seed: int
    origin: Origin
    conditions: Conditions


def document(
    shooting: ShootingTest, summary: ShootingSummary, faults: Iterable[Fault] = ()
) -> ShootingReport:
    """The ``test`` document."""
    return ShootingReport(
        **_what(shooting),
        bots=tuple(map(_bot, summary.bots)),
        pairs=tuple(_pair(*pair) for pair in summary.pairs()),
        faults=unplayed(faults),
    )


def start_event(shooting: ShootingTest) -> ShootingStart:
    """The first line of ``--jsonl``."""
    bots = tuple(BotToTest(name=bot.name, digest=bot.digest) for bot in shooting.bots)
    return ShootingStart(bots=bots, **_what(shooting))


def board_event(
    bot: BotShooting, board: Pairing, record: GameRecord, effort: Effort | None
) -> BoardPlayed:
    """A line of ``--jsonl`` for a board that a bot has played. ``effort`` is None if the bot has
    not cleared the board."""
    took = asdict(effort) if effort else dict.fromkeys(_NOT_CLEARED)
    return BoardPlayed(board=board.round, bot=bot.name, **took, record=builtins(record))


_NOT_CLEARED = [one.name for one in fields(Effort)]


def _what(shooting: ShootingTest) -> dict[str, Any]:
    return {
        "boards": shooting.boards,
        "seed": spelled(shooting.seed),
        "fleets": shooting.origin.kind,
        "against": shooting.origin.bot,
        **under(shooting.conditions),
    }


def _bot(bot: BotShooting) -> TestedBot:
    misses = bot.misses()
    return TestedBot(
        name=bot.name,
        cleared=len(bot.efforts),
        shots=_spread(bot.spread()),
        turns=_spread(bot.spread_of_turns()),
        misses=misses and Misses(mean=sum(misses), search=misses[0], destroy=misses[1]),
        histogram=tuple(ShotsAndBoards(*one) for one in bot.histogram()),
        perfect=bot.perfect,
        forfeits={cause: bot.forfeits[cause] for cause in Termination if bot.forfeits[cause]},
        ms=bot.times.document(),
    )


def _spread(found: samples.Spread | None) -> Spread | None:
    if found is None:
        return None
    return Spread(**{name: getattr(found, name) for name in Spread.__struct_fields__})


def _pair(one: BotShooting, other: BotShooting, found: samples.Difference | None) -> TestedPair:
    count, mean, interval = astuple(found) if found else (0, None, None)
    return TestedPair(a=one.name, b=other.name, boards=count, difference=mean, interval_95=interval)
