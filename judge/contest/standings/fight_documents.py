"""A fight as its documents, `fight` and the `fight-event` lines of ``--jsonl``. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from judge.contest.ledger.ledger import Repeated
from judge.contest.standings.summary import FightSummary, mean
from judge.contest.tournament import Fault
from judge.documents.codec import builtins
from judge.documents.game import GameRecord, Termination
from judge.errors import JudgeFault, shortage, with_mend
from judge.play.conditions import Conditions
from judge.stats.sprt import Sprt

VERSION = 1


def fight(
    summary: FightSummary,
    records: Iterable[GameRecord],
    *,
    seed: int | None = None,
    faults: Iterable[Fault] = (),
    repeats: Iterable[Repeated] = (),
    sprt: Sprt | None = None,
) -> dict[str, Any]:
    """The ``fight`` document; ``seed`` is that of the whole fight."""
    document = _totals(summary, seed, faults, repeats, sprt)
    document["records"] = [builtins(record) for record in records]
    return document


def event(what: str, **more: Any) -> dict[str, Any]:
    """A line of ``--jsonl``, of whatever command."""
    return {"version": VERSION, "event": what, **more}


def start_event(
    names: Sequence[str], *, games: int | None, seed: int, conditions: Conditions
) -> dict[str, Any]:
    """The first line of ``--jsonl``; ``games`` is how many are to be played at most."""
    return event("start", bots=list(names), games=games, seed=str(seed), **under(conditions))


def game_event(
    summary: FightSummary, record: GameRecord, repeated: Repeated | None = None
) -> dict[str, Any]:
    """A line of ``--jsonl`` for a game that has been played, and how it stands with that;
    ``repeated`` if it is in the ledger already."""
    score = {
        "games": summary.games,
        "void": summary.void,
        "wins": [bot.counts.won for bot in summary.bots],
        "ties": summary.ties,
    }
    again = None if repeated is None else repeat_entry(repeated)
    return event("game", record=builtins(record), repeats=again, score=score)


def end_event(
    summary: FightSummary,
    *,
    seed: int | None = None,
    faults: Iterable[Fault] = (),
    repeats: Iterable[Repeated] = (),
    sprt: Sprt | None = None,
) -> dict[str, Any]:
    """The last line of ``--jsonl``: the fight, without the records that went before."""
    return event("end", fight=_totals(summary, seed, faults, repeats, sprt))


def fault_event(fault: Fault) -> dict[str, Any]:
    """A line of ``--jsonl`` for a game that the judge could not play."""
    return event("fault", **fault_entry(fault))


def under(conditions: Conditions) -> dict[str, Any]:
    """What a start event says of the conditions of all games."""
    return {
        "rules": builtins(conditions.rules),
        "dialect": conditions.dialect,
        "launch": conditions.launch,
        "isolation": conditions.isolation.name,
        "limits": builtins(conditions.limits),
    }


def fault_message(fault: Fault) -> str:
    """What kept the judge from a game: its own sentence, the system's, or which bug it met."""
    match fault.error:
        case JudgeFault() as error:
            return with_mend(str(error))
        case OSError(strerror=str(reason), filename=file):
            return with_mend(reason if file is None else f"{file}: {reason}")
        case error if short := shortage(error):
            return short
        case error:
            return f"a bug in the judge: {type(error).__name__}: {error}"


def fault_note(fault: Fault, what: str) -> str:
    """A fault in words; ``what`` is a game or a board."""
    return f"{what} {fault.pairing.id} could not be played: {fault_message(fault)}"


def fault_entry(fault: Fault) -> dict[str, Any]:
    return {"id": fault.pairing.id, "message": fault_message(fault)}


def repeat_entry(repeated: Repeated) -> dict[str, Any]:
    return {
        "id": repeated.id,
        "number": repeated.number,
        "difference": repeated.difference,
    }


def _totals(
    summary: FightSummary,
    seed: int | None,
    faults: Iterable[Fault],
    repeats: Iterable[Repeated],
    sprt: Sprt | None,
) -> dict[str, Any]:
    elo = summary.elo()
    return {
        "version": VERSION,
        "kind": "fight",
        "seed": None if seed is None else str(seed),
        "games": summary.games,
        "void": summary.void,
        "pairs": list(summary.pairs) if summary.is_duel else None,
        "first_mover_wins": summary.first_mover_wins,
        "bots": [_bot(summary, number) for number in range(len(summary.bots))],
        "elo": elo
        and {
            "difference": elo.difference,
            "interval_95": list(elo.interval_95),
            "los": elo.los,
        },
        "sprt": sprt and _sprt(sprt, summary.pairs),
        "faults": [fault_entry(fault) for fault in faults],
        "repeats": [repeat_entry(repeated) for repeated in repeats],
    }


def _bot(summary: FightSummary, number: int) -> dict[str, Any]:
    bot = summary.bots[number]
    return {
        "name": bot.name,
        "wins": bot.counts.won,
        "losses": bot.counts.lost,
        "ties": summary.ties,
        "forfeits": {
            cause: count for cause in Termination if (count := bot.counts.forfeits.get(cause))
        },
        "win_rate": summary.win_rate(number),
        "win_rate_95": list(summary.win_rate_95(number)),
        "shots_mean": mean(bot.shots, summary.counted),
        "misses_mean": mean(bot.misses, summary.counted),
        "shots_to_win_mean": bot.counts.shots_to_win_mean,
        "volleys_mean": mean(bot.volleys, summary.counted),
        "volleys_to_win_mean": bot.counts.volleys_to_win_mean,
        "ms": bot.times.to_json(),
        "points_before": bot.points_before,
        "points_after": bot.points_after,
    }


def _sprt(sprt: Sprt, pairs: Sequence[int]) -> dict[str, Any]:
    return {
        **asdict(sprt),
        "llr": sprt.llr(pairs),
        "bounds": list(sprt.bounds),
        "verdict": sprt.verdict(pairs).value,
    }
