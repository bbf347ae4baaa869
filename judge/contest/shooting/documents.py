"""A test of shooting as its documents, `test` and the `test-event` lines of ``--jsonl``. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from judge.contest.schedule import Pairing
from judge.contest.shooting.shooting import BotShooting, Effort, ShootingSummary
from judge.contest.standings.fight_documents import VERSION, event, fault_entry, under
from judge.contest.tournament import Fault
from judge.documents.game import Termination
from judge.game.record import GameRecord
from judge.play.conditions import Conditions
from judge.process.bots.bot import Bot
from judge.stats.samples import Difference, Spread


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the fleets come from: ``random``, a file of ``placements``, or ``against`` a bot, which
    is named."""

    kind: str
    bot: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShootingTest:
    """What is tested, and how."""

    bots: Sequence[Bot]
    boards: int
    seed: int
    origin: Origin
    conditions: Conditions


def document(
    shooting: ShootingTest, summary: ShootingSummary, faults: Iterable[Fault] = ()
) -> dict[str, Any]:
    """The ``test`` document."""
    return {
        "version": VERSION,
        "kind": "test",
        **_what(shooting),
        "bots": [_bot(bot) for bot in summary.bots],
        "pairs": [_pair(*pair) for pair in summary.pairs()],
        "faults": [fault_entry(one) for one in faults],
    }


def start_event(shooting: ShootingTest) -> dict[str, Any]:
    """The first line of ``--jsonl``."""
    bots = [{"name": bot.name, "digest": bot.digest} for bot in shooting.bots]
    return event("start", bots=bots, **_what(shooting))


def board_event(
    bot: BotShooting, board: Pairing, record: GameRecord, effort: Effort | None
) -> dict[str, Any]:
    """A line of ``--jsonl`` for a bot that has had a board."""
    return event(
        "board",
        board=board.round,
        bot=bot.name,
        shots=effort and effort.shots,
        turns=effort and effort.turns,
        search=effort and effort.search,
        destroy=effort and effort.destroy,
        record=record.to_json(),
    )


def end_event(
    shooting: ShootingTest, summary: ShootingSummary, faults: Iterable[Fault] = ()
) -> dict[str, Any]:
    """The last line of ``--jsonl``: what they came to."""
    return event("end", test=document(shooting, summary, faults))


def _what(shooting: ShootingTest) -> dict[str, Any]:
    return {
        "boards": shooting.boards,
        "seed": str(shooting.seed),
        "fleets": shooting.origin.kind,
        "against": shooting.origin.bot,
        **under(shooting.conditions),
    }


def _bot(bot: BotShooting) -> dict[str, Any]:
    misses = bot.misses()
    return {
        "name": bot.name,
        "cleared": len(bot.efforts),
        "shots": _spread(bot.spread()),
        "turns": _spread(bot.spread_of_turns()),
        "misses": misses and {"mean": sum(misses), "search": misses[0], "destroy": misses[1]},
        "histogram": [list(one) for one in bot.histogram()],
        "perfect": bot.perfect,
        "forfeits": {cause: bot.forfeits[cause] for cause in Termination if bot.forfeits[cause]},
        "ms": bot.times.to_json(),
    }


def _spread(found: Spread | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "mean": found.mean,
        "se": found.se,
        "sd": found.sd,
        "min": found.least,
        "max": found.most,
        "median": found.median,
    }


def _pair(one: BotShooting, other: BotShooting, found: Difference | None) -> dict[str, Any]:
    interval = found and found.interval_95
    return {
        "a": one.name,
        "b": other.name,
        "boards": found.count if found else 0,
        "difference": found and found.mean,
        "interval_95": interval and list(interval),
    }
